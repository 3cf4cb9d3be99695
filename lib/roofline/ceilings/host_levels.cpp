// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/host_levels.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "machine/cpu_features.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/bandwidth.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr std::size_t smallest_sweep_bytes = 4 << 10;
constexpr std::size_t least_dram_bytes = std::size_t{512} << 20;
constexpr double sweep_sample_s = 5e-4;
constexpr int sweep_samples = 7;

// The fastest of a few passes: interruptions only slow a pass down.
double read_bandwidth(const BandwidthKernel& kernel, const double* b, std::size_t doubles) {
  std::size_t repeats = 1;
  double best_s = 0;
  for (int sample = 0; sample <= sweep_samples; ++sample) {
    const double begin = now_s();
    kernel.run(nullptr, b, nullptr, 0, doubles, repeats);
    const double pass_s = (now_s() - begin) / static_cast<double>(repeats);
    if (sample == 0) {  // warms up and says how many passes fill a sample
      repeats =
          static_cast<std::size_t>(std::clamp(sweep_sample_s / std::max(pass_s, 1e-9), 1.0, 1e7));
      continue;
    }
    best_s = best_s == 0 ? pass_s : std::min(best_s, pass_s);
  }
  return static_cast<double>(doubles) * sizeof(double) / best_s;
}

HostLevels sweep(const Context& context) {
  static const trace::Name name("roofline/level-sweep");
  const trace::Range range(name, trace::Category::setup);
  const machine::Topology& topology = host_topology();
  const std::size_t largest =
      std::clamp<std::size_t>(4 * topology.cache_bytes(3), 64u << 20, 2048u << 20);
  const BandwidthKernel& kernel = *find_bandwidth_kernel(
      BandwidthKind::read, instruction_set_of(machine::widest_instruction_set()));
  machine::ThreadTeam team(topology, 1);
  const machine::Buffer buffer(largest, machine::HugePages::advise);
  machine::fill_random(buffer.as<double>(), context.seed, team);
  HostLevels levels;
  for (std::size_t bytes : sweep_sizes(smallest_sweep_bytes, largest, 4, 512)) {
    context.stop.throw_if_requested();
    const std::size_t doubles = kernel.doubles_for_footprint(bytes);
    levels.sweep.push_back({static_cast<double>(doubles * sizeof(double)),
                            read_bandwidth(kernel, buffer.as<double>().data(), doubles)});
  }
  levels.map = detect_levels(levels.sweep, SweepTrend::falling);
  std::vector<KnownSize> known;
  for (const MemoryLevel level : {MemoryLevel::l1, MemoryLevel::l2, MemoryLevel::l3}) {
    const auto stated = static_cast<double>(topology.cache_bytes(static_cast<int>(level) + 1));
    if (stated > 0) known.push_back({name_of(level), stated});
  }
  for (const SizeComparison& compared : compare_sizes(levels.map, known)) {
    LevelCapacity capacity;
    for (const MemoryLevel level : {MemoryLevel::l1, MemoryLevel::l2, MemoryLevel::l3}) {
      if (compared.known.name == name_of(level)) capacity.level = level;
    }
    capacity.stated_bytes = compared.known.bytes;
    capacity.found_bytes = compared.boundary_bytes;
    levels.capacities.push_back(capacity);
  }
  return levels;
}

// Threads of a spread team that meet in one last-level cache.
int threads_a_cache(const machine::Topology& topology, int threads) {
  for (const machine::DataCache& cache : topology.caches) {
    if (cache.level == 3 && cache.instances > 0)
      return (threads + cache.instances - 1) / cache.instances;
  }
  return threads;
}

std::size_t whole_lines(double bytes) {
  return static_cast<std::size_t>(bytes) / 4096 * 4096;
}

}  // namespace

const LevelCapacity* HostLevels::find(MemoryLevel level) const {
  const auto found =
      std::find_if(capacities.begin(), capacities.end(),
                   [&](const LevelCapacity& capacity) { return capacity.level == level; });
  return found == capacities.end() ? nullptr : &*found;
}

const HostLevels& host_levels(const Context& context) {
  static const HostLevels levels = sweep(context);
  return levels;
}

const machine::Topology& host_topology() {
  static const machine::Topology topology = machine::discover_topology();
  return topology;
}

WorkingSet working_set_for(MemoryLevel level, int threads, int arrays, const Context& context) {
  const machine::Topology& topology = host_topology();
  WorkingSet set;
  if (level == MemoryLevel::dram) {
    const auto last_level = static_cast<double>(topology.last_level_bytes());
    const double one_array = std::max(4 * last_level, static_cast<double>(least_dram_bytes));
    set.bytes = whole_lines(one_array * arrays / threads) + 4096;
    return set;
  }
  const HostLevels& levels = host_levels(context);
  const LevelCapacity* capacity = levels.find(level);
  if (!capacity) throw CaseSkipped(fmt::format("this machine states no {} cache", name_of(level)));
  if (capacity->found_bytes == 0) {
    set.note = fmt::format(
        "the sweep shows no step near the {} of {} that the system states; the stated size is used",
        readable_bytes(capacity->stated_bytes), name_of(level));
  }
  const double below = level == MemoryLevel::l1 ? 0 : [&] {
    const LevelCapacity* inner =
        levels.find(level == MemoryLevel::l2 ? MemoryLevel::l1 : MemoryLevel::l2);
    return inner ? inner->bytes() : 0.0;
  }();
  const double share = level == MemoryLevel::l3
                           ? capacity->bytes() / threads_a_cache(topology, threads)
                           : capacity->bytes();
  // As far from both edges as can be: at the edges, neighbours and replacement blur the levels.
  double bytes = level == MemoryLevel::l1 ? share / 2 : std::sqrt(below * share);
  if (bytes < 2 * below) {
    bytes = std::sqrt(below * (below + share));  // beyond the inner level, within both together
    set.note += fmt::format("{}{} a thread leaves little room above the level below",
                            set.note.empty() ? "" : "; ", readable("share_bytes", share).text());
  }
  set.bytes = whole_lines(bytes);
  return set;
}

}  // namespace hpclab::roofline::ceilings
