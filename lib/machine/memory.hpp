// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Memory for measurements: page-aligned, with or without huge pages, on a chosen NUMA node, touched
// first by a chosen thread, and filled with random numbers because zeros flatter.
#pragma once

#include "machine/system_root.hpp"
#include "machine/thread_team.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hpclab::machine {

enum class HugePages {
  system,  ///< as the system decides (transparent_hugepage = always, madvise or never)
  advise,  ///< ask for 2 MiB pages (MADV_HUGEPAGE); has no effect where the system says never
  never    ///< 4 KiB pages (MADV_NOHUGEPAGE)
};

/// Bytes that can still be allocated: the smaller of MemAvailable and what the memory limits of the
/// control groups (version 1 and 2, all parents) leave, page cache of the group counted as free.
std::uint64_t available_memory_bytes(const SystemRoot& root = SystemRoot());

/// Throws CaseFailed with both numbers when `bytes` exceed 90 % of what is available.
void require_memory(std::uint64_t bytes, const SystemRoot& root = SystemRoot());

/// Anonymous memory aligned to 2 MiB and not yet touched: who writes a page first decides its node.
class Buffer {
 public:
  Buffer() = default;
  /// `numa_node` (os_index) binds all pages there; throws CaseSkipped when the system refuses it,
  /// CaseFailed when memory does not suffice.
  explicit Buffer(std::size_t bytes, HugePages pages = HugePages::system,
                  std::optional<int> numa_node = std::nullopt);
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer();

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  /// The buffer as whole elements of T; a remainder below sizeof(T) is left out.
  template <typename T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), size_bytes_ / sizeof(T)};
  }

 private:
  void swap(Buffer& other) noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
  std::byte* mapping_ = nullptr;  // what mmap gave, before alignment
  std::size_t mapping_bytes_ = 0;
};

/// Elements [begin, end) of `count` that member `member` of `members` works on: contiguous shares
/// whose borders are multiples of `granularity` elements. First touch and kernels use the same
/// split.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;
};
Share share_of(std::size_t count, int member, int members, std::size_t granularity = 512);

/// Writes doubles uniform in [1,2), the same values for the same seed however the work is split
/// (splitmix64 of the index; `first_index` is the global index of values[0]).
void fill_random(std::span<double> values, std::uint64_t seed, std::size_t first_index = 0);

/// The same with every member writing its own share, so that each touches its pages first.
void fill_random(std::span<double> values, std::uint64_t seed, ThreadTeam& team);

/// Writes one byte per 4 KiB page of the buffer from `member` alone: all pages on its node.
void touch_by(const Buffer& buffer, ThreadTeam& team, int member);

}  // namespace hpclab::machine
