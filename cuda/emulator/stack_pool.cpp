// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/emulator/stack_pool.hpp"

#include "cuda/emulator/sanitizers.hpp"

#include <new>

#include <sys/mman.h>

namespace hpclab::emulator {
namespace {

constexpr std::size_t page_bytes = 4096;
// Instrumented frames are larger.
constexpr std::size_t stack_bytes =
    HPCLAB_ADDRESS_SANITIZER || HPCLAB_THREAD_SANITIZER ? 256 * 1024 : 64 * 1024;

// Stacks at equal distances would put every thread's hot frames into the same few sets of the
// caches. Each stack therefore starts lower than its neighbour by an odd number of lines.
constexpr std::size_t colour_bytes = 9 * 64;
constexpr std::size_t colours = 28;

}  // namespace

StackPool::~StackPool() {
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    allow(stacks_[i].bottom, static_cast<std::size_t>(stacks_[i].top - stacks_[i].bottom));
    munmap(stacks_[i].bottom - page_bytes, stack_bytes);
  }
}

void StackPool::reserve(std::size_t number) {
  stacks_.reserve(number);
  while (stacks_.size() < number) {
    void* memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::bad_alloc();
    }
    mprotect(memory, page_bytes, PROT_NONE);
    char* base = static_cast<char*>(memory);
    const std::size_t colour = stacks_.size() % colours * colour_bytes;
    stacks_.push_back({base + page_bytes, base + stack_bytes - colour});
  }
}

}  // namespace hpclab::emulator
