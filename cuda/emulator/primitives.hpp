// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What kernels call when they run on the emulator. cuda/core/port.cuh gives these the same names as
// their device counterparts; the last argument takes the place of the call by itself.
#pragma once

#include "cuda/emulator/engine.hpp"

#include <bit>
#include <cstring>
#include <source_location>
#include <type_traits>

namespace hpclab::emulator {

using Location = std::source_location;
inline constexpr std::uint32_t full_mask = 0xffffffffu;

inline Dim3 thread_index() {
  return Engine::current().running().index;
}
inline Dim3 block_index() {
  return Engine::current().running().block->index;
}
inline Dim3 block_size() {
  return Engine::current().launch().block;
}
inline Dim3 grid_size() {
  return Engine::current().launch().grid;
}
inline unsigned lane_index() {
  return Engine::current().running().lane;
}

inline void sync_block(const Location& where = Location::current()) {
  Engine::current().sync_block(where);
}
inline void sync_warp(std::uint32_t mask = full_mask, const Location& where = Location::current()) {
  Engine::current().warp_operation(Operation::warp_barrier, mask, 0, 0, where);
}
inline void sync_grid(const Location& where = Location::current()) {
  Engine::current().sync_grid(where);
}

/// Values that warp operations exchange: plain data of at most 8 bytes.
template <class T>
concept WarpValue = std::is_trivially_copyable_v<T> && sizeof(T) <= 8;

template <WarpValue T>
std::uint64_t to_bits(const T& value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <WarpValue T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <WarpValue T>
T shuffle_from(std::uint32_t mask, T value, unsigned source, const Location& where) {
  return from_bits<T>(Engine::current().warp_operation(Operation::shuffle, mask, to_bits(value),
                                                       source % warp_size, where));
}

/// Value of lane `source` of the caller's segment of `width` lanes (a power of two).
template <WarpValue T>
T shuffle(std::uint32_t mask, T value, int source, int width = 32,
          const Location& where = Location::current()) {
  const unsigned segment = lane_index() & ~static_cast<unsigned>(width - 1);
  return shuffle_from(mask, value,
                      segment + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)),
                      where);
}
/// Value of the lane `delta` below; the caller's own where that leaves the segment.
template <WarpValue T>
T shuffle_up(std::uint32_t mask, T value, unsigned delta, int width = 32,
             const Location& where = Location::current()) {
  const unsigned lane = lane_index();
  const unsigned in_segment = lane & static_cast<unsigned>(width - 1);
  return shuffle_from(mask, value, in_segment < delta ? lane : lane - delta, where);
}
/// Value of the lane `delta` above; the caller's own where that leaves the segment.
template <WarpValue T>
T shuffle_down(std::uint32_t mask, T value, unsigned delta, int width = 32,
               const Location& where = Location::current()) {
  const unsigned lane = lane_index();
  const unsigned in_segment = lane & static_cast<unsigned>(width - 1);
  const bool inside = in_segment + delta < static_cast<unsigned>(width);
  return shuffle_from(mask, value, inside ? lane + delta : lane, where);
}
/// Value of lane (own xor `bits`); the caller's own where that lies in a later segment.
template <WarpValue T>
T shuffle_xor(std::uint32_t mask, T value, int bits, int width = 32,
              const Location& where = Location::current()) {
  const unsigned lane = lane_index();
  const unsigned source = lane ^ static_cast<unsigned>(bits);
  const unsigned end = (lane & ~static_cast<unsigned>(width - 1)) + static_cast<unsigned>(width);
  return shuffle_from(mask, value, source < end ? source : lane, where);
}

inline bool vote_any(std::uint32_t mask, bool predicate,
                     const Location& where = Location::current()) {
  return Engine::current().warp_operation(Operation::vote_any, mask, predicate, 0, where) != 0;
}
inline bool vote_all(std::uint32_t mask, bool predicate,
                     const Location& where = Location::current()) {
  return Engine::current().warp_operation(Operation::vote_all, mask, predicate, 0, where) != 0;
}
inline std::uint32_t vote_ballot(std::uint32_t mask, bool predicate,
                                 const Location& where = Location::current()) {
  return static_cast<std::uint32_t>(
      Engine::current().warp_operation(Operation::vote_ballot, mask, predicate, 0, where));
}
template <WarpValue T>
std::uint32_t match_any(std::uint32_t mask, T value, const Location& where = Location::current()) {
  return static_cast<std::uint32_t>(
      Engine::current().warp_operation(Operation::match_any, mask, to_bits(value), 0, where));
}
/// The mask where all lanes hold the same value, else 0.
template <WarpValue T>
std::uint32_t match_all(std::uint32_t mask, T value, const Location& where = Location::current()) {
  return static_cast<std::uint32_t>(
      Engine::current().warp_operation(Operation::match_all, mask, to_bits(value), 0, where));
}
inline std::uint32_t active_mask(const Location& where = Location::current()) {
  return Engine::current().active_mask(where);
}

