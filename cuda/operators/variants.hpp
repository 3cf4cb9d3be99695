// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The kernels that apply an element operator: which there are for an operator, and how they are
// launched. All give the same result to rounding; which is fastest is for a measurement to say.
#pragma once

#include "cuda/core/runtime.hpp"
#include "cuda/operators/element_instance.hpp"
#include "operators/element_operator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::operators {

/// node: a thread a point, many elements a block (node.cuh). slab: a thread a column, planes
/// through shared memory (slab.cuh). pencil: a thread a line, matrices in constant memory
/// (pencil.cuh). tensor: contractions by tensor cores (tensor.cuh).
enum class KernelFamily { node, slab, pencil, tensor };
const char* name_of(KernelFamily family);

struct KernelVariant {
  KernelFamily family = KernelFamily::pencil;
  int elements_per_block = 1;
  /// Pencil: blocks of the most threads that registers are limited for, so that as many fit on a
  /// multiprocessor; more threads to hide latency, or more loads in flight in each.
  int resident_blocks = 1;
  bool matrix_in_registers = false;  ///< slab: else in shared memory

  std::string text() const;
  friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};

/// Every variant that was built for `element_operator`, at least one; only pencils of 6 or 12
/// sweeps use even_odd, all others are dense. Throws CaseSkipped where none was built: kinds with
/// interpolation need quadrature = degree + 2, and the largest dense one of them even_odd.
std::vector<KernelVariant> kernel_variants(const ElementOperator& element_operator);

/// Whether the variant contracts by even and odd halves.
bool uses_even_odd(const ElementOperator& element_operator, const KernelVariant& variant);

/// What the variant's kernel was made for.
ElementInstance element_instance(const ElementOperator& element_operator,
                                 const KernelVariant& variant);

/// Threads and shared memory for `elements` elements, default stream. Throws UsageError for a block
/// that is too large.
cuda::LaunchShape launch_shape(const ElementOperator& element_operator,
                               const KernelVariant& variant, std::uint32_t elements);

}  // namespace hpclab::operators
