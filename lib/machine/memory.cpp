// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/memory.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpclab::machine {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t page_bytes = 4096;

void bind_to_node(std::byte* data, std::size_t bytes, int node) {
  constexpr int mode_bind = 2;  // MPOL_BIND of <linux/mempolicy.h>
  constexpr std::size_t max_nodes = 1024;
  std::array<unsigned long, max_nodes / (8 * sizeof(unsigned long))> mask{};
  const auto index = static_cast<std::size_t>(node);
  if (node < 0 || index >= max_nodes) {
    throw CaseSkipped(fmt::format("NUMA node {} does not exist on this machine", node));
  }
  constexpr std::size_t word_bits = 8 * sizeof(unsigned long);
  mask[index / word_bits] = 1ul << (index % word_bits);
  if (syscall(SYS_mbind, data, bytes, mode_bind, mask.data(), max_nodes + 1, 0u) != 0) {
    throw CaseSkipped(
        fmt::format("memory cannot be bound to NUMA node {}: {}", node, std::strerror(errno)));
  }
}

std::uint64_t splitmix64(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

void require_memory(std::uint64_t bytes, const SystemRoot& root) {
  const std::uint64_t available = available_memory_bytes(root);
  if (static_cast<double>(bytes) <= 0.9 * static_cast<double>(available)) return;
  throw CaseFailed(
      fmt::format("{:.2f} GiB of memory needed, {:.2f} GiB available here (90 % of it may be used; "
                  "MemAvailable and control group limits count)",
                  static_cast<double>(bytes) / 0x1p30, static_cast<double>(available) / 0x1p30));
}

Buffer::Buffer(std::size_t bytes, HugePages pages, std::optional<int> numa_node) {
  if (bytes == 0) return;
  require_memory(bytes);
  const std::size_t whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  mapping_bytes_ = whole + huge_page_bytes;
  void* mapping = mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    throw CaseFailed(fmt::format("cannot map {:.2f} GiB of memory: {}",
                                 static_cast<double>(bytes) / 0x1p30, std::strerror(errno)));
  }
  mapping_ = static_cast<std::byte*>(mapping);
  const auto address = reinterpret_cast<std::uintptr_t>(mapping_);
  data_ = mapping_ + (huge_page_bytes - address % huge_page_bytes) % huge_page_bytes;
  size_bytes_ = bytes;
  // Advice is refused by kernels built without transparent huge pages; pages are then 4 KiB anyway.
  if (pages == HugePages::advise) madvise(data_, whole, MADV_HUGEPAGE);
  if (pages == HugePages::never) madvise(data_, whole, MADV_NOHUGEPAGE);
  if (numa_node) {
    try {
      bind_to_node(data_, whole, *numa_node);
    } catch (...) {
      munmap(mapping_, mapping_bytes_);
      throw;
    }
  }
}

Buffer::~Buffer() {
  if (mapping_) munmap(mapping_, mapping_bytes_);
}

void Buffer::swap(Buffer& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
}

Share share_of(std::size_t count, int member, int members, std::size_t granularity) {
  const std::size_t blocks = (count + granularity - 1) / granularity;
  const auto n = static_cast<std::size_t>(members), i = static_cast<std::size_t>(member);
  const auto border = [&](std::size_t k) { return std::min(count, blocks * k / n * granularity); };
  return {border(i), border(i + 1)};
}

void fill_random(std::span<double> values, std::uint64_t seed, std::size_t first_index) {
  const std::uint64_t stream = splitmix64(seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = splitmix64(stream + first_index + i);
    // 52 random fraction bits under the exponent of 1.0 are uniform in [1,2).
    const std::uint64_t pattern = (bits >> 12) | 0x3ff0000000000000ull;
    std::memcpy(&values[i], &pattern, sizeof pattern);
  }
}

void fill_random(std::span<double> values, std::uint64_t seed, ThreadTeam& team) {
  team.run([&](int member) {
    const Share share = share_of(values.size(), member, team.size());
    fill_random(values.subspan(share.begin, share.end - share.begin), seed, share.begin);
  });
}

void touch_by(const Buffer& buffer, ThreadTeam& team, int member) {
  if (member < 0 || member >= team.size()) {
    throw UsageError(
        fmt::format("member {} of a team of {} cannot touch memory", member, team.size()));
  }
  team.run([&](int self) {
    if (self != member) return;
    volatile std::byte* page = buffer.data();
    for (std::size_t i = 0; i < buffer.size_bytes(); i += page_bytes) page[i] = std::byte{1};
  });
}

}  // namespace hpclab::machine
