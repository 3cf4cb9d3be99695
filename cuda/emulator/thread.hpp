// hpclab: SPDX-License-Identifier: Apache-2.0
//
// State of emulated threads, warps and blocks.
#pragma once

#include "cuda/emulator/async_copies.hpp"
#include "cuda/emulator/fiber.hpp"
#include "cuda/emulator/shared_memory.hpp"
#include "cuda/emulator/types.hpp"

#include <cstdint>
#include <source_location>
#include <vector>

namespace hpclab::emulator {

inline constexpr unsigned warp_size = 32;

/// What a thread takes part in together with others, and waits in until all have come.
enum class Operation : std::uint8_t {
  none,
  block_barrier,
  grid_barrier,
  warp_barrier,
  shuffle,
  vote_any,
  vote_all,
  vote_ballot,
  match_any,
  match_all,
  active_mask,
  reduce_add,
  reduce_min_signed,
  reduce_max_signed,
  reduce_min_unsigned,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor
};

const char* name_of(Operation operation);

struct Block;
struct Warp;

struct alignas(64) Thread {
  Fiber fiber;
  Operation waits_in = Operation::none;
  std::uint8_t lane = 0;
  bool alive = false;
  std::uint32_t barriers = 0;  ///< of its block or warp that it has come to; counts of work use it
  unsigned slot = 0;           ///< position in the run set
  std::source_location where;  ///< of the call it waits in
  std::uint64_t input = 0;     ///< its contribution to a warp operation
  std::uint64_t output = 0;    ///< what the warp operation gives it
  unsigned source_lane = 0;    ///< the lane that a shuffle reads
  std::uint32_t mask = 0;      ///< of the warp operation it waits in
  Block* block = nullptr;
  Warp* warp = nullptr;
  Dim3 index;  ///< threadIdx
  AsyncCopies copies;
};

/// Lanes that have come to one warp operation with one mask; disjoint groups go on side by side.
struct WarpGroup {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
  Operation operation = Operation::none;
};

struct Warp {
  Thread* first = nullptr;  ///< lane 0
  std::uint32_t alive = 0;  ///< lanes that exist and have not returned from the kernel
  unsigned groups_used = 0;
  WarpGroup groups[warp_size];
};

struct Block {
  Dim3 index;  ///< blockIdx
  unsigned first_slot = 0;
  unsigned alive = 0;
  unsigned arrived = 0;                ///< at the block barrier
  std::source_location barrier_where;  ///< of the first that came
  std::vector<std::uint64_t> alive_bits;
  std::vector<Warp> warps;
  SharedMemory shared;
};

}  // namespace hpclab::emulator
