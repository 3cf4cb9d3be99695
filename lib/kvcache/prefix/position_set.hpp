// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A set of integers below a bound with its largest member: levels of bits, each bit of a level
// saying whether a word of the level below has any. A few words a step, whatever the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::kvcache::prefix {

class PositionSet {
 public:
  explicit PositionSet(std::uint64_t bound);

  bool contains(std::uint64_t position) const {
    return (levels_[0][position / 64] >> (position % 64)) & 1;
  }
  void insert(std::uint64_t position);
  void erase(std::uint64_t position);
  std::uint64_t size() const { return size_; }
  /// Of a set that is not empty.
  std::uint64_t largest() const;

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
  std::uint64_t size_ = 0;
};

}  // namespace hpclab::kvcache::prefix
