// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Times work on a GPU by events, with clock, power, energy and temperature beside it.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "cuda/core/runtime.hpp"
#include "cuda/core/sensors.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// One sample and what the sensors said while it ran.
struct GpuSample {
  double time_s = 0;
  cuda::SensorReading reading;
};

/// What the sensors said over all samples that were kept; empty without NVML.
struct SensorSummary {
  std::optional<double> clock_hz;          ///< median
  std::optional<double> highest_clock_hz;  ///< what theory is computed with
  std::optional<double> power_w;           ///< median
  std::optional<double> energy_j;          ///< of one piece of work, idle power included
  std::optional<double> temperature_c;     ///< highest
  std::string throttling;                  ///< reasons, separated by commas
};

struct GpuSamples {
  SampleSet set;
  SensorSummary sensors;
};

/// Drops the samples during which the clock was throttled, but never all: where there is no other
/// they stay, and a note says so. `pieces`: how often the work was done in a sample.
GpuSamples without_throttled(SampleSet set, const std::vector<GpuSample>& samples, double pieces);

class GpuTimer {
 public:
  /// Sensors that cannot be opened leave their values out; a note says why.
  GpuTimer(cuda::Runtime& runtime, const Context& context);

  /// Puts one piece of work on the stream.
  using Enqueue = std::function<void(cuda::StreamHandle)>;

  /// Seconds of one piece: the least of three samples of about a millisecond. For searches.
  double quick_s(const Enqueue& enqueue);
  /// Samples of about 10 ms each until the stopping rule holds, after 200 ms of warm-up.
  GpuSamples collect(const Enqueue& enqueue);
  /// The same for work that the caller times itself: `sample` returns its own seconds.
  GpuSamples collect_own(const std::function<double()>& sample);

  const std::string& sensors_missing() const { return sensors_missing_; }

 private:
  double pass_s(const Enqueue& enqueue, std::size_t repeats, cuda::SensorReading* reading);
  cuda::SensorReading read_sensors() const;

  cuda::Runtime& runtime_;
  const Context& context_;
  std::optional<cuda::Sensors> sensors_;
  std::string sensors_missing_;
};

/// Values, samples, notes and words that all timed results on a GPU have.
void set_gpu_samples(Result& result, const GpuSamples& samples, const GpuTimer& timer,
                     const cuda::DeviceFacts& facts);

/// Name and size of the device, as a profile needs them: text "device" and a table of that name.
void set_device(Result& result, const cuda::DeviceFacts& facts);

/// The clock that theory is computed with: as measured, else the highest that the driver states.
double clock_for_theory(const GpuSamples& samples, const cuda::DeviceFacts& facts);

}  // namespace hpclab::roofline::ceilings
