// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Instructions that have no name in CUDA C++, each with a meaning in C++ for the emulator:
// asynchronous copies (PTX cp.async), loads and stores that say which caches keep the line, and the
// tensor cores' product of doubles (PTX mma).
#pragma once

#include "cuda/core/port.cuh"
#include "cuda/core/vector_types.hpp"

namespace hpclab::cuda {

#if defined(__CUDACC__)

/// Copies `bytes` (4, 8 or 16) from global to shared memory in the background; both addresses are
/// aligned to `bytes`. Only `source_bytes` are read, the rest becomes zero.
template <int bytes>
HPCLAB_DEVICE void async_copy(void* shared, const void* global, unsigned source_bytes = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global),
                 "r"(source_bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(bytes),
                 "r"(source_bytes)
                 : "memory");
  }
}
/// Closes the group of copies issued since the last commit; it may be empty.
HPCLAB_DEVICE void async_copy_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// Waits until at most the newest `pending` groups are under way. Only this thread's copies: a
/// barrier must follow before other threads read them.
template <int pending>
HPCLAB_DEVICE void async_copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Loads past the L1 cache (cached in L2 only): what measures L2 and DRAM must not find lines in
/// L1.
HPCLAB_DEVICE Words4 load_past_l1(const Words4* address) {
  const uint4 v = __ldcg(reinterpret_cast<const uint4*>(address));
  return {v.x, v.y, v.z, v.w};
}
HPCLAB_DEVICE Doubles2 load_past_l1(const Doubles2* address) {
  const double2 v = __ldcg(reinterpret_cast<const double2*>(address));
  return {v.x, v.y};
}
HPCLAB_DEVICE std::uint32_t load_past_l1(const std::uint32_t* address) {
  return __ldcg(address);
}
/// Stores past the L1 cache.
HPCLAB_DEVICE void store_past_l1(Words4* address, Words4 v) {
  __stcg(reinterpret_cast<uint4*>(address), make_uint4(v.x, v.y, v.z, v.w));
}
HPCLAB_DEVICE void store_past_l1(Doubles2* address, Doubles2 v) {
  __stcg(reinterpret_cast<double2*>(address), make_double2(v.x, v.y));
}

/// c += a b for matrices of 8 x 4 and 4 x 8 doubles that the lanes of a full warp hold together:
/// lane l has a(l / 4, l % 4), b(l % 4, l / 4), and of c (l / 4, 2 (l % 4)) and its right
/// neighbour.
HPCLAB_DEVICE void multiply_add_8x8x4(Doubles2& c, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c.x), "+d"(c.y)
      : "d"(a), "d"(b));
}

#else

HPCLAB_DEVICE void multiply_add_8x8x4(Doubles2& c, double a, double b) {
  const int lane = static_cast<int>(lane_index());
  const int row = lane / 4, column = lane % 4 * 2;
  for (int k = 0; k < 4; ++k) {
    const double from_a = shuffle(full_mask, a, row * 4 + k);
    c.x += from_a * shuffle(full_mask, b, column * 4 + k);
    c.y += from_a * shuffle(full_mask, b, (column + 1) * 4 + k);
  }
}

template <int bytes>
HPCLAB_DEVICE void async_copy(void* shared, const void* global, unsigned source_bytes = bytes,
                              const emulator::Location& where = emulator::Location::current()) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async moves 4, 8 or 16 bytes");
  emulator::Engine::current().async_copy(shared, global, bytes, source_bytes, where);
}
HPCLAB_DEVICE void async_copy_commit() {
  emulator::Engine::current().running().copies.commit();
}
template <int pending>
HPCLAB_DEVICE void async_copy_wait() {
  emulator::Engine::current().running().copies.wait(pending);
}

template <class T>
HPCLAB_DEVICE T load_past_l1(const T* address) {
  return *address;
}
template <class T>
HPCLAB_DEVICE void store_past_l1(T* address, T value) {
  *address = value;
}

#endif

}  // namespace hpclab::cuda
