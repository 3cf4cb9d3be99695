// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A failure detector as a pure state machine: it sees heartbeats and moments, and says what it
// believes. It reads no clock and sends nothing, so the model, the simulation, the replay of a log
// and the real ring all drive the same code. Times are integer nanoseconds of one clock.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

namespace hpclab::heartbeat {

using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

/// Seconds as whole nanoseconds, rounded to the nearest, limited to +-292 years.
Nanoseconds to_ns(double seconds);
inline double to_s(Nanoseconds time) {
  return static_cast<double>(time) / 1e9;
}

/// suspected: the detector waits for a confirmation or a refutation; failed: it would eject.
enum class Verdict { trusted, suspected, failed };

struct Heartbeat {
  Nanoseconds received = 0;
  std::int64_t sequence = 0;  ///< counts the sender's heartbeats, from 0
};

class Detector {
 public:
  virtual ~Detector() = default;

  /// A heartbeat was received. One with an earlier time than the last event is taken at the time of
  /// that event (clock steps); an older sequence number than one seen counts as a duplicate.
  virtual void on_heartbeat(const Heartbeat& beat) = 0;
  /// The verdict at that moment; may change the state (a suspicion starts or ends).
  virtual Verdict on_tick(Nanoseconds now) = 0;
  /// The earliest moment at which on_tick may answer otherwise if no heartbeat comes; `never` when
  /// none.
  virtual Nanoseconds next_deadline() const = 0;
  /// The moment at which it says failed if nothing comes any more.
  virtual Nanoseconds failure_deadline() const { return next_deadline(); }
  virtual std::unique_ptr<Detector> clone() const = 0;
};

/// a + b without overflow: times beyond the end are `never`. b >= 0.
inline Nanoseconds later(Nanoseconds a, Nanoseconds b) {
  return a > never - b ? never : a + b;
}

}  // namespace hpclab::heartbeat
