// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The instruction sets that CPU kernels are written for.
#pragma once

#include <array>
#include <string_view>

namespace hpclab {

/// Width of the arithmetic and of the loads and stores. `scalar` is one fp64 or fp32 at a time, so
/// that the gain of the vector units can be read from the ratio.
enum class InstructionSet { scalar, avx2, avx512 };

inline constexpr std::array all_instruction_sets = {InstructionSet::scalar, InstructionSet::avx2,
                                                    InstructionSet::avx512};

/// "scalar", "avx2", "avx512".
std::string_view name(InstructionSet instruction_set);

/// The instruction set of that name. Throws UsageError that lists the valid names.
InstructionSet instruction_set_of(std::string_view name);

/// Whether CPU and operating system (saved registers) execute it: AVX2 with FMA; AVX-512 F, DQ, BW
/// and VL.
bool supported(InstructionSet instruction_set);

}  // namespace hpclab
