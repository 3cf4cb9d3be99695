// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A mass matrix or Laplacian applied on the processor without a matrix: sum factorisation over
// batches of elements, one element a vector lane.
#pragma once

#include "core/instruction_set.hpp"
#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/vector_layout.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace hpclab::operators {

/// Calls task(part) for every part, if possible at once on threads of its own, and returns when all
/// have ended. The same part is best run on the same core each time: its memory is touched first
/// there.
using RunParts = std::function<void(const std::function<void(int)>& task)>;

/// out = A in, where A is the operator on the mesh, without boundary conditions. Vectors lie as
/// `layout()` says; 64-byte alignment is not needed, but faster.
class CpuOperator {
 public:
  /// Splits the batches of elements into `parts` contiguous ranges (threads) and computes the
  /// geometry, with `run` when given, else all parts in turn. UsageError for an operator that does
  /// not exist (see require_valid) or an instruction set that this processor lacks; CaseFailed for
  /// elements that are folded or, with affine geometry, no parallelepipeds, and when memory does
  /// not suffice.
  CpuOperator(const ElementOperator& element_operator, const HexMesh& mesh,
              InstructionSet instruction_set, int parts = 1, const RunParts& run = {});
  CpuOperator(CpuOperator&&) noexcept;
  CpuOperator& operator=(CpuOperator&&) noexcept;
  ~CpuOperator();

  const ElementOperator& element_operator() const;
  InstructionSet instruction_set() const;
  const VectorLayout& layout() const;
  int parts() const;

  /// The whole operator, all parts in turn on the calling thread. `in` and `out` have
  /// layout().entries() numbers of the operator's precision and do not overlap; `out` need not be
  /// initialised.
  void apply(std::span<const double> in, std::span<double> out);
  void apply(std::span<const float> in, std::span<float> out);
  /// The same, with two (one when nothing is shared between parts) calls of `run`.
  void apply(std::span<const double> in, std::span<double> out, const RunParts& run);
  void apply(std::span<const float> in, std::span<float> out, const RunParts& run);

  /// For callers with threads of their own: first apply_part for all parts, at once or in any
  /// order; when all have ended, and if needs_exchange(), exchange_part for all parts, at once or
  /// in any order. Results do not depend on the order.
  void apply_part(int part, std::span<const double> in, std::span<double> out);
  void apply_part(int part, std::span<const float> in, std::span<float> out);
  bool needs_exchange() const;
  void exchange_part(int part, std::span<double> out);
  void exchange_part(int part, std::span<float> out);

  /// Bytes that the operator holds (geometry, maps, work space), vectors not included.
  std::uint64_t bytes() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Bytes of geometry, maps and work space of one part plus two vectors, to compare with what is
/// available before anything is allocated.
std::uint64_t cpu_operator_bytes(const ElementOperator& element_operator, const BoxSplit& split);

}  // namespace hpclab::operators
