// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Zeroed memory on cache line boundaries, from 2 MiB on in huge pages where the system grants them:
// kernels stream through it, and a page that is not touched has no place yet.
#pragma once

#include <cstddef>
#include <utility>

namespace hpclab::operators {

/// Anonymous pages. CaseFailed with the bytes when the system refuses them.
class AlignedMemory {
 public:
  AlignedMemory() = default;
  explicit AlignedMemory(std::size_t bytes);
  AlignedMemory(AlignedMemory&& other) noexcept { swap(other); }
  AlignedMemory& operator=(AlignedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedMemory();
  void* data() const { return data_; }

 private:
  void swap(AlignedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(mapping_, other.mapping_);
    std::swap(mapping_bytes_, other.mapping_bytes_);
  }
  void* data_ = nullptr;
  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
};

template <typename T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  T& operator[](std::size_t i) const { return data()[i]; }

 private:
  AlignedMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace hpclab::operators
