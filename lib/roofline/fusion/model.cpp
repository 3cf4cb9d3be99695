// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/model.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

using machine::MachineProfile;

/// A multiply-add for each operation and element.
double flops_of(const Parameters& p, int operations) {
  return 2.0 * operations * static_cast<double>(p.elements);
}

Range seconds(double amount, const Range& rate) {
  return {amount / rate.value, amount / rate.high, amount / rate.low};
}

Range sum(const Range& a, const Range& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high};
}

// Arithmetic hides behind moving, or the other way round.
Range overlapped(const Range& a, const Range& b) {
  return {std::max(a.value, b.value), std::max(a.low, b.low), std::max(a.high, b.high)};
}

Range moving(const Parameters& p, const Rates& rates, const ArrayTraffic& traffic) {
  return seconds(counted_bytes(p, rates, traffic), rates.bytes_per_s);
}

Range constant(double time_s) {
  return {time_s, time_s, time_s};
}

// Bytes that come from and go to DRAM; none where a cache holds the arrays.
std::optional<double> dram_bytes_of(const Parameters& p, const Rates& rates,
                                    const ArrayTraffic& traffic) {
  if (rates.level == "dram") return counted_bytes(p, rates, traffic);
  if (rates.level.ends_with("dram")) return std::nullopt;  // some part of them
  return 0.0;
}

std::string bound_of(const Rates& rates, double launch_s, double computing_s, double total_s) {
  if (launch_s > 0.5 * total_s) return "launches";
  return computing_s > 0.5 * total_s ? "multiply-add units" : rates.level;
}

}  // namespace

Prediction predict(const Parameters& p, const ChainShape& shape, const MachineProfile& profile) {
  const std::vector<Pass> passes = passes_of(shape);
  const Rates rates = rates_of(p, profile, touched_arrays(shape));
  Prediction prediction;
  double computing_s = 0;
  for (const Pass& pass : passes) {
    const Range memory = moving(p, rates, {static_cast<double>(pass.read_arrays), 1});
    const Range arithmetic = seconds(flops_of(p, pass.count), rates.flops_per_s);
    prediction.time_s = sum(prediction.time_s, overlapped(memory, arithmetic));
    if (arithmetic.value > memory.value) computing_s += arithmetic.value;
  }
  prediction.launches = static_cast<double>(passes.size());
  const double launches_s = prediction.launches * rates.launch_s;
  prediction.time_s = sum(prediction.time_s, constant(launches_s));
  const ArrayTraffic traffic = traffic_of(passes);
  prediction.moved_bytes = program_bytes(p, traffic);
  prediction.dram_bytes = dram_bytes_of(p, rates, traffic);
  prediction.bound = bound_of(rates, launches_s, computing_s, prediction.time_s.value);
  prediction.rates = rates;
  return prediction;
}

Prediction predict_blocked(const Parameters& p, const ChainShape& shape,
                           const MachineProfile& profile) {
  const std::vector<Pass> passes = passes_of(shape);
  const ArrayTraffic outside = outside_traffic(shape);
  const Rates memory = rates_of(p, profile, outside_arrays(shape) + 1);
  // A block of every thread, through the caches.
  Parameters inner = p;
  inner.elements = std::min(p.block * p.threads, p.elements);
  inner.stores = Stores::plain;
  Rates cache = rates_of(inner, profile, outside_arrays(shape) + 2);
  Prediction prediction;
  double computing_s = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const bool last = i + 1 == passes.size();
    const double read = passes[i].read_arrays;
    // The first pass brings the block's inputs, the last takes its result away; a core does either
    // that or work in its cache.
    const Range from_memory =
        moving(p, memory, {i == 0 ? outside.read : 0, last ? outside.written : 0});
    const Range in_cache = moving(p, cache, {i == 0 ? 0 : read, last ? 0.0 : 1.0});
    const Range arithmetic = seconds(flops_of(p, passes[i].count), memory.flops_per_s);
    const Range both = sum(from_memory, in_cache);
    prediction.time_s = sum(prediction.time_s, overlapped(both, arithmetic));
    if (arithmetic.value > both.value) computing_s += arithmetic.value;
  }
  prediction.launches = 1;
  prediction.time_s = sum(prediction.time_s, constant(memory.launch_s));
  prediction.moved_bytes = program_bytes(p, outside);
  prediction.dram_bytes = dram_bytes_of(p, memory, outside);
  const bool by_memory = moving(p, memory, outside).value > 0.5 * prediction.time_s.value;
  prediction.bound =
      bound_of(by_memory ? memory : cache, memory.launch_s, computing_s, prediction.time_s.value);
  prediction.rates = memory;
  return prediction;
}

