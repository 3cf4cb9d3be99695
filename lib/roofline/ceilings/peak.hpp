// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Kernels that issue multiply-adds from registers as fast as one core can.
#pragma once

#include "core/instruction_set.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace hpclab::roofline::ceilings {

/// What is multiplied. fp64, fp32 and fp16 are fused multiply-adds of that type. bf16: pairs of
/// bf16 products added to fp32 (vdpbf16ps). int8: groups of four unsigned x signed 8-bit products
/// added to int32 (vpdpbusd). tf32 and fp8 exist in tensor units only.
enum class PeakPrecision { fp64, fp32, fp16, bf16, int8, tf32, fp8 };

/// Those that a processor may have instructions for.
inline constexpr std::array all_peak_precisions = {PeakPrecision::fp64, PeakPrecision::fp32,
                                                   PeakPrecision::fp16, PeakPrecision::bf16,
                                                   PeakPrecision::int8};

/// "fp64", "fp32", "fp16", "bf16", "int8", "tf32", "fp8".
std::string_view name(PeakPrecision precision);

/// The precision of that name. Throws UsageError that lists the valid names.
PeakPrecision peak_precision_of(std::string_view name);

struct PeakKernel {
  PeakPrecision precision;
  InstructionSet instruction_set;

  /// Executes `iterations` trips over the accumulators, all of which stay in registers, and returns
  /// the sum of all their elements. The values are bounded for any number of trips, never denormal,
  /// and change at every instruction.
  double (*run)(std::size_t iterations);

  int accumulators;         ///< independent chains of dependent instructions
  int instructions;         ///< multiply-adds per iteration
  int ops_per_instruction;  ///< a multiply and an add count one each, for every lane

  /// Operations of one iteration (flops; integer operations for int8).
  double ops_per_iteration() const {
    return static_cast<double>(instructions) * static_cast<double>(ops_per_instruction);
  }
};

/// The kernel, or nullptr when this CPU lacks the instructions or no such kernel exists (fp16, bf16
/// and int8 exist in avx512 only; scalar needs FMA).
const PeakKernel* find_peak_kernel(PeakPrecision precision, InstructionSet instruction_set);

/// The kernel without asking whether this CPU executes it, for listing its declared work; nullptr
/// when none exists.
const PeakKernel* declared_peak_kernel(PeakPrecision precision, InstructionSet instruction_set);

}  // namespace hpclab::roofline::ceilings
