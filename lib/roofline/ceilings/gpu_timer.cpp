// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_timer.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "cuda/core/stream.hpp"
#include "roofline/ceilings/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

std::optional<double> median_of(const std::vector<GpuSample>& samples,
                                std::optional<double> cuda::SensorReading::*sensor) {
  std::vector<double> values;
  for (const GpuSample& sample : samples) {
    if (sample.reading.*sensor) values.push_back(*(sample.reading.*sensor));
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

std::optional<double> highest_of(const std::vector<GpuSample>& samples,
                                 std::optional<double> cuda::SensorReading::*sensor) {
  std::optional<double> highest;
  for (const GpuSample& sample : samples) {
    const auto& value = sample.reading.*sensor;
    if (value && (!highest || *value > *highest)) highest = value;
  }
  return highest;
}

SensorSummary summary_of(const std::vector<GpuSample>& samples, double pieces) {
  SensorSummary summary;
  summary.clock_hz = median_of(samples, &cuda::SensorReading::sm_clock_hz);
  summary.highest_clock_hz = highest_of(samples, &cuda::SensorReading::sm_clock_hz);
  summary.power_w = median_of(samples, &cuda::SensorReading::power_w);
  summary.temperature_c = highest_of(samples, &cuda::SensorReading::temperature_c);
  if (samples.size() > 1) {
    const auto first = samples.front().reading.energy_j;
    const auto last = samples.back().reading.energy_j;
    // The counter moves every 20 to 100 ms: a difference of 0 is no energy that was measured.
    if (first && last && *last > *first)
      summary.energy_j = (*last - *first) / static_cast<double>(samples.size() - 1) / pieces;
  }
  std::uint64_t bits = 0;
  for (const GpuSample& sample : samples) bits |= sample.reading.throttle_bits.value_or(0);
  for (const std::string& reason : cuda::throttle_reasons(bits))
    summary.throttling += (summary.throttling.empty() ? "" : ", ") + reason;
  return summary;
}

}  // namespace

GpuSamples without_throttled(SampleSet set, const std::vector<GpuSample>& samples, double pieces) {
  GpuSamples result{std::move(set), summary_of(samples, pieces)};
  std::vector<GpuSample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept), [](const GpuSample& s) {
    return !cuda::is_throttled(s.reading.throttle_bits.value_or(0));
  });
  const std::size_t dropped = samples.size() - kept.size();
  if (dropped == 0) return result;
  if (kept.empty()) {
    result.set.notes.push_back(
        fmt::format("the clock was throttled in all samples ({})", result.sensors.throttling));
    return result;
  }
  std::vector<double> times;
  for (const GpuSample& sample : kept) times.push_back(sample.time_s);
  result.set.count = times.size();
  result.set.median_s = median(times);
  result.set.interval = median_interval(times);
  result.set.relative_iqr = relative_interquartile_range(times);
  result.set.samples_s = thinned(times, 2048);
  result.set.notes.push_back(fmt::format("{} of {} samples dropped: the clock was throttled ({})",
                                         dropped, samples.size(), result.sensors.throttling));
  const SensorSummary of_kept = summary_of(kept, pieces);
  result.sensors.clock_hz = of_kept.clock_hz;
  result.sensors.highest_clock_hz = of_kept.highest_clock_hz;
  result.sensors.power_w = of_kept.power_w;
  return result;
}

GpuTimer::GpuTimer(cuda::Runtime& runtime, const Context& context)
    : runtime_(runtime), context_(context) {
  try {
    sensors_.emplace(runtime.facts().pci_address);
  } catch (const NotAvailable& missing) {
    sensors_missing_ = missing.what();
  }
}

cuda::SensorReading GpuTimer::read_sensors() const {
  return sensors_ ? sensors_->read() : cuda::SensorReading{};
}

