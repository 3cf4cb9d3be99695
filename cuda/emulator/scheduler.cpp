// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Who runs next: the runnable thread that the schedule chooses, and threads that step back.
#include "cuda/emulator/engine.hpp"

namespace hpclab::emulator {

std::uint64_t Engine::random() {
  // splitmix64 (Steele, Lea, Flood 2014): one addition and two multiplications.
  std::uint64_t z = random_state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Thread* Engine::pick() {
  if (runnable_.empty() && active_mask_waiters_ > 0) {
    settle_active_masks();
  }
  if (runnable_.empty()) {
    throw Fault(FaultKind::deadlock, deadlock_report());
  }
  unsigned slot = 0;
  switch (schedule_) {
    case Schedule::forward:
      slot = runnable_.next(0);
      break;
    case Schedule::reverse:
      slot = runnable_.last();
      break;
    case Schedule::random:
      slot = runnable_.next(static_cast<unsigned>((random() >> 32) * slots_ >> 32));
      break;
  }
  runnable_.erase(slot);
  return &threads_[slot];
}

void Engine::suspend() {
  Thread& self = *running_;
  Thread* next = pick();
  if (next == &self) {
    return;
  }
  running_ = next;
  ++statistics_.switches;
  Fiber::change(self.fiber, next->fiber);
}

void Engine::count_yield() {
  // Loops that wait for a store nobody makes would go on for ever: 0.1 s of nothing but yields.
  constexpr std::uint64_t most = 5'000'000;
  if (++yields_ > most) {
    throw Fault(FaultKind::deadlock, deadlock_report() + "; the others wait in loops");
  }
}

void Engine::yield() {
  count_yield();
  Thread& self = *running_;
  unsigned slot = runnable_.next(self.slot + 1 < slots_ ? self.slot + 1 : 0);
  if (slot == RunSet::none) {
    return;
  }
  if (schedule_ == Schedule::random) {
    slot = runnable_.next(static_cast<unsigned>((random() >> 32) * slots_ >> 32));
  }
  runnable_.erase(slot);
  runnable_.insert(self.slot);
  running_ = &threads_[slot];
  ++statistics_.switches;
  Fiber::change(self.fiber, running_->fiber);
}

void Engine::yield_if_random() {
  if (schedule_ == Schedule::random && random() % 4 == 0) {
    yield();
  }
}

}  // namespace hpclab::emulator
