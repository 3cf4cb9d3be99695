// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The runnable threads as a bit set with a summary word, so that insert and next cost a few
// instructions whatever the number of threads.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace hpclab::emulator {

class RunSet {
 public:
  static constexpr unsigned capacity = 64 * 64;
  static constexpr unsigned none = ~0u;

  /// Empties the set and makes room for slots 0 ... 64 * words - 1; at most `capacity` slots.
  void reset(unsigned words) {
    words_.assign(words, 0);
    summary_ = 0;
  }

  void insert(unsigned slot) { insert_word(slot / 64, std::uint64_t{1} << slot % 64); }

  void insert_word(unsigned word, std::uint64_t bits) {
    words_[word] |= bits;
    summary_ |= std::uint64_t{bits != 0} << word;
  }

  void erase(unsigned slot) {
    const unsigned word = slot / 64;
    words_[word] &= ~(std::uint64_t{1} << slot % 64);
    if (words_[word] == 0) {
      summary_ &= ~(std::uint64_t{1} << word);
    }
  }

  bool empty() const { return summary_ == 0; }
  bool contains(unsigned slot) const { return words_[slot / 64] >> slot % 64 & 1; }

  /// The lowest member at or above `slot`, else the lowest of all; `none` when empty.
  unsigned next(unsigned slot) const {
    if (summary_ == 0) {
      return none;
    }
    const unsigned word = slot / 64;
    if (word < words_.size()) {
      const std::uint64_t here = words_[word] & ~std::uint64_t{0} << slot % 64;
      if (here != 0) {
        return word * 64 + static_cast<unsigned>(std::countr_zero(here));
      }
      const std::uint64_t above = word == 63 ? 0 : summary_ & ~std::uint64_t{0} << (word + 1);
      if (above != 0) {
        return lowest_in(static_cast<unsigned>(std::countr_zero(above)));
      }
    }
    return lowest_in(static_cast<unsigned>(std::countr_zero(summary_)));
  }

  /// The highest member; `none` when empty.
  unsigned last() const {
    if (summary_ == 0) {
      return none;
    }
    const auto word = 63 - static_cast<unsigned>(std::countl_zero(summary_));
    return word * 64 + 63 - static_cast<unsigned>(std::countl_zero(words_[word]));
  }

 private:
  unsigned lowest_in(unsigned word) const {
    return word * 64 + static_cast<unsigned>(std::countr_zero(words_[word]));
  }

  std::vector<std::uint64_t> words_;
  std::uint64_t summary_ = 0;
};

}  // namespace hpclab::emulator
