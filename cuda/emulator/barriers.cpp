// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Block and grid barriers, and what a finished thread means for those who wait.
#include "cuda/emulator/engine.hpp"

#include <cstring>

#include <fmt/format.h>

namespace hpclab::emulator {
namespace {

bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

}  // namespace

void Engine::sync_block(const std::source_location& where) {
  Thread& self = *running_;
  Block& block = *self.block;
  if (block.arrived == 0) {
    block.barrier_where = where;
  } else if (!same_place(block.barrier_where, where)) {
    fault(FaultKind::divergent_barrier,
          fmt::format("threads of one block meet at different barriers: others wait at line {}",
                      block.barrier_where.line()),
          self, where);
  }
  self.waits_in = Operation::block_barrier;
  self.where = where;
  ++self.barriers;
  ++statistics_.barrier_arrivals;
  if (++block.arrived == block.alive) {
    release_block(block);
  }
  suspend();
}

void Engine::release_block(Block& block) {
  block.arrived = 0;
  yields_ = 0;
  const unsigned first_word = block.first_slot / 64;
  for (unsigned word = 0; word < block.alive_bits.size(); ++word) {
    runnable_.insert_word(first_word + word, block.alive_bits[word]);
  }
}

void Engine::sync_grid(const std::source_location& where) {
  Thread& self = *running_;
  if (!launch_->cooperative) {
    fault(FaultKind::illegal_grid_sync, "a grid barrier in a launch that is not cooperative", self,
          where);
  }
  self.waits_in = Operation::grid_barrier;
  self.where = where;
  // A thread that has finished never comes: on a device the others would wait for ever.
  if (++grid_arrived_ == statistics_.threads) {
    grid_arrived_ = 0;
    const unsigned blocks = slots_ / slots_per_block_;
    for (unsigned b = 0; b < blocks; ++b) {
      release_block(blocks_[b]);
    }
  }
  suspend();
}

void Engine::thread_finished() {
  Thread& self = *running_;
  Block& block = *self.block;
  Warp& warp = *self.warp;
  self.alive = false;
  yields_ = 0;
  --alive_;
  ++finished_;
  const unsigned offset = self.slot - block.first_slot;
  block.alive_bits[offset / 64] &= ~(std::uint64_t{1} << offset % 64);
  warp.alive &= ~(1u << self.lane);
  // Finished threads leave barriers and the masks of warp operations.
  for (unsigned g = 0; g < warp.groups_used;) {
    const WarpGroup& group = warp.groups[g];
    if ((group.mask & warp.alive) == group.arrived) {
      complete(warp, g);
    } else {
      ++g;
    }
  }
  if (--block.alive > 0 && block.arrived == block.alive) {
    release_block(block);
  }
}

}  // namespace hpclab::emulator
