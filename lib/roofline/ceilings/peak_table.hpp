// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The functions that the translation units of each instruction set export. No standard header
// beyond <cstddef>.
#pragma once

#include <cstddef>

namespace hpclab::roofline::ceilings {

// The sum of an array, in double; internal, so that each translation unit keeps its own.
namespace {
template <typename Real, int count>
[[maybe_unused]] double sum_of(const Real (&values)[count]) {
  double total = 0;
  for (const Real value : values) total += static_cast<double>(value);
  return total;
}
}  // namespace

struct PeakBody {
  double (*run)(std::size_t iterations);
  int accumulators;
  int instructions;
  int ops_per_instruction;
};

extern const PeakBody peak_scalar_fp64;
extern const PeakBody peak_scalar_fp32;
extern const PeakBody peak_avx2_fp64;
extern const PeakBody peak_avx2_fp32;
extern const PeakBody peak_avx512_fp64;
extern const PeakBody peak_avx512_fp32;
extern const PeakBody peak_avx512_fp16;
extern const PeakBody peak_avx512_bf16;
extern const PeakBody peak_avx512_int8;

}  // namespace hpclab::roofline::ceilings
