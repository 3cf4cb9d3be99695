// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/emulator/shared_memory.hpp"

#include "cuda/emulator/fault.hpp"
#include "cuda/emulator/sanitizers.hpp"

#include <cstring>

#include <fmt/format.h>

namespace hpclab::emulator {
namespace {

constexpr std::size_t line_bytes = 128;
// Between variables lies a gap that the address sanitizer guards; it counts towards no limit.
constexpr std::size_t gap_bytes = HPCLAB_ADDRESS_SANITIZER ? 128 : 0;
constexpr std::size_t arena_factor = HPCLAB_ADDRESS_SANITIZER ? 4 : 1;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

SharedMemory::~SharedMemory() {
  allow(arena_.data(), arena_.size() * line_bytes);
  allow(dynamic_.data(), dynamic_.size() * line_bytes);
}

void SharedMemory::begin_block(std::size_t dynamic_bytes, const Limits& limits) {
  limits_ = limits;
  if (arena_.empty()) {
    arena_.resize(round_up(limits.static_shared_bytes * arena_factor, line_bytes) / line_bytes);
    std::memset(static_cast<void*>(arena_.data()), poison_byte, arena_.size() * line_bytes);
  }
  allow(arena(), arena_used_);
  std::memset(arena(), poison_byte, arena_used_);
  forbid(arena(), arena_.size() * line_bytes);
  allow(dynamic_.data(), dynamic_.size() * line_bytes);
  const std::size_t lines = round_up(dynamic_bytes, line_bytes) / line_bytes;
  if (dynamic_.size() < lines) {
    dynamic_.resize(lines);
  }
  if (dynamic_bytes > 0) {
    std::memset(static_cast<void*>(dynamic_.data()), poison_byte, dynamic_bytes);
    forbid(dynamic_.front().bytes + dynamic_bytes, dynamic_.size() * line_bytes - dynamic_bytes);
  }
  variables_.clear();
  arena_used_ = 0;
  static_bytes_ = 0;
  dynamic_bytes_ = dynamic_bytes;
}

void* SharedMemory::variable(const void* site, std::size_t bytes, std::size_t alignment,
                             const char* name) {
  for (const Variable& v : variables_) {
    if (v.site == site) {
      return arena() + v.offset;
    }
  }
  static_bytes_ = round_up(static_bytes_, alignment) + bytes;
  if (static_bytes_ > limits_.static_shared_bytes ||
      static_bytes_ + dynamic_bytes_ > limits_.shared_bytes) {
    throw Fault(
        FaultKind::limit,
        fmt::format("shared variable '{}' of {} bytes makes {} static and {} dynamic bytes: "
                    "a block has at most {} static bytes, {} in all",
                    name, bytes, static_bytes_, dynamic_bytes_, limits_.static_shared_bytes,
                    limits_.shared_bytes));
  }
  const std::size_t offset = round_up(arena_used_, alignment);
  if (offset + bytes > arena_.size() * line_bytes) {
    throw Fault(FaultKind::limit, fmt::format("too many shared variables at '{}'", name));
  }
  arena_used_ = offset + bytes + gap_bytes;
  if (arena_used_ > arena_.size() * line_bytes) {
    arena_used_ = arena_.size() * line_bytes;
  }
  variables_.push_back({site, offset});
  allow(arena() + offset, bytes);
  return arena() + offset;
}

bool SharedMemory::contains(const void* address, std::size_t bytes) const {
  const auto* p = static_cast<const unsigned char*>(address);
  const auto within = [&](const std::vector<Line>& memory, std::size_t size) {
    if (memory.empty()) {
      return false;
    }
    const unsigned char* begin = memory.front().bytes;
    return p >= begin && p + bytes <= begin + size;
  };
  return within(arena_, arena_used_) || within(dynamic_, dynamic_bytes_);
}

}  // namespace hpclab::emulator
