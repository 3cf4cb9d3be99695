// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/instruction_set.hpp"

#include "core/error.hpp"

#include <string>

namespace hpclab {

std::string_view name(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::scalar:
      return "scalar";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      return "avx512";
  }
  return "";
}

InstructionSet instruction_set_of(std::string_view text) {
  for (const InstructionSet candidate : all_instruction_sets) {
    if (name(candidate) == text) return candidate;
  }
  throw UsageError("instruction set '" + std::string(text) +
                   "' is unknown; valid are scalar, avx2, avx512");
}

bool supported(InstructionSet instruction_set) {
  switch (instruction_set) {
    case InstructionSet::scalar:
      return true;
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
  return false;
}

}  // namespace hpclab
