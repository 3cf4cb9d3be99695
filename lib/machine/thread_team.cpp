// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/thread_team.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include <fmt/format.h>
#include <pthread.h>

namespace hpclab::machine {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Spins for some microseconds, because members arrive nearly together, then yields: on a machine
/// with fewer free processors than members the late member needs the processor.
template <typename Condition>
void spin_then_yield(const Condition& condition) {
  for (int spins = 0; !condition(); ++spins) {
    if (spins < 2000) {
      pause_processor();
    } else {
      std::this_thread::yield();
    }
  }
}

/// 0 or the error number of pthread_setaffinity_np.
int pin_to(pthread_t thread, int processing_unit) {
  if (processing_unit < 0 || processing_unit >= CPU_SETSIZE) return EINVAL;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processing_unit, &set);
  return pthread_setaffinity_np(thread, sizeof set, &set);
}

}  // namespace

ThreadTeam::ThreadTeam(const Topology& topology, int threads, Placement placement)
    : ThreadTeam(pin_order(topology, threads, placement)) {}

ThreadTeam::ThreadTeam(std::vector<int> processing_units)
    : processing_units_(std::move(processing_units)), outcomes_(processing_units_.size()) {
  if (processing_units_.empty()) throw UsageError("a thread team needs at least one member");
  if (std::set<int>(processing_units_.begin(), processing_units_.end()).size() !=
      processing_units_.size()) {
    throw UsageError("a thread team must not pin two members to one processing unit");
  }
  pthread_getaffinity_np(pthread_self(), sizeof caller_affinity_, &caller_affinity_);
  int refused = pin_to(pthread_self(), processing_units_[0]);
  std::size_t member = 0;
  while (refused == 0 && member + 1 < processing_units_.size()) {
    ++member;
    workers_.emplace_back([this, member] { serve(static_cast<int>(member)); });
    refused = pin_to(workers_.back().native_handle(), processing_units_[member]);
  }
  if (refused != 0) {
    stopping_ = true;
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    pthread_setaffinity_np(pthread_self(), sizeof caller_affinity_, &caller_affinity_);
    throw UsageError(fmt::format("cannot pin a thread to processing unit {}: {}",
                                 processing_units_[member], std::strerror(refused)));
  }
}

ThreadTeam::~ThreadTeam() {
  stopping_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  pthread_setaffinity_np(pthread_self(), sizeof caller_affinity_, &caller_affinity_);
}

void ThreadTeam::serve(int member) {
  for (std::uint32_t known = 0;;) {
    // A short spin keeps back-to-back runs quick; a longer pause sleeps and disturbs nobody.
    for (int spins = 0; spins < 2000 && round_.load(std::memory_order_acquire) == known; ++spins) {
      pause_processor();
    }
    round_.wait(known, std::memory_order_acquire);
    known = round_.load(std::memory_order_acquire);
    if (stopping_) return;
    take_part(member);
  }
}

void ThreadTeam::take_part(int member) {
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  const auto members = static_cast<std::uint32_t>(size());
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    start_ns_ = now_ns();
    started_.store(round, std::memory_order_release);
  } else {
    spin_then_yield([&] { return started_.load(std::memory_order_acquire) == round; });
  }
  Outcome& outcome = outcomes_[static_cast<std::size_t>(member)];
  try {
    (*task_)(member);
  } catch (...) {
    outcome.error = std::current_exception();
  }
  outcome.finish_ns = now_ns();
  finished_.fetch_add(1, std::memory_order_acq_rel);
}

ThreadTeam::Times ThreadTeam::run(const std::function<void(int)>& task) {
  task_ = &task;
  arrived_.store(0, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
  for (Outcome& outcome : outcomes_) outcome.error = nullptr;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_part(0);
  spin_then_yield([&] {
    return finished_.load(std::memory_order_acquire) == static_cast<std::uint32_t>(size());
  });
  Times times;
  for (const Outcome& outcome : outcomes_) {
    times.thread_s.push_back(static_cast<double>(outcome.finish_ns - start_ns_) * 1e-9);
  }
  times.wall_s = *std::max_element(times.thread_s.begin(), times.thread_s.end());
  for (Outcome& outcome : outcomes_) {
    if (outcome.error) std::rethrow_exception(outcome.error);
  }
  return times;
}

}  // namespace hpclab::machine
