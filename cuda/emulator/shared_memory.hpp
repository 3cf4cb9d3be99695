// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Shared memory of one block. Every block starts with all bytes 0xCD, so that a value left by the
// block before, or read ahead of its write, shows up as garbage and not as nearly the right answer.
#pragma once

#include "cuda/emulator/types.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::emulator {

inline constexpr unsigned char poison_byte = 0xCD;

class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&&) = default;
  ~SharedMemory();

  /// Starts a block with `dynamic_bytes` of dynamic shared memory; everything is poisoned again.
  void begin_block(std::size_t dynamic_bytes, const Limits& limits);

  /// The static variable that `site` identifies; the first thread of the block to ask makes it.
  /// Throws Fault(limit) when static memory would exceed 48 KiB, or all of it the block's limit.
  void* variable(const void* site, std::size_t bytes, std::size_t alignment, const char* name);

  void* dynamic() { return dynamic_.data(); }
  std::size_t dynamic_bytes() const { return dynamic_bytes_; }
  std::size_t static_bytes() const { return static_bytes_; }
  bool contains(const void* address, std::size_t bytes) const;

 private:
  struct Line {
    alignas(128) unsigned char bytes[128];
  };
  struct Variable {
    const void* site;
    std::size_t offset;
  };
  unsigned char* arena() { return arena_.front().bytes; }

  std::vector<Line> arena_;
  std::vector<Line> dynamic_;
  std::vector<Variable> variables_;
  Limits limits_;
  std::size_t arena_used_ = 0;
  std::size_t static_bytes_ = 0;
  std::size_t dynamic_bytes_ = 0;
};

}  // namespace hpclab::emulator
