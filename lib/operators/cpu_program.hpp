// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which passes make up an operator, and the one-dimensional matrices that they need.
#pragma once

#include "core/instruction_set.hpp"
#include "operators/cpu_batch.hpp"
#include "operators/cpu_pass_tables.hpp"
#include "operators/element_operator.hpp"

#include <vector>

namespace hpclab::operators {

/// Passes in the order in which they run on the lanes of each register; the first reads the input,
/// the last adds to the output.
template <typename T>
struct Program {
  Pass<T> before_batch = nullptr;  ///< runs once a batch, before them; may be absent
  std::vector<Pass<T>> passes;
};

/// The passes that a program is put together from, all of one instruction set.
template <typename T>
struct PassTables {
  const TransferTable<T>& transfer;
  const GradientTable<T>& gradient;
  const InterpolationTable<T>& interpolation;
  const SweepTable<T>& sweep;
};
template <typename T>
Program<T> program_from(const PassTables<T>& tables, const ElementOperator& element_operator);
template <typename T>
Program<T> program_of(const ElementOperator& element_operator, InstructionSet isa);

/// Numbers of type T that a register of the instruction set holds: lanes that the passes work on.
template <typename T>
int register_lanes(InstructionSet isa);

/// Owns the matrices of an operator.
template <typename T>
class OperatorTables {
 public:
  explicit OperatorTables(const ElementOperator& element_operator);
  OperatorTables(OperatorTables&&) noexcept = default;
  const Tables<T>& tables() const { return tables_; }

 private:
  std::vector<T> numbers_;
  Tables<T> tables_{};
};

}  // namespace hpclab::operators
