// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/measure.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "machine/core_sharing.hpp"
#include "machine/this_cpu.hpp"
#include "roofline/ceilings/clock.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/theory.hpp"
#include "roofline/fusion/execution.hpp"
#include "roofline/fusion/model.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

/// Longest time that the unfused chain beside a fused one may take in a case.
constexpr double baseline_s = 3;

void require_processor(const Parameters& p) {
  const auto units = static_cast<std::int64_t>(ceilings::host_topology().processing_units.size());
  if (p.threads < 1 || p.threads > units) {
    throw CaseFailed(fmt::format(
        "{} threads asked for, but this process may use {} processing units", p.threads, units));
  }
  if (p.isa == "scalar" || !supported(instruction_set_of(p.isa)))
    throw CaseSkipped(fmt::format("the chain has no kernel for {} that runs here", p.isa));
}

// Ratio of each sample to the one taken beside it: what disturbs the machine disturbs both.
void set_paired_ratio(Result& result, const std::string& name, const std::vector<double>& ratios) {
  result.set_value(name, median(ratios));
  if (const auto interval = median_interval(ratios))
    result.set_interval(name, interval->low, interval->high);
}

// What the chain ran into: the copy ceiling measured beside it, the documented peak at the measured
// clock, or neither.
void set_bound(Result& result, const Parameters& p, double flops_per_s) {
  const double clock = ceilings::measure_clock_hz();
  result.set_value("clock_hz", clock);
  double of_peak = 0;
  if (const auto lookup = machine::this_microarchitecture(); lookup.found) {
    const auto precision = p.precision == Precision::fp64 ? ceilings::PeakPrecision::fp64
                                                          : ceilings::PeakPrecision::fp32;
    if (const auto peak =
            ceilings::peak_per_cycle(*lookup.found, precision, instruction_set_of(p.isa))) {
      of_peak = flops_per_s / (*peak * clock * static_cast<double>(p.threads));
      result.set_value("fraction_of_peak_ratio", of_peak);
    }
  }
  const double of_copy = *result.value("fraction_of_copy_ratio");
  result.set_text("bound", std::max(of_copy, of_peak) < 0.8 ? "neither memory nor arithmetic alone"
                           : of_copy >= of_peak             ? "memory, as a copy"
                                                            : "multiply-add units");
}

template <class T>
Result measure_cpu(const Parameters& p, const Context& context) {
  static const trace::Name setup_name("roofline/fusion-setup");
  static const trace::Name sample_name("roofline/fusion-sample");
  const ChainShape shape = chain_shape(p);
  const auto block = static_cast<std::size_t>(p.block);
  machine::ThreadTeam team(ceilings::host_topology(), static_cast<int>(p.threads));
  std::unique_ptr<ChainArrays<T>> arrays;
  {
    const trace::Range range(setup_name, trace::Category::setup);
    arrays = std::make_unique<ChainArrays<T>>(p, team, context);
  }
  ceilings::Verification verification = arrays->check(shape.group, block);
  verification.add(arrays->check(1, 0));
  verification.require("chain of elementwise operations");

  const std::size_t repeats = ceilings::calibrated_repeats(
      [&](std::size_t n) { return arrays->run_s(shape.group, block, n); });
  const std::size_t copies =
      ceilings::calibrated_repeats([&](std::size_t n) { return arrays->copy_s(n); });
  const bool is_unfused = shape.group == 1 && block == 0;
  const std::size_t baselines = is_unfused ? 0 : ceilings::calibrated_repeats([&](std::size_t n) {
    return arrays->run_s(1, 0, n);
  });
  const ArrayTraffic traffic = block > 0 ? outside_traffic(shape) : traffic_of(passes_of(shape));
  const double moved = program_bytes(p, traffic);
  const double copied = program_bytes(p, {1, 1});
  std::vector<double> fractions, speedups, copy_rates;
  double spent_s = 0;
  machine::CoreSharingWatch sharing(team);
  const SampleSet samples = context.collect([&] {
    const trace::Range range(sample_name, trace::Category::measure);
    const double time_s = arrays->run_s(shape.group, block, repeats) / static_cast<double>(repeats);
    const double copy_s = arrays->copy_s(copies) / static_cast<double>(copies);
    copy_rates.push_back(copied / copy_s);
    fractions.push_back(moved / time_s / copy_rates.back());
    if (!is_unfused && (speedups.size() < 3 || spent_s < baseline_s)) {
      const double unfused_s = arrays->run_s(1, 0, baselines);
      spent_s += unfused_s;
      speedups.push_back(unfused_s / static_cast<double>(baselines) / time_s);
    }
    return time_s;
  });

  // Warm-up samples came first.
  for (std::vector<double>* of_samples : {&copy_rates, &fractions}) {
    of_samples->erase(of_samples->begin(),
                      of_samples->end() -
                          static_cast<std::ptrdiff_t>(std::min(samples.count, of_samples->size())));
  }

  Result result;
  result.set_value("time_s", samples.median_s);
  if (samples.interval)
    result.set_interval("time_s", samples.interval->low, samples.interval->high);
  ceilings::set_rate(result, "bandwidth_bytes_per_s", moved, samples);
  set_paired_ratio(result, "copy_bytes_per_s", copy_rates);
  set_paired_ratio(result, "fraction_of_copy_ratio", fractions);
  if (is_unfused) {
    result.set_value("speedup_ratio", 1);
  } else {
    set_paired_ratio(result, "speedup_ratio", speedups);
  }
  result.set_value("launches_count",
                   block > 0 ? 1.0 : static_cast<double>(passes_of(shape).size()));
  if (const auto note = sharing.note()) result.add_note(*note);
  ceilings::set_verification(result, verification);
  const double flops = 2.0 * shape.operations * static_cast<double>(p.elements);
  result.set_work("flops", flops);
  result.set_work("moved_bytes", moved);
  result.set_text("chain", describe(shape));
  set_bound(result, p, flops / samples.median_s);
  ceilings::set_samples(result, samples);
  return result;
}

}  // namespace

Result measure(const Parameters& p, Backend backend, Context& context) {
  if (backend != Backend::cpu) {
    const std::unique_ptr<cuda::Runtime> runtime =
        backend == Backend::emulator ? cuda::make_emulator(context.seed) : cuda::make_device(0);
    const cuda::CaseScope scope(*runtime, context.case_id);
    return measure_gpu(p, *runtime, context);
  }
  require_processor(p);
  return p.precision == Precision::fp64 ? measure_cpu<double>(p, context)
                                        : measure_cpu<float>(p, context);
}

}  // namespace hpclab::roofline::fusion
