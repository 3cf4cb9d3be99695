// hpclab: SPDX-License-Identifier: Apache-2.0
//
// operator_race NAME=VALUE...
#pragma once

#include "core/instruction_set.hpp"
#include "operators/element_operator.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hpclab::race {

struct Options {
  operators::ElementOperator element_operator;  ///< kind=bp5 geometry=stored even_odd=1
  InstructionSet isa = InstructionSet::avx512;  ///< isa=avx512
  std::vector<int> degrees = {4, 5, 6};         ///< degrees=4,5,6
  std::vector<double> mebibytes = {8};          ///< mib=8,512: vectors and geometry together
  int rounds = 15;                              ///< rounds=15
  double burst_s = 0.02;                        ///< burst=0.02
  std::size_t ceiling_bytes = 512 << 20;  ///< ceiling_mib=512: array of the bandwidth ceilings
  std::string backend;                    ///< backend=/cpu/self/avx/blocked: no peer if empty
  std::string json, text;                 ///< json=FILE text=FILE
};

/// Throws UsageError for a name or value that does not exist.
Options parse(int count, char** arguments);

}  // namespace hpclab::race