/// 32-bit integers, as the device's reduction instructions.
template <class T>
concept Reducible = std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>;

template <Reducible T>
T reduce_with(Operation operation, std::uint32_t mask, T value, const Location& where) {
  return from_bits<T>(Engine::current().warp_operation(operation, mask, to_bits(value), 0, where));
}
template <Reducible T>
T reduce_add(std::uint32_t mask, T value, const Location& where = Location::current()) {
  return reduce_with(Operation::reduce_add, mask, value, where);
}
template <Reducible T>
T reduce_min(std::uint32_t mask, T value, const Location& where = Location::current()) {
  return reduce_with(
      std::is_signed_v<T> ? Operation::reduce_min_signed : Operation::reduce_min_unsigned, mask,
      value, where);
}
template <Reducible T>
T reduce_max(std::uint32_t mask, T value, const Location& where = Location::current()) {
  return reduce_with(
      std::is_signed_v<T> ? Operation::reduce_max_signed : Operation::reduce_max_unsigned, mask,
      value, where);
}
inline std::uint32_t reduce_and(std::uint32_t mask, std::uint32_t value,
                                const Location& where = Location::current()) {
  return reduce_with(Operation::reduce_and, mask, value, where);
}
inline std::uint32_t reduce_or(std::uint32_t mask, std::uint32_t value,
                               const Location& where = Location::current()) {
  return reduce_with(Operation::reduce_or, mask, value, where);
}
inline std::uint32_t reduce_xor(std::uint32_t mask, std::uint32_t value,
                                const Location& where = Location::current()) {
  return reduce_with(Operation::reduce_xor, mask, value, where);
}

/// Static shared memory: the same storage for every thread of the block that passes this site.
template <class T>
T& shared_variable(const void* site, const char* name) {
  static_assert(std::is_trivially_destructible_v<std::remove_all_extents_t<T>>);
  constexpr std::size_t alignment = alignof(T) < 16 ? 16 : alignof(T);
  return *static_cast<T*>(
      Engine::current().running().block->shared.variable(site, sizeof(T), alignment, name));
}

/// Start of the dynamic shared memory of the block, aligned to 128 bytes.
template <class T>
T* dynamic_shared() {
  return static_cast<T*>(Engine::current().running().block->shared.dynamic());
}

// Atomics return the old value. Only one thread runs at a time, so that plain operations are
// atomic; random schedules change threads around them.
template <class T, class Change>
T atomic_change(T* address, Change change) {
  Engine::current().yield_if_random();
  const T old = *address;
  *address = change(old);
  return old;
}
template <class T>
T atomic_add(T* address, std::type_identity_t<T> value) {
  return atomic_change(address, [&](T old) { return static_cast<T>(old + value); });
}
template <class T>
T atomic_min(T* address, std::type_identity_t<T> value) {
  return atomic_change(address, [&](T old) { return value < old ? value : old; });
}
template <class T>
T atomic_max(T* address, std::type_identity_t<T> value) {
  return atomic_change(address, [&](T old) { return old < value ? value : old; });
}
template <class T>
T atomic_or(T* address, std::type_identity_t<T> value) {
  return atomic_change(address, [&](T old) { return static_cast<T>(old | value); });
}
template <class T>
T atomic_exchange(T* address, std::type_identity_t<T> value) {
  return atomic_change(address, [&](T) { return value; });
}
template <class T>
T atomic_compare_exchange(T* address, std::type_identity_t<T> expected,
                          std::type_identity_t<T> desired) {
  return atomic_change(address, [&](T old) { return old == expected ? desired : old; });
}
/// For loops that wait for another thread's store: every load lets the others run.
template <class T>
T atomic_load(const T* address) {
  Engine::current().yield();
  return *address;
}

}  // namespace hpclab::emulator
