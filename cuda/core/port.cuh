// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The only header that kernel bodies include besides ptx.cuh and other kernel headers. It gives the
// same names under nvcc (device instructions) and under the host compiler (the emulator), so that
// one source runs on both. Kernels are launched by launch() of launch.hpp, never by <<<>>>.
//
//   template <class T>
//   HPCLAB_KERNEL void scale(T* x, T factor, unsigned n) {
//     HPCLAB_SHARED(T, tile, [256]);
//     const unsigned i = block_index().x * block_size().x + thread_index().x;
//     ...
//     sync_block();
//   }
//
// On the host compiler every function marked HPCLAB_KERNEL, HPCLAB_DEVICE, HPCLAB_INLINE_DEVICE,
// HPCLAB_HOST_DEVICE or HPCLAB_TABLE carries an ABI tag: nvcc's host half has functions of the same
// name, and the linker would otherwise merge the two. HPCLAB_INLINE_DEVICE is for functions on
// arrays that must stay in registers.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#define HPCLAB_KERNEL __global__
#define HPCLAB_LAUNCH_BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define HPCLAB_DEVICE __device__ inline
#define HPCLAB_INLINE_DEVICE __device__ __forceinline__
#define HPCLAB_HOST_DEVICE __host__ __device__ inline
#define HPCLAB_TABLE inline
#define HPCLAB_SHARED(type, name, ...) __shared__ type name __VA_ARGS__
// A parameter that stays in constant memory: its elements are operands of instructions.
#define HPCLAB_CONSTANT_PARAMETER const __grid_constant__
#define HPCLAB_UNROLL _Pragma("unroll")
#define HPCLAB_NO_UNROLL _Pragma("unroll 1")
#define HPCLAB_PRAGMA(text) _Pragma(#text)
#define HPCLAB_UNROLL_BY(times) HPCLAB_PRAGMA(unroll(times))

namespace hpclab::cuda {

inline constexpr std::uint32_t full_mask = 0xffffffffu;

HPCLAB_DEVICE uint3 thread_index() {
  return threadIdx;
}
HPCLAB_DEVICE uint3 block_index() {
  return blockIdx;
}
HPCLAB_DEVICE dim3 block_size() {
  return blockDim;
}
HPCLAB_DEVICE dim3 grid_size() {
  return gridDim;
}
HPCLAB_DEVICE unsigned lane_index() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

HPCLAB_DEVICE void sync_block() {
  __syncthreads();
}
HPCLAB_DEVICE void sync_warp(std::uint32_t mask = full_mask) {
  __syncwarp(mask);
}
HPCLAB_DEVICE void sync_grid() {
  cooperative_groups::this_grid().sync();
}

template <class T>
HPCLAB_DEVICE T shuffle(std::uint32_t mask, T value, int source, int width = 32) {
  return __shfl_sync(mask, value, source, width);
}
template <class T>
HPCLAB_DEVICE T shuffle_up(std::uint32_t mask, T value, unsigned delta, int width = 32) {
  return __shfl_up_sync(mask, value, delta, width);
}
template <class T>
HPCLAB_DEVICE T shuffle_down(std::uint32_t mask, T value, unsigned delta, int width = 32) {
  return __shfl_down_sync(mask, value, delta, width);
}
template <class T>
HPCLAB_DEVICE T shuffle_xor(std::uint32_t mask, T value, int bits, int width = 32) {
  return __shfl_xor_sync(mask, value, bits, width);
}
HPCLAB_DEVICE bool vote_any(std::uint32_t mask, bool predicate) {
  return __any_sync(mask, predicate) != 0;
}
HPCLAB_DEVICE bool vote_all(std::uint32_t mask, bool predicate) {
  return __all_sync(mask, predicate) != 0;
}
HPCLAB_DEVICE std::uint32_t vote_ballot(std::uint32_t mask, bool predicate) {
  return __ballot_sync(mask, predicate);
}
template <class T>
HPCLAB_DEVICE std::uint32_t match_any(std::uint32_t mask, T value) {
  return __match_any_sync(mask, value);
}
template <class T>
HPCLAB_DEVICE std::uint32_t match_all(std::uint32_t mask, T value) {
  int equal = 0;
  return __match_all_sync(mask, value, &equal);
}
HPCLAB_DEVICE std::uint32_t active_mask() {
  return __activemask();
}
template <class T>
HPCLAB_DEVICE T reduce_add(std::uint32_t mask, T value) {
  return __reduce_add_sync(mask, value);
}
template <class T>
HPCLAB_DEVICE T reduce_min(std::uint32_t mask, T value) {
  return __reduce_min_sync(mask, value);
}
template <class T>
HPCLAB_DEVICE T reduce_max(std::uint32_t mask, T value) {
  return __reduce_max_sync(mask, value);
}
HPCLAB_DEVICE std::uint32_t reduce_and(std::uint32_t mask, std::uint32_t value) {
  return __reduce_and_sync(mask, value);
}
HPCLAB_DEVICE std::uint32_t reduce_or(std::uint32_t mask, std::uint32_t value) {
  return __reduce_or_sync(mask, value);
}
HPCLAB_DEVICE std::uint32_t reduce_xor(std::uint32_t mask, std::uint32_t value) {
  return __reduce_xor_sync(mask, value);
}

/// Start of the dynamic shared memory of the block, aligned to 128 bytes.
template <class T>
HPCLAB_DEVICE T* dynamic_shared() {
  extern __shared__ __align__(128) unsigned char hpclab_dynamic_shared[];
  return reinterpret_cast<T*>(hpclab_dynamic_shared);
}

template <class T, class U>
HPCLAB_DEVICE T atomic_add(T* address, U value) {
  return atomicAdd(address, static_cast<T>(value));
}
template <class T, class U>
HPCLAB_DEVICE T atomic_min(T* address, U value) {
  return atomicMin(address, static_cast<T>(value));
}
template <class T, class U>
HPCLAB_DEVICE T atomic_max(T* address, U value) {
  return atomicMax(address, static_cast<T>(value));
}
template <class T, class U>
HPCLAB_DEVICE T atomic_or(T* address, U value) {
  return atomicOr(address, static_cast<T>(value));
}
template <class T, class U>
HPCLAB_DEVICE T atomic_exchange(T* address, U value) {
  return atomicExch(address, static_cast<T>(value));
}
template <class T, class U, class V>
HPCLAB_DEVICE T atomic_compare_exchange(T* address, U expected, V desired) {
  return atomicCAS(address, static_cast<T>(expected), static_cast<T>(desired));
}
/// For loops that wait for another thread's store.
template <class T>
HPCLAB_DEVICE T atomic_load(const T* address) {
  return *const_cast<const volatile T*>(address);
}

}  // namespace hpclab::cuda