double crossover_operations(const Parameters& p, const MachineProfile& profile) {
  ChainShape fused = chain_shape(p);
  fused.group = fused.operations;
  const Rates rates = rates_of(p, profile, touched_arrays(fused));
  return moving(p, rates, outside_traffic(fused)).value /
         seconds(flops_of(p, 1), rates.flops_per_s).value;
}

double implied_operations(const Parameters& p, double speedup, const MachineProfile& profile) {
  constexpr int most = 4096;
  const auto speedup_of = [&](int operations) {
    ChainShape shape = chain_shape(p);
    shape.operations = operations;
    shape.group = 1;
    const double unfused = predict(p, shape, profile).time_s.value;
    shape.group = operations;
    return unfused / predict(p, shape, profile).time_s.value;
  };
  double before = 0;
  for (int operations = 1; operations <= most; ++operations) {
    const double now = speedup_of(operations);
    if (now >= speedup) {
      return operations == 1 ? 1.0 : operations - 1 + (speedup - before) / (now - before);
    }
    before = std::max(before, now);
  }
  throw CaseFailed(fmt::format(
      "no chain of up to {} {} operations is {:.4g} times faster when fused on {}: fused chains of "
      "more than {:.0f} operations are bound by arithmetic, and the speed-up ends at {:.4g}",
      most, name_of(p.inputs), speedup, profile.name, crossover_operations(p, profile), before));
}

Result model(const Parameters& p, Context& context) {
  const MachineProfile& profile = *context.machine_profile;
  const bool gpu = profile.kind == machine::MachineKind::gpu;
  if (gpu && p.block > 0) {
    throw CaseSkipped(
        fmt::format("blocks are a processor's; profile {} is of a GPU", profile.name));
  }
  const ChainShape shape = chain_shape(p);
  ChainShape unfused = shape;
  unfused.group = 1;
  const Prediction prediction =
      p.block > 0 ? predict_blocked(p, shape, profile) : predict(p, shape, profile);
  const Range& time = prediction.time_s;
  const double bandwidth = prediction.moved_bytes / time.value;
  const double copy = program_bytes(p, {1, 1}) / moving(p, prediction.rates, {1, 1}).value;
  Result result;
  result.set_value("time_s", time.value, time.low, time.high);
  result.set_value("speedup_ratio", predict(p, unfused, profile).time_s.value / time.value);
  result.set_value("bandwidth_bytes_per_s", bandwidth);
  result.set_value("copy_bytes_per_s", copy);
  result.set_value("fraction_of_copy_ratio", bandwidth / copy);
  if (prediction.dram_bytes) result.set_value("dram_bytes", *prediction.dram_bytes);
  result.set_value("launches_count", prediction.launches);
  result.set_value("crossover_operations", crossover_operations(p, profile));
  if (p.observed_speedup > 0) {
    result.set_value("implied_operations", implied_operations(p, p.observed_speedup, profile));
  }
  result.set_text("bound", prediction.bound);
  result.set_text("chain", describe(shape));
  if (!prediction.rates.launch_note.empty()) result.add_note(prediction.rates.launch_note);
  return result;
}

}  // namespace hpclab::roofline::fusion
