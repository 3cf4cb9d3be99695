// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One flow of control on its own stack: a saved context and the change from one to another.
// Changes go straight from fiber to fiber by boost.context's jump, which saves registers only
// (ucontext's swap asks the kernel for the signal mask each time and is 20 times slower).
#pragma once

#include "cuda/emulator/sanitizers.hpp"
#include "cuda/emulator/stack_pool.hpp"

#include <cstddef>

#include <boost/context/detail/fcontext.hpp>

namespace hpclab::emulator {

/// A suspended flow of control. It never moves to another OS thread.
class Fiber {
 public:
  Fiber() = default;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  /// Makes this a fiber that starts in `entry`, which must end by Fiber::leave. What ran on the
  /// stack before is forgotten.
  void prepare(const Stack& stack, void (*entry)());

  /// Saves the running flow in `from` and goes on with `to`; returns when something resumes `from`.
  static void change(Fiber& from, Fiber& to);

  /// Goes on with `to` and never comes back: `from` has finished or was given up.
  [[noreturn]] static void leave(Fiber& from, Fiber& to);

 private:
  static void start(boost::context::detail::transfer_t transfer);
  static void arrived(boost::context::detail::transfer_t transfer, void* fake_stack);

  boost::context::detail::fcontext_t handle_ = nullptr;
  void (*entry_)() = nullptr;
#if HPCLAB_ADDRESS_SANITIZER
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#endif
#if HPCLAB_THREAD_SANITIZER
  void* tsan_ = nullptr;
  unsigned tsan_uses_ = 0;
#endif
};

}  // namespace hpclab::emulator
