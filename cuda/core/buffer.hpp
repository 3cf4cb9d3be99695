// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Owned memory on a machine, page-locked memory on the host, and memory that both see.
#pragma once

#include "cuda/core/runtime.hpp"

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace hpclab::cuda {

/// `size` elements on the device (or in the emulator, where they start as 0xCD bytes).
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(Runtime& runtime, std::size_t size)
      : runtime_(&runtime),
        data_(static_cast<T*>(runtime.allocate(size * sizeof(T)))),
        size_(size) {}
  /// The same with the contents of `values`.
  Buffer(Runtime& runtime, std::span<const T> values) : Buffer(runtime, values.size()) {
    upload(values);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) {
      runtime_->release(data_);
    }
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Copies from the host and waits; `values` has at most size() elements.
  void upload(std::span<const T> values) {
    runtime_->copy(data_, values.data(), values.size_bytes(), Direction::to_device, nullptr);
    runtime_->synchronize(nullptr);
  }
  /// Copies to the host and waits.
  std::vector<T> download() const {
    std::vector<T> values(size_);
    runtime_->copy(values.data(), data_, bytes(), Direction::to_host, nullptr);
    runtime_->synchronize(nullptr);
    return values;
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(runtime_, other.runtime_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Runtime* runtime_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Page-locked host memory.
class PinnedMemory {
 public:
  PinnedMemory(Runtime& runtime, std::size_t bytes)
      : runtime_(runtime), data_(runtime.allocate_pinned(bytes)), bytes_(bytes) {}
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { runtime_.release_pinned(data_); }
  void* data() { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Runtime& runtime_;
  void* data_;
  std::size_t bytes_;
};

/// Memory that host and device see at one address.
class ManagedMemory {
 public:
  ManagedMemory(Runtime& runtime, std::size_t bytes)
      : runtime_(runtime), data_(runtime.allocate_managed(bytes)), bytes_(bytes) {}
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;
  ~ManagedMemory() { runtime_.release_managed(data_); }
  void* data() { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Runtime& runtime_;
  void* data_;
  std::size_t bytes_;
};

}  // namespace hpclab::cuda
