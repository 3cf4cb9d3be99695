// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/emulator/async_copies.hpp"

#include <cstring>

namespace hpclab::emulator {

void AsyncCopies::make(std::size_t end) {
  for (std::size_t i = 0; i < end; ++i) {
    const Copy& copy = copies_[i];
    std::memcpy(copy.destination, copy.source, copy.source_bytes);
    std::memset(static_cast<char*>(copy.destination) + copy.source_bytes, 0,
                copy.bytes - copy.source_bytes);
  }
  copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(end));
}

void AsyncCopies::wait(std::size_t pending) {
  if (group_ends_.size() <= pending) {
    return;
  }
  const std::size_t groups = group_ends_.size() - pending;
  const std::size_t end = group_ends_[groups - 1];
  make(end);
  group_ends_.erase(group_ends_.begin(), group_ends_.begin() + static_cast<std::ptrdiff_t>(groups));
  for (std::size_t& group_end : group_ends_) {
    group_end -= end;
  }
}

void AsyncCopies::wait_all() {
  make(copies_.size());
  group_ends_.clear();
}

}  // namespace hpclab::emulator
