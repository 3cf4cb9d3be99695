// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/measure.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure_gpu.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

Result measure(const Parameters& p, Backend backend, Context& context) {
  if (backend != Backend::cpu) return measure_gpu(p, backend, context);
  const bool at_level = p.quantity == Quantity::bandwidth || p.quantity == Quantity::latency ||
                        p.quantity == Quantity::concurrency;
  if (at_level && p.level == MemoryLevel::shared)
    throw CaseSkipped("a processor has no shared memory that programs address; backend cuda has");
  switch (p.quantity) {
    case Quantity::bandwidth:
      return measure_bandwidth(p, context);
    case Quantity::latency:
      return measure_latency(p, context);
    case Quantity::concurrency:
      return measure_concurrency(p, context);
    case Quantity::flops:
      return measure_flops(p, context);
    case Quantity::clock:
      return measure_clock(context);
    case Quantity::levels:
      return measure_levels(context);
    case Quantity::launch:
      return measure_launch(p, context);
    case Quantity::link:
      throw CaseSkipped("the link to a GPU is measured by backend cuda");
  }
  return {};
}

void set_rate(Result& result, const std::string& name, double amount, const SampleSet& samples) {
  result.set_value(name, amount / samples.median_s);
  if (samples.interval)
    result.set_interval(name, amount / samples.interval->high, amount / samples.interval->low);
}

void set_samples(Result& result, const SampleSet& samples) {
  result.set_samples("time_s", samples.samples_s);
  result.set_text("stopped", samples.stop_reason);
  for (const std::string& note : samples.notes) result.add_note("noisy: " + note);
}

std::size_t calibrated_repeats(const std::function<double(std::size_t)>& seconds) {
  constexpr double sample_s = 2e-3;
  constexpr std::size_t most = 100'000'000;
  for (std::size_t repeats = 1;;) {
    double fastest_s = seconds(repeats);
    for (int again = 0; again < 2; ++again) fastest_s = std::min(fastest_s, seconds(repeats));
    if (fastest_s >= sample_s / 2 || repeats == most) return repeats;
    const double factor = std::clamp(sample_s / std::max(fastest_s, 1e-9), 2.0, 100.0);
    repeats = std::min(most, static_cast<std::size_t>(static_cast<double>(repeats) * factor));
  }
}

int checked_threads(const Parameters& p) {
  const auto units = static_cast<std::int64_t>(host_topology().processing_units.size());
  if (p.threads < 1 || p.threads > units) {
    throw CaseFailed(fmt::format(
        "{} threads asked for, but this process may use {} processing units", p.threads, units));
  }
  return static_cast<int>(p.threads);
}

Result measure_clock(const Context& context) {
  const machine::ThreadTeam team(host_topology(), 1);  // pinned, so that one core's clock is read
  std::vector<double> clocks;
  const SampleSet samples = context.collect([&] {
    clocks.push_back(measure_clock_hz(2e-4, 3));
    return 1 / clocks.back();  // sampled as a cycle time: the same statistics apply
  });
  Result result;
  set_rate(result, "clock_hz", 1, samples);
  result.set_samples("cycle_s", samples.samples_s);
  result.set_text("stopped", samples.stop_reason);
  result.set_text("bound",
                  fmt::format("counter at {}", readable("tsc_hz", measure_time_stamp_hz()).text()));
  for (const std::string& note : samples.notes) result.add_note("noisy: " + note);
  return result;
}

Result measure_launch(const Parameters& p, const Context& context) {
  if (p.launch_by == LaunchBy::graph)
    throw CaseSkipped("a team of threads has no graph of launches");
  machine::ThreadTeam team(host_topology(), checked_threads(p));
  const auto starts_s = [&](std::size_t starts) {
    const double begin = now_s();
    for (std::size_t i = 0; i < starts; ++i) team.run([](int) {});
    return now_s() - begin;
  };
  const std::size_t starts = calibrated_repeats(starts_s);
  const SampleSet samples =
      context.collect([&] { return starts_s(starts) / static_cast<double>(starts); });
  Result result;
  result.set_value("launch_s", samples.median_s);
  if (samples.interval)
    result.set_interval("launch_s", samples.interval->low, samples.interval->high);
  result.set_work("starts", static_cast<double>(starts));
  result.set_text("bound", "start and end of a team of pinned threads");
  set_samples(result, samples);
  return result;
}

Result measure_levels(const Context& context) {
  const HostLevels& levels = host_levels(context);
  Result result;
  Table sweep{{"working_set", "bandwidth"}, {"B", "B/s"}, {}};
  for (const SweepPoint& point : levels.sweep) sweep.rows.push_back({point.bytes, point.value});
  result.set_table("sweep", sweep);
  Table table{{"level", "boundary", "stated"}, {"", "B", "B"}, {}};
  std::string text;
  for (const LevelCapacity& capacity : levels.capacities) {
    table.rows.push_back({name_of(capacity.level), capacity.bytes(), capacity.stated_bytes});
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(capacity.level),
                    capacity.found_bytes > 0 ? readable("found_bytes", capacity.found_bytes).text()
                                             : "not visible");
  }
  result.set_table("levels", table);
  result.set_value("levels_count", static_cast<double>(levels.map.levels.size()));
  result.set_text("bound", "steps found: " + text);
  return result;
}

}  // namespace hpclab::roofline::ceilings
