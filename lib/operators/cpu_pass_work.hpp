// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of CpuOperator's passes. Each function has its kernel of the same name in
// cpu_*_passes.hpp, and changes with it.
#pragma once

#include "core/instruction_set.hpp"
#include "operators/cpu_work.hpp"
#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <vector>

namespace hpclab::operators {

/// Groups of the assembled vector that hold the nodes of a relation (bits: +x, +y, +z) of a batch
/// of `lanes` consecutive elements: one where the neighbours keep their lanes, else two.
int links_of_relation(int bits, const BoxSplit& split, int lanes);

/// Nodes of an element that belong to that relation.
double nodes_of_relation(int bits, int degree);

/// Instructions of each pass on the elements of one register.
std::vector<PassWork> pass_work(const ElementOperator& element_operator, const BoxSplit& split,
                                InstructionSet instruction_set);

}  // namespace hpclab::operators
