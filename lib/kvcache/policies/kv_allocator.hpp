// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Who gives slots of the key-value pool (one slot a token) to requests, seen from the batch.
#pragma once

#include <cstdint>
#include <span>

namespace hpclab::kvcache::policies {

/// A request as an allocator meets it: `samples` sequences with one prompt, which grow together.
struct SlotDemand {
  std::uint64_t samples = 1;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t tokens = 0;    ///< of one sequence now: the prompt's, more after a preemption
  std::uint64_t reserved = 0;  ///< slots that an allocator which cannot grow sets aside for one
  /// Ids of the prompt's full blocks, where the trace tells them: equal ids hold equal tokens.
  std::span<const std::uint64_t> prompt_blocks;
};

/// What a request has in the pool, all its sequences together, shared slots counted once.
struct SlotUse {
  std::uint64_t slots = 0;   ///< given to it
  std::uint64_t tokens = 0;  ///< stored in them
};

class KvAllocator {
 public:
  virtual ~KvAllocator() = default;

  /// Slots for the request's tokens and for what it reserves; false when they cannot be had now.
  /// `handle` names the request from then on: a small number that no admitted request has.
  virtual bool admit(std::uint32_t handle, const SlotDemand& demand) = 0;
  /// Room for one more token in each sequence of the request; false when it cannot be had.
  /// Allocators that reserve never fail here.
  virtual bool grow(std::uint32_t handle) = 0;
  virtual void release(std::uint32_t handle) = 0;
  virtual SlotUse use(std::uint32_t handle) const = 0;

  std::uint64_t pool_slots() const { return pool_slots_; }
  /// Slots given to somebody.
  std::uint64_t taken_slots() const { return taken_slots_; }

 protected:
  explicit KvAllocator(std::uint64_t pool_slots) : pool_slots_(pool_slots) {}

  std::uint64_t pool_slots_;
  std::uint64_t taken_slots_ = 0;
};

}  // namespace hpclab::kvcache::policies
