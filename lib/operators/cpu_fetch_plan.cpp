// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_fetch_plan.hpp"

#include "operators/cpu_geometry.hpp"
#include "operators/cpu_pass_work.hpp"
#include "operators/element_work.hpp"

#include <cstddef>

namespace hpclab::operators {
namespace {

/// Nodes a direction of which a batch is the owner.
int own_nodes(const ElementOperator& o) {
  return is_assembled(o.kind) ? o.degree : o.nodes();
}

/// Relations whose nodes are fetched: whole sides that the next row or plane of elements owns.
/// Along x it is the next batch, whose own nodes are fetched; edges and corners are few.
constexpr int along_y = 2, along_z = 4;

}  // namespace

int fetching_steps(const ElementOperator& o) {
  if (o.sweeps == 18) return 0;
  double lines = 0;
  for (const Contraction& sweep : contractions(o)) lines += sweep.lines;
  return static_cast<int>(lines);
}

double geometry_cache_lines(const ElementOperator& o) {
  return static_cast<double>(geometry_entries(o)) * bytes_of(o.precision) / cache_line_bytes;
}

double fetched_cache_lines(const ElementOperator& o, const BoxSplit& split) {
  if (o.sweeps == 18) return 0;
  const double own = own_nodes(o);
  double lines = geometry_cache_lines(o) + 2 * own * own * own;
  if (!is_assembled(o.kind)) return lines;
  int links = 0;
  for (int bits = 1; bits < relations; ++bits) {
    const int of_relation = links_of_relation(bits, split, lanes_of(o.precision));
    links += of_relation;
    if (bits == along_y || bits == along_z) lines += 2 * of_relation * own * own;
  }
  return lines + static_cast<double>(links * sizeof(GroupLink) / cache_line_bytes);
}

template <typename T>
FetchPlan<T>::FetchPlan(const ElementOperator& o, const VectorLayout& layout, const CpuLinks& links,
                        int register_lanes)
    : operator_(o),
      layout_(layout),
      links_(links),
      steps_(fetching_steps(o) * (layout.lanes() / register_lanes)) {}

template <typename T>
void FetchPlan<T>::add(const void* start, std::int64_t bytes, int runs, std::int64_t stride) {
  const auto lines = static_cast<std::int32_t>(bytes / cache_line_bytes);
  if (lines == 0 || used_ + 1 == static_cast<int>(ranges_.size())) return;
  ranges_[used_++] = {static_cast<const char*>(start), lines, runs,
                      static_cast<std::int32_t>(stride)};
  total_ += std::int64_t{lines} * runs;
}

template <typename T>
void FetchPlan<T>::add_shared(const Batch<T>& batch, std::int64_t next) {
  const int degree = operator_.degree;
  const std::int64_t row = static_cast<std::int64_t>(degree) * layout_.lanes() * sizeof(T);
  const GroupLink* link = links_.links(next);
  const std::uint8_t* counts = links_.counts(next);
  for (int bits = 1; bits <= along_z; ++bits)
    for (int i = 0; i < counts[bits - 1]; ++i, ++link) {
      if (bits != along_y && bits != along_z) continue;
      const std::int64_t stride = link->stride[bits == along_z ? 1 : 2] * sizeof(T);
      add(batch.in + link->in_base, row, degree, stride);
      add((link->in_halo != 0 ? batch.halo : batch.out) + link->out_base, row, degree, stride);
    }
}

template <typename T>
Fetching FetchPlan<T>::begin(const Batch<T>& batch, std::int64_t end, const T* next_geometry) {
  const std::int64_t next = batch.number + 1;
  if (steps_ == 0 || next >= end) return {};
  used_ = 0;
  total_ = 0;
  const std::int64_t size = own_nodes(operator_);
  const std::int64_t own = size * size * size * layout_.lanes();
  if (layout_.assembled()) add_shared(batch, next);
  if (next + 1 < end) {
    add(batch.in + (next + 1) * own, own * sizeof(T));
    add(batch.out + (next + 1) * own, own * sizeof(T));
    if (layout_.assembled())
      add(links_.links(next + 1),
          (links_.links(next + 2) - links_.links(next + 1)) * sizeof(GroupLink));
  }
  add(next_geometry, geometry_entries(operator_) * sizeof(T));
  ranges_[used_] = {};
  Fetching fetching;
  fetching.rate = static_cast<std::int32_t>((total_ + steps_ - 1) / steps_);
  fetching.range = ranges_.data();
  fetching.at = ranges_[0].start;
  fetching.left = ranges_[0].cache_lines;
  if (fetching.left == 0) fetching.rate = 0;
  return fetching;
}

template class FetchPlan<double>;
template class FetchPlan<float>;

}  // namespace hpclab::operators
