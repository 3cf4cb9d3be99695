// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_precision.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

Precision gpu_vector_precision(PeakPrecision precision) {
  switch (precision) {
    case PeakPrecision::fp64:
      return Precision::fp64;
    case PeakPrecision::fp32:
      return Precision::fp32;
    case PeakPrecision::fp16:
      return Precision::fp16;
    case PeakPrecision::bf16:
      return Precision::bf16;
    case PeakPrecision::int8:
    case PeakPrecision::tf32:
    case PeakPrecision::fp8:
      break;
  }
  throw CaseSkipped(fmt::format(
      "vector units of a GPU have no {} multiply-add that is measured here; give unit=tensor",
      name(precision)));
}

}  // namespace hpclab::roofline::ceilings
