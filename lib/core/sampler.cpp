// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sampler.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/noise.hpp"
#include "core/trace.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace hpclab {
namespace {

// Every sample up to a capacity, every second beyond, every fourth beyond that: bounded memory and
// still evenly spread over the whole measurement.
class EvenReservoir {
 public:
  explicit EvenReservoir(std::size_t capacity) : capacity_(capacity) {}

  void add(double value) {
    if (seen_++ % stride_ != 0) return;
    if (values_.size() == capacity_) {
      for (std::size_t i = 0; 2 * i < values_.size(); ++i) values_[i] = values_[2 * i];
      values_.resize((values_.size() + 1) / 2);
      stride_ *= 2;
      if ((seen_ - 1) % stride_ != 0) return;
    }
    values_.push_back(value);
  }
  std::size_t seen() const { return seen_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::size_t capacity_;
  std::size_t stride_ = 1;
  std::size_t seen_ = 0;
  std::vector<double> values_;
};

constexpr std::size_t statistics_capacity = std::size_t{1} << 20;
constexpr double interruption_share = 0.98;
// Shorter samples cannot hold a preemption, and the clocks' own cost would raise false flags.
constexpr double shortest_watched_s = 20e-6;

double take_sample(const std::function<double()>& sample) {
  const double sample_s = sample();
  if (!(sample_s >= 0.0) || !std::isfinite(sample_s)) {
    throw CaseFailed(fmt::format("a sample of {} s is no time", sample_s));
  }
  return sample_s;
}

void warm_up(const std::function<double()>& sample, const SamplerOptions& options) {
  static const trace::Name name("sampler/warm-up");
  const trace::Range range(name, trace::Category::warmup);
  const double begin_s = now_s();
  for (std::size_t done = 0;
       done < options.warm_up_samples || now_s() - begin_s < options.warm_up_time_s; ++done) {
    options.stop.throw_if_requested();
    take_sample(sample);
  }
}

// Whether one half of the measurement is slower than the other beyond both halves' uncertainty:
// warm-up that was too short, heating, a neighbour. The rule cannot see it, since selection forgets
// the order.
void note_drift(const std::vector<double>& values, std::vector<std::string>& notes) {
  if (values.size() < 12) return;
  const std::span<const double> all(values);
  const std::size_t half = values.size() / 2;
  const std::span<const double> early = all.first(half);
  const std::span<const double> late = all.last(half);
  const Interval before = median_interval(early).value();
  const Interval after = median_interval(late).value();
  if (before.low <= after.high && after.low <= before.high) return;
  const double change = median(late) / median(early) - 1.0;
  if (std::abs(change) < 0.01) return;
  notes.push_back(fmt::format("drift: the second half is {:.2g} % {} than the first",
                              100.0 * std::abs(change), change > 0.0 ? "slower" : "faster"));
}

}  // namespace

std::vector<double> thinned(const std::vector<double>& values, std::size_t limit) {
  if (values.size() <= limit) return values;
  if (limit == 0) return {};
  if (limit == 1) return {values.front()};
  std::vector<double> kept(limit);
  for (std::size_t i = 0; i < limit; ++i) kept[i] = values[i * (values.size() - 1) / (limit - 1)];
  return kept;
}

SampleSet collect(const std::function<double()>& sample, const SamplerOptions& options) {
  const auto rule = parse_stopping_rule(options.stopping_rule);
  const auto read_clock = [&]() -> std::optional<double> {
    if (!options.read_clock_hz) return std::nullopt;
    return options.read_clock_hz();
  };
  warm_up(sample, options);

  SampleSet set;
  EvenReservoir reservoir(statistics_capacity);
  const NoiseReading noise_before = read_noise(read_clock());
  const double begin_s = now_s();
  double wall_s = begin_s;
  double cpu_s = options.watch_thread ? thread_cpu_s() : 0.0;
  std::optional<ProfilerWindow> window(std::in_place, options.profiler);
  while (!rule->done()) {
    options.stop.throw_if_requested();
    const double sample_s = take_sample(sample);
    const double wall_now_s = now_s();
    // One reading ends this sample and begins the next: the harness between them runs on the CPU
    // and hides nothing.
    const double round_s = wall_now_s - wall_s;
    wall_s = wall_now_s;
    if (options.watch_thread && round_s >= shortest_watched_s) {
      const double cpu_now_s = thread_cpu_s();
      // cpu_s may date from an earlier, short round; then the difference is too large and flags
      // nothing.
      if (cpu_now_s - cpu_s < interruption_share * round_s) ++set.interrupted_samples;
      cpu_s = cpu_now_s;
    }
    rule->add(sample_s, wall_now_s - begin_s);
    reservoir.add(sample_s);
  }
  window.reset();
  const NoiseReading noise_after = read_noise(read_clock());

  const std::vector<double>& values = reservoir.values();
  set.count = reservoir.seen();
  set.median_s = median(values);
  set.interval = median_interval(values);
  set.relative_iqr = relative_interquartile_range(values);
  set.samples_s = thinned(values, options.kept_samples);
  set.stop_cause = rule->cause();
  set.stop_reason = rule->why();
  set.notes = describe_noise(noise_before, noise_after);
  if (set.interrupted_samples > 0) {
    set.notes.push_back(fmt::format("{} of {} samples were interrupted: thread CPU time under 98 %",
                                    set.interrupted_samples, set.count));
  }
  note_drift(values, set.notes);
  if (set.samples_s.size() < set.count) {
    set.notes.push_back(
        fmt::format("{} of {} samples kept, evenly", set.samples_s.size(), set.count));
  }
  return set;
}

double measure_null_s() {
  // The median of whole short runs: one clock read per round would itself be most of what it
  // measures.
  constexpr std::size_t rounds = 2000;
  SamplerOptions options;
  options.stopping_rule = fmt::format("relative:0.0001%,min={},max={}", 10, rounds);
  std::vector<double> costs_s;
  std::size_t calls = 0;
  const std::function<double()> nothing = [&calls] {
    ++calls;
    return 1e-6 * static_cast<double>(calls % 7 + 1);  // spread out, so that the rule never holds
  };
  for (int repeat = 0; repeat < 9; ++repeat) {
    calls = 0;
    const double begin_s = now_s();
    collect(nothing, options);
    costs_s.push_back((now_s() - begin_s) / static_cast<double>(calls));
  }
  return median(costs_s);
}

}  // namespace hpclab
