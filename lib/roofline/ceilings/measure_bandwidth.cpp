// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "machine/core_sharing.hpp"
#include "machine/memory.hpp"
#include "machine/this_cpu.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/theory.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

// What one member of the team works on: its own arrays, touched first by itself.
struct Member {
  machine::Buffer buffer;
  double* a = nullptr;
  double* b = nullptr;
  double* c = nullptr;
};

// Arrays lie one after the other, each from a page on plus an offset of its own: at equal offsets
// loads and stores meet in the same sets of L1, and non-temporal copies lose 7 to 15 % (measured on
// Zen 4).
Member allocate(const BandwidthKernel& kernel, std::size_t doubles, const Parameters& p, int unit) {
  constexpr std::size_t page = 4096 / sizeof(double);
  constexpr std::array<std::size_t, 3> offsets{0, page / 2, page / 4};
  const BandwidthFootprint sizes = kernel.footprint(doubles);
  const auto rounded = [](std::size_t count) { return (count + page - 1) / page * page + page; };
  const std::size_t total = rounded(sizes.a) + rounded(sizes.b) + rounded(sizes.c);
  const auto node = machine::memory_node(host_topology(), unit, p.memory);
  if (!node && p.memory == machine::MemoryPlacement::far) {
    throw CaseSkipped("this machine has one NUMA node: there is no far memory");
  }
  const bool bind = host_topology().numa_nodes.size() > 1;
  Member member;
  member.buffer = machine::Buffer(total * sizeof(double), p.huge_pages, bind ? node : std::nullopt);
  double* at = member.buffer.as<double>().data();
  const std::array arrays{std::pair{&member.a, sizes.a}, std::pair{&member.b, sizes.b},
                          std::pair{&member.c, sizes.c}};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [array, count] = arrays[i];
    if (count == 0) continue;
    *array = at + offsets[i];
    at += rounded(count);
  }
  return member;
}

}  // namespace

Result measure_bandwidth(const Parameters& p, const Context& context) {
  static const trace::Name setup_name("roofline/bandwidth-setup");
  static const trace::Name sample_name("roofline/bandwidth-sample");
  const BandwidthKernel* kernel = find_bandwidth_kernel(bandwidth_kind(p), instruction_set(p));
  if (!kernel) throw CaseSkipped(fmt::format("this processor does not execute {}", p.isa));
  const int threads = checked_threads(p);
  const BandwidthFootprint shape = kernel->footprint(kernel->granularity * 8);
  const int arrays = (shape.a > 0) + (shape.b > 0) + (shape.c > 0);
  WorkingSet set;
  if (p.working_set > 0) {
    set.bytes = static_cast<std::size_t>(p.working_set);
  } else {
    set = working_set_for(p.level, threads, arrays, context);
  }
  const std::size_t doubles = kernel->doubles_for_footprint(set.bytes);
  if (doubles == 0) {
    throw CaseFailed(
        fmt::format("a working set of {} is smaller than the kernel's smallest of {} B",
                    readable_bytes(static_cast<double>(set.bytes)),
                    kernel->footprint(kernel->granularity).bytes()));
  }
  machine::require_memory(static_cast<std::uint64_t>(kernel->footprint(doubles).bytes()) *
                          static_cast<std::uint64_t>(threads));
  machine::ThreadTeam team(host_topology(), threads);
  std::vector<Member> members(static_cast<std::size_t>(threads));
  {
    const trace::Range range(setup_name, trace::Category::setup);
    team.run([&](int i) {
      Member& member = members[static_cast<std::size_t>(i)];
      member = allocate(*kernel, doubles, p, team.processing_units()[static_cast<std::size_t>(i)]);
      machine::fill_random(member.buffer.as<double>(),
                           context.seed + static_cast<std::uint64_t>(i));
      kernel->check(member.a, member.b, member.c, doubles);
    });
  }
  constexpr double factor =
      1.0000001;  // update multiplies in place: values stay near where they were
  const auto pass_s = [&](std::size_t repeats) {
    const trace::Range range(sample_name, trace::Category::measure);
    return team
        .run([&](int i) {
          const Member& member = members[static_cast<std::size_t>(i)];
          kernel->run(member.a, member.b, member.c, factor, doubles, repeats);
        })
        .wall_s;
  };
  const std::size_t repeats = calibrated_repeats(pass_s);
  const double clock_before = measure_clock_hz();
  machine::CoreSharingWatch sharing(team);
  const SampleSet samples = context.collect([&] { return pass_s(repeats); });
  const double clock = std::max(clock_before, measure_clock_hz());

  const BandwidthWork one = kernel->work(doubles);
  const double passes = static_cast<double>(repeats) * threads;
  const double bytes = (one.bytes_read + one.bytes_written) * passes;
  Result result;
  set_rate(result, "bandwidth_bytes_per_s", bytes, samples);
  result.set_value("working_set_bytes", static_cast<double>(kernel->footprint(doubles).bytes()));
  result.set_value("clock_hz", clock);
  result.set_work("read_bytes", one.bytes_read * passes);
  result.set_work("written_bytes", one.bytes_written * passes);
  if (p.level == MemoryLevel::dram && p.working_set == 0)
    result.set_work("dram_bytes", one.dram_bytes * passes);
  result.set_text("bound", p.working_set > 0 ? "working set as given" : name_of(p.level));
  if (!set.note.empty()) result.add_note(set.note);
  set_samples(result, samples);
  if (const auto note = sharing.note()) result.add_note(*note);
  const auto lookup = machine::this_microarchitecture();
  if (p.working_set == 0 && lookup.found) {
    if (const auto per_cycle = bytes_per_cycle(*lookup.found, p.level, one)) {
      const double theory = *per_cycle * clock * threads;
      refuse_above_theory(*result.value("bandwidth_bytes_per_s"), theory, clock,
                          "bandwidth_bytes_per_s");
      result.set_value("theory_bytes_per_s", theory);
      result.set_value("fraction_of_theory_ratio", *result.value("bandwidth_bytes_per_s") / theory);
    }
  }
  return result;
}

}  // namespace hpclab::roofline::ceilings
