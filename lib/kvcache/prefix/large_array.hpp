// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Arrays for tables that are hit at random: zero at first, on huge pages once they are large, so
// that neither page faults nor the translation of addresses cost more than the work.
#pragma once

#include "machine/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hpclab::kvcache::prefix {

template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LargeArray() = default;
  /// All bytes are zero. CaseFailed when memory does not suffice.
  explicit LargeArray(std::size_t size) {
    if (size * sizeof(T) < huge_page) {
      small_.resize(size);
      items_ = small_;
    } else {
      large_ = machine::Buffer(size * sizeof(T), machine::HugePages::advise);
      items_ = large_.as<T>();
    }
  }

  std::size_t size() const { return items_.size(); }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() const { return items_.data(); }
  T* end() const { return items_.data() + items_.size(); }

  /// Keeps the items there are; new ones are zero.
  void grow(std::size_t size) {
    LargeArray larger(size);
    std::copy(begin(), end(), larger.begin());
    *this = std::move(larger);
  }

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20;

  std::vector<T> small_;
  machine::Buffer large_;
  std::span<T> items_;
};

}  // namespace hpclab::kvcache::prefix
