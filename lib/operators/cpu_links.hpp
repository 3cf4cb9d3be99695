// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How batches of elements reach the groups of an assembled vector, and how parts that work at the
// same time add to groups that they share.
#pragma once

#include "operators/cpu_batch.hpp"
#include "operators/vector_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::operators {

/// The batches [begin, end) of one of several parts.
struct BatchRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
BatchRange batches_of_part(std::int64_t batches, int part, int parts);

/// A group is owned by the part of its batch; one of face nodes by the first part that adds to it.
/// A part adds to its own groups at once, and to others in a halo of its own, from which the owner
/// fetches it afterwards: no two parts write to the same place, and sums do not depend on timing.
class CpuLinks {
 public:
  /// For an assembled layout; an empty plan for element vectors.
  CpuLinks(const VectorLayout& layout, int parts);

  /// Links of a batch in the order of relations 1 to 7; those of the last end where `batches`
  /// would begin.
  const GroupLink* links(std::int64_t batch) const { return links_.data() + first_link_[batch]; }
  const std::uint8_t* counts(std::int64_t batch) const {
    return counts_.data() + batch * (relations - 1);
  }
  const ZeroRange* zero(std::int64_t batch) const { return zero_.data() + first_zero_[batch]; }
  int zero_count(std::int64_t batch) const {
    return static_cast<int>(first_zero_[batch + 1] - first_zero_[batch]);
  }

  /// Entries of the halo of a part.
  std::size_t halo_entries(int part) const { return halo_entries_[part]; }

  /// What a part fetches when all have ended: `entries` numbers from the halo of part `from`.
  struct Fetch {
    int from;
    std::int32_t halo_base;
    std::int32_t out_base;
    std::int32_t entries;
  };
  const std::vector<Fetch>& fetches(int part) const { return fetches_[part]; }
  bool any_fetch() const;

  std::uint64_t bytes() const;

 private:
  std::vector<GroupLink> links_;
  std::vector<std::size_t> first_link_;
  std::vector<std::uint8_t> counts_;
  std::vector<ZeroRange> zero_;
  std::vector<std::size_t> first_zero_;
  std::vector<std::size_t> halo_entries_;
  std::vector<std::vector<Fetch>> fetches_;
};

}  // namespace hpclab::operators
