// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Stacks of fibers: mapped once, a guard page below each, kept for the next launch of this OS
// thread.
#pragma once

#include <cstddef>
#include <vector>

namespace hpclab::emulator {

struct Stack {
  char* bottom = nullptr;  ///< lowest usable byte, just above the guard page
  char* top = nullptr;     ///< first byte past the usable part; stacks grow down from here
};

class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  /// Maps stacks until there are `number`; throws std::bad_alloc when the system refuses.
  void reserve(std::size_t number);
  const Stack& operator[](std::size_t i) const { return stacks_[i]; }
  std::size_t size() const { return stacks_.size(); }

 private:
  std::vector<Stack> stacks_;
};

}  // namespace hpclab::emulator