#else

#include "cuda/emulator/primitives.hpp"

#define HPCLAB_ABI_TAG __attribute__((abi_tag("emulator")))
#define HPCLAB_KERNEL HPCLAB_ABI_TAG inline
#define HPCLAB_LAUNCH_BOUNDS(threads, blocks)
#define HPCLAB_DEVICE HPCLAB_ABI_TAG inline
#define HPCLAB_INLINE_DEVICE HPCLAB_ABI_TAG inline
#define HPCLAB_HOST_DEVICE HPCLAB_ABI_TAG inline
#define HPCLAB_TABLE HPCLAB_ABI_TAG inline
// The address of the static names the variable: one for each site and template instance.
#define HPCLAB_SHARED(type, name, ...)   \
  static constexpr char name##_site = 0; \
  auto& name = ::hpclab::emulator::shared_variable<type __VA_ARGS__>(&name##_site, #name)
#define HPCLAB_CONSTANT_PARAMETER const
#define HPCLAB_UNROLL
#define HPCLAB_NO_UNROLL
#define HPCLAB_UNROLL_BY(times)

namespace hpclab::cuda {

using emulator::full_mask;

using emulator::block_index;
using emulator::block_size;
using emulator::grid_size;
using emulator::lane_index;
using emulator::thread_index;

using emulator::sync_block;
using emulator::sync_grid;
using emulator::sync_warp;

using emulator::active_mask;
using emulator::match_all;
using emulator::match_any;
using emulator::reduce_add;
using emulator::reduce_and;
using emulator::reduce_max;
using emulator::reduce_min;
using emulator::reduce_or;
using emulator::reduce_xor;
using emulator::shuffle;
using emulator::shuffle_down;
using emulator::shuffle_up;
using emulator::shuffle_xor;
using emulator::vote_all;
using emulator::vote_any;
using emulator::vote_ballot;

using emulator::dynamic_shared;

using emulator::atomic_add;
using emulator::atomic_compare_exchange;
using emulator::atomic_exchange;
using emulator::atomic_load;
using emulator::atomic_max;
using emulator::atomic_min;
using emulator::atomic_or;

}  // namespace hpclab::cuda

#endif
