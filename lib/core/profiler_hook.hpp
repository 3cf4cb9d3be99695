// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where a profiler is to look: an upper layer says how to open and close its window (the GPU layer:
// cudaProfilerStart and cudaProfilerStop), the sampler does so around the samples.
#pragma once

#include <functional>

namespace hpclab {

struct ProfilerHook {
  std::function<void()> begin;
  std::function<void()> end;
};

/// Open from construction to destruction; without a hook it does nothing.
class ProfilerWindow {
 public:
  explicit ProfilerWindow(const ProfilerHook& hook) : hook_(hook) {
    if (hook_.begin) hook_.begin();
  }
  ~ProfilerWindow() {
    if (hook_.end) hook_.end();
  }
  ProfilerWindow(const ProfilerWindow&) = delete;
  ProfilerWindow& operator=(const ProfilerWindow&) = delete;

 private:
  const ProfilerHook& hook_;
};

}  // namespace hpclab
