// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/peak.hpp"

#include "core/error.hpp"
#include "machine/cpu_features.hpp"
#include "roofline/ceilings/peak_table.hpp"

#include <string>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

PeakKernel kernel(PeakPrecision precision, InstructionSet instruction_set, const PeakBody& body) {
  return {precision,         instruction_set,   body.run,
          body.accumulators, body.instructions, body.ops_per_instruction};
}

const std::array<PeakKernel, 9>& kernels() {
  using enum PeakPrecision;
  using enum InstructionSet;
  static const std::array<PeakKernel, 9> all = {
      kernel(fp64, scalar, peak_scalar_fp64), kernel(fp32, scalar, peak_scalar_fp32),
      kernel(fp64, avx2, peak_avx2_fp64),     kernel(fp32, avx2, peak_avx2_fp32),
      kernel(fp64, avx512, peak_avx512_fp64), kernel(fp32, avx512, peak_avx512_fp32),
      kernel(fp16, avx512, peak_avx512_fp16), kernel(bf16, avx512, peak_avx512_bf16),
      kernel(int8, avx512, peak_avx512_int8)};
  return all;
}

bool executes(const PeakKernel& candidate) {
  if (!supported(candidate.instruction_set)) return false;
  switch (candidate.precision) {
    case PeakPrecision::fp64:
    case PeakPrecision::fp32:
      return machine::instruction_sets().fma;
    case PeakPrecision::fp16:
      return machine::instruction_sets().avx512_fp16;
    case PeakPrecision::bf16:
      return machine::instruction_sets().avx512_bf16;
    case PeakPrecision::int8:
      return machine::instruction_sets().avx512_vnni;
    case PeakPrecision::tf32:
    case PeakPrecision::fp8:
      break;
  }
  return false;
}

}  // namespace

std::string_view name(PeakPrecision precision) {
  switch (precision) {
    case PeakPrecision::fp64:
      return "fp64";
    case PeakPrecision::fp32:
      return "fp32";
    case PeakPrecision::fp16:
      return "fp16";
    case PeakPrecision::bf16:
      return "bf16";
    case PeakPrecision::int8:
      return "int8";
    case PeakPrecision::tf32:
      return "tf32";
    case PeakPrecision::fp8:
      return "fp8";
  }
  return "";
}

PeakPrecision peak_precision_of(std::string_view text) {
  for (const PeakPrecision precision : all_peak_precisions) {
    if (name(precision) == text) return precision;
  }
  throw UsageError(
      fmt::format("precision '{}' is unknown; valid are fp64, fp32, fp16, bf16, int8", text));
}

const PeakKernel* declared_peak_kernel(PeakPrecision precision, InstructionSet instruction_set) {
  for (const PeakKernel& candidate : kernels()) {
    if (candidate.precision == precision && candidate.instruction_set == instruction_set) {
      return &candidate;
    }
  }
  return nullptr;
}

const PeakKernel* find_peak_kernel(PeakPrecision precision, InstructionSet instruction_set) {
  const PeakKernel* found = declared_peak_kernel(precision, instruction_set);
  return found != nullptr && executes(*found) ? found : nullptr;
}

}  // namespace hpclab::roofline::ceilings
