// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A hash table from block ids to 32-bit numbers, made for hundreds of millions of look-ups: open
// addressing with linear probing, 12 bytes an entry, deletion without tombstones. Ids that follow
// one another lie side by side, because traces number their blocks that way.
#pragma once

#include "kvcache/prefix/large_array.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace hpclab::kvcache::prefix {

class BlockTable {
 public:
  /// What an entry without a number holds; no caller stores it.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  BlockTable() : entries_(fewest) {}

  std::size_t size() const { return size_; }

  /// Room for `more` further ids, so that places stay valid while they are inserted. Calls
  /// `moved(number, place)` for every entry when the table had to grow.
  template <class Moved>
  void reserve(std::size_t more, Moved moved) {
    std::size_t wanted = entries_.size();
    while (size_ + more > wanted / 4 * 3) wanted *= wanted < many ? 2 : 4;
    if (wanted == entries_.size()) return;
    const LargeArray<Entry> old = std::exchange(entries_, LargeArray<Entry>(wanted));
    for (const Entry& entry : old) {
      if (entry.number() == none) continue;
      const std::size_t place = probe(entry.id);
      entries_[place] = entry;
      moved(entry.number(), place);
    }
  }

  void prefetch(std::uint64_t id) const { __builtin_prefetch(&entries_[home_of(id)]); }

  void prefetch_place(std::size_t place) const { __builtin_prefetch(&entries_[place], 1); }

  /// Where the id stands, or where it would: number(place) is `none` then.
  std::size_t probe(std::uint64_t id) const {
    std::size_t place = home_of(id);
    while (entries_[place].number() != none && entries_[place].id != id) place = next(place);
    return place;
  }
  std::uint32_t number(std::size_t place) const { return entries_[place].number(); }
  std::uint64_t id(std::size_t place) const { return entries_[place].id; }
  void set_number(std::size_t place, std::uint32_t number) { entries_[place].set_number(number); }
  /// Fills the empty place that probe(id) gave.
  void insert(std::size_t place, std::uint64_t id, std::uint32_t number) {
    entries_[place].id = id;
    entries_[place].set_number(number);
    ++size_;
  }
  /// Empties a place; entries that its id pushed on move back, and `moved(number, place)` is called
  /// for each of them (Knuth, The Art of Computer Programming 3, 6.4, algorithm R).
  template <class Moved>
  void erase(std::size_t place, Moved moved) {
    std::size_t hole = place;
    for (std::size_t i = next(place); entries_[i].number() != none; i = next(i)) {
      const std::size_t home = home_of(entries_[i].id);
      // The entry may move into the hole unless its home lies cyclically in (hole, i].
      if (((i - home) & mask()) < ((i - hole) & mask())) continue;
      entries_[hole] = entries_[i];
      moved(entries_[hole].number(), hole);
      hole = i;
    }
    entries_[hole].set_number(none);
    --size_;
  }

 private:
  // An array of zeros is an empty table.
  struct [[gnu::packed]] Entry {
    std::uint64_t id;
    std::uint32_t number_plus_one;

    std::uint32_t number() const { return number_plus_one - 1; }
    void set_number(std::uint32_t number) { number_plus_one = number + 1; }
  };
  static constexpr std::size_t fewest = 1024;
  // Fresh memory costs more than its use: large tables move seldom.
  static constexpr std::size_t many = std::size_t{1} << 16;

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t place) const { return (place + 1) & mask(); }
  // Four neighbours share a home region; regions are scattered by multiplication (Knuth 6.4).
  std::size_t home_of(std::uint64_t id) const {
    const std::uint64_t region = (id >> 2) * 0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(((region ^ (region >> 32)) << 2) | (id & 3)) & mask();
  }

  LargeArray<Entry> entries_;  // a power of two of them
  std::size_t size_ = 0;
};

}  // namespace hpclab::kvcache::prefix
