// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The life of a launch: checks, blocks, and threads from start to end.
#include "cuda/emulator/engine.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace hpclab::emulator {

Engine& Engine::local() {
  static thread_local Engine engine;
  return engine;
}

void Engine::check_limits() const {
  const Dim3 grid = launch_->grid;
  const Dim3 block = launch_->block;
  const Limits& limits = options_.limits;
  const auto refuse = [&](const std::string& what) {
    throw Fault(FaultKind::limit, fmt::format("kernel '{}': {}", launch_->name, what));
  };
  if (count(grid) == 0 || count(block) == 0) {
    refuse("a grid or block extent is zero");
  }
  if (count(block) > limits.threads_per_block || block.z > limits.block_z) {
    refuse(fmt::format("a block of {} x {} x {} threads; at most {} threads and z <= {}", block.x,
                       block.y, block.z, limits.threads_per_block, limits.block_z));
  }
  if (grid.x > 0x7fffffffu || grid.y > limits.grid_yz || grid.z > limits.grid_yz) {
    refuse(fmt::format("a grid of {} x {} x {} blocks; at most 2^31-1 x {} x {}", grid.x, grid.y,
                       grid.z, limits.grid_yz, limits.grid_yz));
  }
  if (launch_->dynamic_shared_bytes > limits.shared_bytes) {
    refuse(fmt::format("{} bytes of dynamic shared memory; at most {}",
                       launch_->dynamic_shared_bytes, limits.shared_bytes));
  }
  if (launch_->cooperative && count(grid) * slots_per_block_ > limits.cooperative_threads) {
    refuse(fmt::format("a cooperative grid of {} threads; the emulator keeps at most {} alive",
                       count(grid) * slots_per_block_, limits.cooperative_threads));
  }
}

void Engine::make_room(unsigned blocks) {
  slots_ = blocks * slots_per_block_;
  stacks_.reserve(slots_);
  if (threads_size_ < slots_) {
    threads_ = std::make_unique<Thread[]>(slots_);
    threads_size_ = slots_;
  }
  while (blocks_.size() < blocks) {
    blocks_.emplace_back();
  }
}

Statistics Engine::run(const Launch& launch, const Options& options) {
  if (launch_ != nullptr) {
    throw Fault(FaultKind::limit,
                "a kernel launched a kernel: the emulator has no nested launches");
  }
  struct Reset {
    Engine& engine;
    ~Reset() {
      engine.launch_ = nullptr;
      current_ = nullptr;
    }
  } reset{*this};
  launch_ = &launch;
  current_ = this;
  options_ = options;
  schedule_ = schedule_of(options.seed);
  statistics_ = {};
  random_state_ = options.seed;
  error_ = nullptr;
  slots_per_block_ = static_cast<unsigned>((count(launch.block) + 63) / 64 * 64);
  check_limits();

  const std::uint64_t blocks = count(launch.grid);
  if (launch.cooperative) {
    const auto number = static_cast<unsigned>(blocks);
    make_room(number);
    runnable_.reset(slots_ / 64);
    for (unsigned b = 0; b < number; ++b) {
      begin_block(blocks_[b], b, b);
    }
    run_until_finished();
    return statistics_;
  }
  make_room(1);
  std::vector<std::uint32_t> order;
  if (schedule_ == Schedule::random) {
    order.resize(blocks);
    std::iota(order.begin(), order.end(), 0u);
    for (std::uint64_t i = blocks; i > 1; --i) {
      std::swap(order[i - 1], order[random() % i]);
    }
  }
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t index = schedule_ == Schedule::random    ? order[i]
                                : schedule_ == Schedule::reverse ? blocks - 1 - i
                                                                 : i;
    runnable_.reset(slots_ / 64);
    begin_block(blocks_[0], 0, index);
    run_until_finished();
  }
  return statistics_;
}

void Engine::begin_block(Block& block, unsigned block_number, std::uint64_t linear_index) {
  const Dim3 grid = launch_->grid;
  const Dim3 extent = launch_->block;
  const auto threads = static_cast<unsigned>(count(extent));
  block.index = {static_cast<unsigned>(linear_index % grid.x),
                 static_cast<unsigned>(linear_index / grid.x % grid.y),
                 static_cast<unsigned>(linear_index / grid.x / grid.y)};
  block.first_slot = block_number * slots_per_block_;
  block.alive = threads;
  block.arrived = 0;
  block.alive_bits.assign(slots_per_block_ / 64, 0);
  block.warps.resize((threads + warp_size - 1) / warp_size);
  block.shared.begin_block(launch_->dynamic_shared_bytes, options_.limits);
  Dim3 index{0, 0, 0};
  for (unsigned t = 0; t < threads; ++t) {
    Thread& thread = threads_[block.first_slot + t];
    Warp& warp = block.warps[t / warp_size];
    if (t % warp_size == 0) {
      warp.first = &thread;
      warp.groups_used = 0;
      const unsigned lanes = std::min(warp_size, threads - t);
      warp.alive = lanes == warp_size ? ~0u : (1u << lanes) - 1;
    }
    thread.fiber.prepare(stacks_[block.first_slot + t], &Engine::thread_entry);
    thread.waits_in = Operation::none;
    thread.lane = static_cast<std::uint8_t>(t % warp_size);
    thread.alive = true;
    thread.barriers = 0;
    thread.slot = block.first_slot + t;
    thread.block = &block;
    thread.warp = &warp;
    thread.index = index;
    thread.copies.clear();
    block.alive_bits[t / 64] |= std::uint64_t{1} << t % 64;
    if (++index.x == extent.x) {
      index.x = 0;
      if (++index.y == extent.y) {
        index.y = 0;
        ++index.z;
      }
    }
  }
  for (unsigned t = threads; t < slots_per_block_; ++t) {
    threads_[block.first_slot + t].alive = false;
  }
  for (unsigned word = 0; word < block.alive_bits.size(); ++word) {
    runnable_.insert_word(block.first_slot / 64 + word, block.alive_bits[word]);
  }
  alive_ += threads;
  statistics_.threads += threads;
}

void Engine::run_until_finished() {
  finished_ = 0;
  grid_arrived_ = 0;
  active_mask_waiters_ = 0;
  yields_ = 0;
  running_ = pick();
  ++statistics_.switches;
  Fiber::change(main_, running_->fiber);
  running_ = nullptr;
  alive_ = 0;
  for (const Block& block : blocks_) {
    statistics_.static_shared_bytes =
        std::max(statistics_.static_shared_bytes, block.shared.static_bytes());
  }
  if (error_ != nullptr) {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void Engine::thread_entry() {
  Engine& engine = current();
  // An exception must not unwind past the fiber: it is carried to the caller of run().
  try {
    engine.launch_->call(engine.launch_->closure);
    engine.thread_finished();
  } catch (...) {
    engine.error_ = std::current_exception();
  }
  Thread& self = *engine.running_;
  if (engine.error_ == nullptr && engine.alive_ > 0) {
    Thread* next = nullptr;
    try {
      next = engine.pick();
    } catch (...) {
      engine.error_ = std::current_exception();
    }
    if (next != nullptr) {
      engine.running_ = next;
      ++engine.statistics_.switches;
      Fiber::leave(self.fiber, next->fiber);
    }
  }
  Fiber::leave(self.fiber, engine.main_);
}

}  // namespace hpclab::emulator
