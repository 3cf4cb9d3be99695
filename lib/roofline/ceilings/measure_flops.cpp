// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/trace.hpp"
#include "machine/core_sharing.hpp"
#include "machine/this_cpu.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/theory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

Result measure_flops(const Parameters& p, const Context& context) {
  static const trace::Name sample_name("roofline/flops-sample");
  const PeakKernel* kernel = find_peak_kernel(p.precision, instruction_set(p));
  if (!kernel) {
    const bool exists = declared_peak_kernel(p.precision, instruction_set(p)) != nullptr;
    throw CaseSkipped(
        exists ? fmt::format("this processor does not execute {} in {}", name(p.precision), p.isa)
               : fmt::format("there is no {} multiply-add in {}", name(p.precision), p.isa));
  }
  const int threads = checked_threads(p);
  machine::ThreadTeam team(host_topology(), threads);
  std::vector<double> sums(static_cast<std::size_t>(threads));  // keeps the kernels' results alive
  const auto run_s = [&](std::size_t iterations) {
    const trace::Range range(sample_name, trace::Category::measure);
    return team.run([&](int i) { sums[static_cast<std::size_t>(i)] = kernel->run(iterations); })
        .wall_s;
  };
  constexpr std::size_t batch = 100;
  const std::size_t iterations =
      batch * calibrated_repeats([&](std::size_t n) { return run_s(batch * n); });
  const double clock_before = measure_clock_hz();
  machine::CoreSharingWatch sharing(team);
  const SampleSet samples = context.collect([&] { return run_s(iterations); });
  const double clock = std::max(clock_before, measure_clock_hz());
  if (!std::all_of(sums.begin(), sums.end(), [](double sum) { return std::isfinite(sum); })) {
    throw CaseFailed("the kernel's result is not finite: it did not compute what it should");
  }
  const double operations = kernel->ops_per_iteration() * static_cast<double>(iterations) * threads;
  Result result;
  set_rate(result, "flops_per_s", operations, samples);
  result.set_value("clock_hz", clock);
  result.set_work("flops", operations);
  result.set_text("bound", "multiply-add units");
  set_samples(result, samples);
  if (const auto note = sharing.note()) result.add_note(*note);
  const auto lookup = machine::this_microarchitecture();
  if (const auto per_cycle =
          lookup.found ? peak_per_cycle(*lookup.found, p.precision, kernel->instruction_set)
                       : std::nullopt) {
    const double theory = *per_cycle * clock * threads;
    refuse_above_theory(*result.value("flops_per_s"), theory, clock, "flops_per_s");
    result.set_value("theory_flops_per_s", theory);
    result.set_value("fraction_of_theory_ratio", *result.value("flops_per_s") / theory);
  }
  return result;
}

}  // namespace hpclab::roofline::ceilings
