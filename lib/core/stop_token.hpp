// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How Ctrl-C reaches a measurement: a signal handler sets a flag, long loops look at it, and unwind
// with Interrupted so that everything measured is flushed before the program ends with status 130.
#pragma once

#include <atomic>
#include <exception>
#include <memory>

namespace hpclab {

/// Thrown by loops that saw the flag. Deliberately no Error: it is no fault, and `catch (Error&)`
/// around a case must not turn it into a failed case.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// The reading end. A default-made token never stops anything; copies watch the same flag.
class StopToken {
 public:
  StopToken() = default;
  bool stop_requested() const { return flag_ && flag_->load(std::memory_order_relaxed); }
  void throw_if_requested() const {
    if (stop_requested()) throw Interrupted();
  }

 private:
  friend class StopSource;
  explicit StopToken(std::shared_ptr<const std::atomic<bool>> flag) : flag_(std::move(flag)) {}
  std::shared_ptr<const std::atomic<bool>> flag_;
};

/// The writing end.
class StopSource {
 public:
  StopSource() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  StopToken token() const { return StopToken(flag_); }
  /// Async-signal-safe: one store to a lock-free atomic.
  void request_stop() noexcept { flag_->store(true, std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);
  std::shared_ptr<std::atomic<bool>> flag_;
};

/// From now on SIGINT and SIGTERM request a stop; a second one ends the program at once. Returns
/// the token of that request; further calls return the same.
StopToken stop_on_signals();

}  // namespace hpclab
