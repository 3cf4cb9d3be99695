// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the passes of CpuOperator execute and move, counted per element from the kernels as they are
// written: vector instructions by kind, what a pass or a batch leaves for later ones, and what
// streams from the memory that holds the mesh.
#pragma once

#include "core/instruction_set.hpp"
#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <string>
#include <vector>

namespace hpclab::operators {

/// Instructions of one pass over the elements of a register, divided by their number.
struct PassWork {
  std::string name;
  double products = 0;   ///< multiply-adds and multiplications
  double additions = 0;  ///< and subtractions
  double divisions = 0;
  double permutes = 0;       ///< of lanes, for nodes that neighbours own
  double loads = 0;          ///< of whole registers
  double stores = 0;         ///< of whole registers
  double narrow_loads = 0;   ///< of one number: coefficients for all lanes, indices, gathered nodes
  double narrow_stores = 0;  ///< of one number
  double fetches = 0;        ///< of cache lines for later batches
};

/// Bytes that are touched again, and how many other bytes are touched in between: a cache smaller
/// than that distance has lost some of them.
struct Reuse {
  double read_bytes = 0;
  double written_bytes = 0;
  double distance = 0;
};

/// Per element and application.
struct CpuWork {
  std::vector<PassWork> passes;  ///< in the order in which they run on each batch
  /// Steps of the longest chain of dependent loads and multiply-adds from the first pass over a
  /// batch to the last, which short batches cannot hide.
  double dependent_steps = 0;
  std::vector<Reuse> reuses;          ///< between passes, and between batches that share nodes
  double streamed_read_bytes = 0;     ///< from the memory that holds the mesh
  double streamed_written_bytes = 0;  ///< to it
};

/// Counts for a mesh of this split (whose rows decide how many neighbouring groups a batch links
/// to) and instruction set.
CpuWork cpu_work(const ElementOperator& element_operator, const BoxSplit& split,
                 InstructionSet instruction_set);

/// Numbers that a register of the instruction set holds; 1 for scalar.
int register_lanes(InstructionSet instruction_set, Precision precision);

}  // namespace hpclab::operators
