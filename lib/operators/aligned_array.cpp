// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/aligned_array.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include <sys/mman.h>

namespace hpclab::operators {

AlignedMemory::AlignedMemory(std::size_t bytes) {
  constexpr std::size_t huge_page = 2 << 20;
  if (bytes == 0) return;
  const std::size_t alignment = bytes < huge_page ? 64 : huge_page;
  mapping_bytes_ = bytes + alignment;
  mapping_ = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) {
    mapping_ = nullptr;
    throw CaseFailed("the system refuses " + std::to_string(bytes) +
                     " B for a matrix-free operator: " + std::strerror(errno));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  const auto aligned = (address + alignment - 1) / alignment * alignment;
  data_ = static_cast<char*>(mapping_) + (aligned - address);
  // A wish: without huge pages it only runs slower.
  if (alignment == huge_page) madvise(data_, bytes, MADV_HUGEPAGE);
}

AlignedMemory::~AlignedMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

}  // namespace hpclab::operators