double GpuTimer::pass_s(const Enqueue& enqueue, std::size_t repeats, cuda::SensorReading* reading) {
  static const trace::Name sample_name("roofline/gpu-sample");
  const trace::Range range(sample_name, trace::Category::measure);
  cuda::Stream stream(runtime_);
  cuda::Event begin(runtime_);
  cuda::Event end(runtime_);
  begin.record(stream.handle());
  for (std::size_t i = 0; i < repeats; ++i) enqueue(stream.handle());
  end.record(stream.handle());
  if (reading) *reading = read_sensors();  // while the device works
  end.wait();
  return end.elapsed_s_since(begin);
}

double GpuTimer::quick_s(const Enqueue& enqueue) {
  const double once = pass_s(enqueue, 1, nullptr);
  const auto repeats = static_cast<std::size_t>(std::clamp(1e-3 / std::max(once, 1e-7), 1.0, 1e3));
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    least = std::min(least, pass_s(enqueue, repeats, nullptr) / static_cast<double>(repeats));
  }
  return least;
}

GpuSamples GpuTimer::collect(const Enqueue& enqueue) {
  const double once = quick_s(enqueue);
  const auto repeats = static_cast<std::size_t>(std::clamp(1e-2 / std::max(once, 1e-7), 1.0, 1e5));
  std::vector<GpuSample> samples;
  SamplerOptions options = context_.sampler;
  options.watch_thread = false;  // it sleeps while the device works
  options.warm_up_time_s = std::max(options.warm_up_time_s, 0.2);
  SampleSet set = ::hpclab::collect(
      [&] {
        GpuSample sample;
        sample.time_s = pass_s(enqueue, repeats, &sample.reading) / static_cast<double>(repeats);
        samples.push_back(sample);
        return sample.time_s;
      },
      options);
  // Warm-up samples came first.
  samples.erase(samples.begin(),
                samples.end() - static_cast<std::ptrdiff_t>(std::min(set.count, samples.size())));
  return without_throttled(std::move(set), samples, static_cast<double>(repeats));
}

GpuSamples GpuTimer::collect_own(const std::function<double()>& own) {
  std::vector<GpuSample> samples;
  SamplerOptions options = context_.sampler;
  options.watch_thread = false;
  options.warm_up_time_s = std::max(options.warm_up_time_s, 0.2);
  SampleSet set = ::hpclab::collect(
      [&] {
        GpuSample sample;
        sample.time_s = own();
        sample.reading = read_sensors();
        samples.push_back(sample);
        return sample.time_s;
      },
      options);
  samples.erase(samples.begin(),
                samples.end() - static_cast<std::ptrdiff_t>(std::min(set.count, samples.size())));
  return without_throttled(std::move(set), samples, 1);
}

void set_gpu_samples(Result& result, const GpuSamples& samples, const GpuTimer& timer,
                     const cuda::DeviceFacts& facts) {
  set_samples(result, samples.set);
  set_device(result, facts);
  const SensorSummary& sensors = samples.sensors;
  const auto set = [&](const char* name, const std::optional<double>& value) {
    if (value) result.set_value(name, *value);
  };
  set("clock_hz", sensors.clock_hz);
  set("power_w", sensors.power_w);
  set("energy_j", sensors.energy_j);
  set("temperature_c", sensors.temperature_c);
  if (!sensors.throttling.empty()) result.set_text("clock_limits", sensors.throttling);
  if (!timer.sensors_missing().empty()) result.add_note(timer.sensors_missing());
}

void set_device(Result& result, const cuda::DeviceFacts& facts) {
  result.set_text("device", facts.name);
  result.set_table(
      "device", {{"multiprocessors", "l2_size", "memory_size", "highest_clock"},
                 {"", "B", "B", "Hz"},
                 {{facts.multiprocessors, facts.l2_bytes, facts.memory_bytes, facts.sm_clock_hz}}});
}

double clock_for_theory(const GpuSamples& samples, const cuda::DeviceFacts& facts) {
  return samples.sensors.highest_clock_hz.value_or(facts.sm_clock_hz);
}

}  // namespace hpclab::roofline::ceilings
