// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Detectors as somebody ships them, by name, with the source of each constant.
#pragma once

#include "heartbeat/detector/detector.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::heartbeat {

struct Preset {
  std::string name;
  std::string family;   ///< fixed, phi, cassandra, largest-gap, swim
  Nanoseconds period;   ///< its own heartbeat period
  Nanoseconds timeout;  ///< silence after a heartbeat that fails a sender with steady heartbeats
  std::string source;
};

/// Shipped defaults, shortest first. `timeout` of those that learn is what they arrive at on steady
/// heartbeats of their own period.
const std::vector<Preset>& presets();

/// UsageError with the nearest name when there is none.
const Preset& find_preset(std::string_view name);

/// The names for which make_detector has a detector: chen, phi, phi-exact, ... and every preset.
std::vector<std::string> detector_names();

/// What a detector needs beside its name.
struct DetectorSetting {
  Nanoseconds period = 1'000'000'000;  ///< of the heartbeats it will see
  Nanoseconds timeout = 0;             ///< of fixed; margin of chen detectors: timeout - period
  double failure_rate_per_s = 1e-6;    ///< online-optimum
  double rebuild_s = 60;               ///< online-optimum
  std::int64_t members = 8;            ///< swim
};

/// The detector of that name. Presets keep their shipped constants whatever the setting's timeout;
/// their polling and learning starts at time 0. UsageError for an unknown name.
std::unique_ptr<Detector> make_detector(std::string_view name, const DetectorSetting& setting);

}  // namespace hpclab::heartbeat
