// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A process that stands in for a device: it has memory of its own, shares a segment with the host
// process, and does what it is told. Nothing of it outlives its owner.
#pragma once

#include "core/stop_token.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

#include <sys/types.h>

namespace hpclab::roofline::residency {

/// Memory that this process and those it forks afterwards see alike. It has no name, so that
/// nothing is left when the last of them ends.
class SharedSegment {
 public:
  /// Throws CaseFailed when the system gives none.
  explicit SharedSegment(std::size_t bytes);
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;
  ~SharedSegment();

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

class DeviceProcess {
 public:
  /// Carries out one command; what it throws reaches the caller of run() as CaseFailed.
  using Serve = std::function<void(std::uint32_t command)>;

  /// Forks. The child calls `prepare` for what serves its commands, so that its threads and memory
  /// are its own, and ends with its owner: when that is destroyed, or dies. Call it while this
  /// process has no other thread that holds locks. Throws CaseFailed with what `prepare` threw.
  DeviceProcess(const std::function<Serve()>& prepare, StopToken stop);
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;
  ~DeviceProcess();

  /// Sends a command and waits until it is done. Throws CaseFailed with the child's message, or
  /// with how it ended when it is gone, and Interrupted when a stop is requested meanwhile.
  void run(std::uint32_t command);

  pid_t id() const { return child_; }

 private:
  void wait_for_reply();
  void end() noexcept;

  pid_t child_ = -1;
  int channel_ = -1;
  StopToken stop_;
};

}  // namespace hpclab::roofline::residency
