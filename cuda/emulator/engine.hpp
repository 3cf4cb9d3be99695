// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs the blocks of a grid, one fiber for each CUDA thread, on the calling OS thread. Blocks run
// one after another, or all together where the launch is cooperative (grid barriers).
#pragma once

#include "cuda/emulator/fault.hpp"
#include "cuda/emulator/run_set.hpp"
#include "cuda/emulator/stack_pool.hpp"
#include "cuda/emulator/thread.hpp"
#include "cuda/emulator/types.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::emulator {

/// A kernel launch without types: `call(closure)` runs the kernel's body once, for one thread.
struct Launch {
  std::string_view name;
  Dim3 grid;
  Dim3 block;
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
  void (*call)(const void* closure) = nullptr;
  const void* closure = nullptr;
};

class Engine {
 public:
  /// The engine of this OS thread.
  static Engine& local();
  /// The same, for kernels: valid while run() is at work.
  static Engine& current() { return *current_; }

  /// Runs a launch to its end. Throws Fault, or what the kernel threw, after giving up all threads:
  /// the locals of threads that were suspended then are not destroyed.
  Statistics run(const Launch& launch, const Options& options);

  // What kernels call. `where` is the place of the call in the kernel.
  void sync_block(const std::source_location& where);
  void sync_grid(const std::source_location& where);
  std::uint64_t warp_operation(Operation operation, std::uint32_t mask, std::uint64_t input,
                               unsigned source_lane, const std::source_location& where);
  std::uint32_t active_mask(const std::source_location& where);
  /// Lets other threads go first; atomics call it in random schedules, spinning loads always.
  void yield();
  void yield_if_random();
  void async_copy(void* destination, const void* source, std::size_t bytes,
                  std::size_t source_bytes, const std::source_location& where);

  Thread& running() { return *running_; }
  const Launch& launch() const { return *launch_; }
  /// "thread (1,0,0) of block (0,0,0) at kernel.cuh:12", for messages.
  std::string describe(const Thread& thread, const std::source_location& where) const;
  [[noreturn]] void fault(FaultKind kind, const std::string& what, const Thread& thread,
                          const std::source_location& where) const;

 private:
  void check_limits() const;
  void make_room(unsigned blocks);
  void begin_block(Block& block, unsigned block_number, std::uint64_t linear_index);
  void run_until_finished();
  static void thread_entry();
  void thread_finished();

  Thread* pick();
  void suspend();
  void release_block(Block& block);
  void count_yield();
  void complete(Warp& warp, unsigned group);
  void compute(Warp& warp, const WarpGroup& group);
  void settle_active_masks();
  std::string deadlock_report() const;
  std::uint64_t random();

  static inline constinit thread_local Engine* current_ = nullptr;

  const Launch* launch_ = nullptr;
  Options options_;
  Schedule schedule_ = Schedule::forward;
  Statistics statistics_;
  std::uint64_t random_state_ = 0;

  StackPool stacks_;
  std::unique_ptr<Thread[]> threads_;
  std::size_t threads_size_ = 0;
  std::vector<Block> blocks_;
  unsigned slots_per_block_ = 0;  ///< a multiple of 64, so that a block owns whole words
  unsigned slots_ = 0;
  RunSet runnable_;
  Thread* running_ = nullptr;
  Fiber main_;
  std::exception_ptr error_;
  unsigned active_mask_waiters_ = 0;
  std::uint64_t alive_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t grid_arrived_ = 0;
  std::uint64_t yields_ = 0;  ///< since a barrier or warp operation completed or a thread finished
};

}  // namespace hpclab::emulator
