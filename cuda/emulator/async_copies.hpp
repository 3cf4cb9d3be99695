// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies of one thread (cp.async). A copy is only noted when it is issued and made
// when the thread waits for its group: the latest moment a device may take. What is read without
// a wait is therefore still poison, and a source overwritten too early is copied overwritten.
#pragma once

#include <cstddef>
#include <vector>

namespace hpclab::emulator {

class AsyncCopies {
 public:
  /// Notes a copy of `bytes`, of which `source_bytes` are read and the rest set to zero.
  void issue(void* destination, const void* source, std::size_t bytes, std::size_t source_bytes) {
    copies_.push_back({destination, source, bytes, source_bytes});
  }

  /// Closes the group of the copies issued since the last commit; it may be empty.
  void commit() { group_ends_.push_back(copies_.size()); }

  /// Makes the copies of all committed groups but the newest `pending`.
  void wait(std::size_t pending);

  /// Makes all copies, committed or not.
  void wait_all();

  /// Forgets everything: the thread has finished.
  void clear() {
    copies_.clear();
    group_ends_.clear();
  }

 private:
  struct Copy {
    void* destination;
    const void* source;
    std::size_t bytes;
    std::size_t source_bytes;
  };
  void make(std::size_t end);

  std::vector<Copy> copies_;
  std::vector<std::size_t> group_ends_;  ///< index past the last copy of each open group
};

}  // namespace hpclab::emulator
