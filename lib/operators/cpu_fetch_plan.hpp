// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which memory the passes over a batch fetch for later batches.
#pragma once

#include "operators/cpu_batch.hpp"
#include "operators/cpu_links.hpp"
#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/vector_layout.hpp"

#include <array>
#include <cstdint>

namespace hpclab::operators {

/// Cache lines that are fetched for a batch in the middle of a large mesh: its own nodes and, of
/// neighbours along y and z, those that it shares with them, of the input and of the output; its
/// geometry; its links. A node of a batch is
/// a cache line.
double fetched_cache_lines(const ElementOperator& element_operator, const BoxSplit& split);

/// Lines that the passes over the elements of a register contract, each of which fetches; 0 for 18
/// sweeps, which fetch nothing.
int fetching_steps(const ElementOperator& element_operator);

/// Cache lines of geometry of a batch.
double geometry_cache_lines(const ElementOperator& element_operator);

/// The lists of ranges; one object for each part, because a list lives as long as its batch.
template <typename T>
class FetchPlan {
 public:
  FetchPlan(const ElementOperator& element_operator, const VectorLayout& layout,
            const CpuLinks& links, int register_lanes);

  /// For the time in which `batch` is computed: geometry of the next batch and what it shares with
  /// neighbours, and the nodes of the one after it, whose low x-side the next one reaches. Batches
  /// from `end` on are others' work. `next_geometry` is that of the next batch.
  Fetching begin(const Batch<T>& batch, std::int64_t end, const T* next_geometry);

 private:
  void add(const void* start, std::int64_t bytes, int runs = 1, std::int64_t stride = 0);
  void add_shared(const Batch<T>& batch, std::int64_t next);

  ElementOperator operator_;
  const VectorLayout& layout_;
  const CpuLinks& links_;
  int steps_;
  int used_ = 0;
  std::int64_t total_ = 0;
  /// Own nodes, two groups along y and along z, each of two vectors; geometry, links, the end.
  std::array<FetchRange, 2 + 16 + 3> ranges_{};
};

}  // namespace hpclab::operators
