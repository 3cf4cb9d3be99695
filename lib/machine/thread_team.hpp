// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A team of pinned threads for measurements: created once, started together again and again.
#pragma once

#include "machine/topology.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <sched.h>

namespace hpclab::machine {

/// n pinned threads that persist. Member 0 is the thread that constructs the team and calls run();
/// it is pinned too, and gets its old affinity back when the team ends.
class ThreadTeam {
 public:
  /// Times of one run on the monotonic clock.
  struct Times {
    double wall_s = 0;             ///< from the common start to the finish of the last member
    std::vector<double> thread_s;  ///< from the common start to the finish of each member
  };

  /// One member per entry of `processing_units` (os_index), e.g. from pin_order(). Throws
  /// UsageError when the list is empty, names a unit twice, or the system refuses to pin to one of
  /// them.
  explicit ThreadTeam(std::vector<int> processing_units);
  /// `threads` members on this topology; UsageError when there are more threads than units.
  ThreadTeam(const Topology& topology, int threads, Placement placement = Placement::spread);
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;
  ~ThreadTeam();

  int size() const { return static_cast<int>(processing_units_.size()); }
  const std::vector<int>& processing_units() const { return processing_units_; }

  /// Calls task(i) on every member i at once and waits for all. When members throw, the exception
  /// of the lowest-numbered one is rethrown here, after all have finished; the team stays usable.
  /// Call it from the constructing thread only, and not from inside a task.
  Times run(const std::function<void(int)>& task);

 private:
  struct alignas(64) Outcome {  // one cache line each: finishing members do not disturb others
    std::int64_t finish_ns = 0;
    std::exception_ptr error;
  };

  void serve(int member);
  void take_part(int member);

  std::vector<int> processing_units_;
  std::vector<Outcome> outcomes_;
  std::vector<std::thread> workers_;
  const std::function<void(int)>* task_ = nullptr;
  cpu_set_t caller_affinity_{};
  std::int64_t start_ns_ = 0;
  bool stopping_ = false;
  alignas(64) std::atomic<std::uint32_t> round_{0};    // a new value calls the workers
  alignas(64) std::atomic<std::uint32_t> arrived_{0};  // members at the start barrier
  alignas(64) std::atomic<std::uint32_t> started_{0};  // round whose barrier has opened
  alignas(64) std::atomic<std::uint32_t> finished_{0};
};

}  // namespace hpclab::machine
