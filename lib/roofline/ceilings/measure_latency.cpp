// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/trace.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/littles_law.hpp"
#include "roofline/ceilings/measure.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr double line_bytes = 64;
constexpr std::size_t huge_page_bytes = 2u << 20;
constexpr std::size_t base_page_bytes = 4096;

// Memory for the chases of a team, each member's part touched by itself; the chases themselves are
// laid out anew for every number of chains.
class Chases {
 public:
  Chases(const Parameters& p, const Context& context)
      : p_(p), team_(host_topology(), checked_threads(p)) {
    if (p.working_set > 0) {
      set_.bytes = static_cast<std::size_t>(p.working_set);
    } else {
      set_ = working_set_for(p.level, team_.size(), 1, context);
      // A chase needs to miss the caches, not to fill a pipeline: half of the streams' arrays will
      // do.
      if (p.level == MemoryLevel::dram) set_.bytes /= 2;
    }
    const std::size_t least = std::size_t{2} * max_chains * line_bytes;
    if (set_.bytes < least)
      throw CaseFailed(fmt::format("a working set below {} B holds no chase", least));
    machine::require_memory(set_.bytes * static_cast<std::size_t>(team_.size()));
    const bool bind = host_topology().numa_nodes.size() > 1;
    buffers_.resize(static_cast<std::size_t>(team_.size()));
    for (int i = 0; i < team_.size(); ++i) {
      const auto node = machine::memory_node(host_topology(), unit(i), p.memory);
      if (!node && p.memory == machine::MemoryPlacement::far) {
        throw CaseSkipped("this machine has one NUMA node: there is no far memory");
      }
      buffers_[static_cast<std::size_t>(i)] =
          machine::Buffer(set_.bytes, p.huge_pages, bind ? node : std::nullopt);
    }
  }

  void lay_out(int chains, std::uint64_t seed) {
    static const trace::Name name("roofline/chase-setup");
    const trace::Range range(name, trace::Category::setup);
    positions_.resize(buffers_.size());
    const std::size_t page =
        p_.huge_pages == machine::HugePages::never ? base_page_bytes : huge_page_bytes;
    team_.run([&](int i) {
      const auto m = static_cast<std::size_t>(i);
      positions_[m] = build_chase(buffers_[m].data(), set_.bytes, chains, p_.order, page,
                                  seed + static_cast<std::uint64_t>(i));
    });
    constexpr std::size_t batch = 100;
    const std::size_t batches = calibrated_repeats([&](std::size_t n) {
      steps_ = batch * n;
      return step_s() * static_cast<double>(steps_);
    });
    steps_ = batch * batches;
    chains_ = chains;
  }

  // Seconds of one step of every chain, over the whole team.
  double step_s() {
    static const trace::Name name("roofline/chase-sample");
    const trace::Range range(name, trace::Category::measure);
    const double wall_s =
        team_
            .run([&](int i) {
              chase_seconds_per_step(positions_[static_cast<std::size_t>(i)], steps_);
            })
            .wall_s;
    return wall_s / static_cast<double>(steps_);
  }

  double lines_in_flight() const { return static_cast<double>(chains_) * team_.size(); }
  int threads() const { return team_.size(); }
  const WorkingSet& set() const { return set_; }

 private:
  int unit(int member) const { return team_.processing_units()[static_cast<std::size_t>(member)]; }

  const Parameters& p_;
  machine::ThreadTeam team_;
  WorkingSet set_;
  std::vector<machine::Buffer> buffers_;
  std::vector<ChasePositions> positions_;
  std::size_t steps_ = 0;
  int chains_ = 1;
};

}  // namespace

Result measure_latency(const Parameters& p, const Context& context) {
  Chases chases(p, context);
  chases.lay_out(static_cast<int>(p.chains), context.seed);
  const SampleSet samples = context.collect([&] { return chases.step_s(); });
  Result result;
  result.set_value("latency_s", samples.median_s);
  if (samples.interval)
    result.set_interval("latency_s", samples.interval->low, samples.interval->high);
  set_rate(result, "bandwidth_bytes_per_s", line_bytes * chases.lines_in_flight(), samples);
  result.set_value("working_set_bytes", static_cast<double>(chases.set().bytes));
  result.set_text("bound", p.working_set > 0 ? "working set as given" : name_of(p.level));
  if (!chases.set().note.empty()) result.add_note(chases.set().note);
  set_samples(result, samples);
  return result;
}

Result measure_concurrency(const Parameters& p, const Context& context) {
  constexpr std::array chain_counts{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
  Chases chases(p, context);
  SamplerOptions options = context.sampler;
  std::vector<ConcurrencyPoint> points;
  std::vector<double> latencies;
  std::vector<std::string> notes;
  for (int chains : chain_counts) {
    chases.lay_out(chains, context.seed);
    const SampleSet samples = collect([&] { return chases.step_s(); }, options);
    points.push_back(
        {chases.lines_in_flight(), line_bytes * chases.lines_in_flight() / samples.median_s});
    latencies.push_back(samples.median_s);
    for (const std::string& note : samples.notes)
      notes.push_back(fmt::format("noisy: {} (chains={})", note, chains));
    if (context.report_progress)
      context.report_progress(static_cast<double>(points.size()) / chain_counts.size());
  }
  const LittlesLawFit fit = fit_littles_law(points, chases.threads());
  Table table{{"lines_in_flight", "bandwidth", "latency", "fitted_bandwidth"},
              {"lines", "B/s", "s", "B/s"},
              {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    table.rows.push_back({points[i].lines_in_flight, points[i].bandwidth_bytes_per_s, latencies[i],
                          fit.bandwidth_bytes_per_s(points[i].lines_in_flight)});
  }
  Result result;
  result.set_table("concurrency", table);
  result.set_table("fit", {{"latency_s", "max_bytes_per_s", "sharpness"},
                           {"s", "B/s", ""},
                           {{fit.latency_s, fit.max_bytes_per_s, fit.sharpness}}});
  result.set_value("latency_s", fit.latency_s);
  result.set_value("bandwidth_bytes_per_s", fit.max_bytes_per_s);
  result.set_value("needed_lines", fit.lines_needed);
  result.set_value("kept_lines", fit.lines_kept_per_core);
  result.set_value("fit_residual_ratio", fit.relative_residual);
  result.set_value("working_set_bytes", static_cast<double>(chases.set().bytes));
  result.set_text("bound", fit.saturated ? name_of(p.level) : "lines in flight");
  if (!fit.saturated)
    result.add_note("32 chains a thread do not saturate the level: its ceiling is extrapolated");
  for (const std::string& note : notes) result.add_note(note);
  return result;
}

}  // namespace hpclab::roofline::ceilings
