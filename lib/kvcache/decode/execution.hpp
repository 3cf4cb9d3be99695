// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A decode step of one layer on the processor, by a team of threads.
#pragma once

#include "core/instruction_set.hpp"
#include "kvcache/decode/paged_cache.hpp"
#include "kvcache/decode/schedule.hpp"
#include "machine/thread_team.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::decode {

class CpuDecode {
 public:
  /// `pair_products`: bf16 by dot products of pairs where the processor has them.
  CpuDecode(const PagedCache& cache, std::vector<float> queries, machine::ThreadTeam& team,
            InstructionSet isa, bool pair_products, Partition partition);

  /// Seconds of `repeats` steps: all spans, then the merge of heads that were split.
  double run_s(std::size_t repeats);
  /// Seconds of `repeats` readings of the whole pool in order, every member its share: nothing but
  /// loads. The bandwidth that attention is compared with.
  double read_s(std::size_t repeats);

  /// [sequence][query_head][value_dim] of the last step.
  const std::vector<float>& result() const { return result_; }
  /// Largest error_ratio() of the heads compared: all, or as many, evenly spread, as take about
  /// `most_products` multiply-adds. `compared` counts them.
  double error(double most_products, std::uint64_t& compared) const;
  /// What errors are expected to stay below.
  double tolerance() const { return pair_products_ ? 1.0 / 64 : 2e-5; }

 private:
  void one_member(int member);
  void merge(const Merge& merge);

  const PagedCache& cache_;
  std::vector<float> queries_;
  machine::ThreadTeam& team_;
  bool pair_products_;
  SpanBody span_;
  ReadBody read_;
  Schedule schedule_;
  std::vector<float> sums_, maxima_, totals_;  // by slot
  std::vector<machine::Buffer> scratch_;
  std::vector<float> result_;
};

/// Whether this processor multiplies pairs of bf16.
bool has_pair_products();

}  // namespace hpclab::kvcache::decode
