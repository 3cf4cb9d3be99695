// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/model.hpp"

#include "machine/profile.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

namespace hpclab::kvcache::decode {
namespace {

using machine::MachineProfile;

struct Rates {
  std::string level;
  double bytes_per_s = 0;
  std::array<double, 2> range{};
  double flops_per_s = 0;
  double launch_s = 0;
};

// What `threads` threads get: no more than a core's share each, and than there is.
double of_threads(const MachineProfile& profile, const std::string& group, const std::string& name,
                  double threads) {
  const double cores = profile.require("processor", "core_count");
  const machine::Figure* core = profile.find(group, "core_" + name);
  const double all = profile.require(group, name);
  return core && threads < cores ? std::min(all, threads * core->value) : all;
}

Rates cpu_rates(const Parameters& p, const MachineProfile& profile, double kv_bytes) {
  const auto threads = static_cast<double>(p.threads);
  Rates rates;
  const machine::Figure* l3 = profile.find("l3", "size_bytes");
  const machine::Figure* count = profile.find("l3", "instance_count");
  const bool cached = l3 && kv_bytes < l3->value * (count ? count->value : 1) &&
                      profile.find("l3", "read_bytes_per_s");
  rates.level = cached ? "l3" : "dram";
  rates.bytes_per_s = of_threads(profile, rates.level, "read_bytes_per_s", threads);
  const double all = profile.require(rates.level, "read_bytes_per_s");
  rates.range = profile.interval95(rates.level, "read_bytes_per_s");
  for (double& end : rates.range) end *= rates.bytes_per_s / all;
  const std::string peak = fmt::format(
      "{}_{}_flops_per_s",
      uses_pairs(p) && profile.find("peak", "bf16_avx512_flops_per_s") ? "bf16" : "fp32", p.isa);
  rates.flops_per_s = of_threads(profile, "peak", peak, threads);
  if (const machine::Figure* launch = profile.find("launch", "kernel_s"))
    rates.launch_s = 2 * launch->value;  // spans and merge
  return rates;
}

Rates gpu_rates(const MachineProfile& profile) {
  Rates rates;
  rates.level = "dram";
  const char* name =
      profile.find("dram", "read_bytes_per_s") ? "read_bytes_per_s" : "theoretical_bytes_per_s";
  rates.bytes_per_s = profile.require("dram", name);
  rates.range = profile.interval95("dram", name);
  rates.flops_per_s = profile.require("peak", "fp32_vector_flops_per_s");
  if (const machine::Figure* launch = profile.find("launch", "kernel_s"))
    rates.launch_s = 2 * launch->value;
  return rates;
}

}  // namespace

Result model(const Parameters& p, Context& context) {
  const MachineProfile& profile = *context.machine_profile;
  const AttentionShape shape = attention_shape(p);
  const DecodeWork work = work_of(shape, make_lengths(p.lengths, p.batch, p.context, context.seed));
  const Rates rates = profile.kind == machine::MachineKind::gpu
                          ? gpu_rates(profile)
                          : cpu_rates(p, profile, work.kv_bytes);
  const double compute_s = work.flops / rates.flops_per_s;
  const auto time_at = [&](double bytes_per_s) {
    return std::max(work.kv_bytes / bytes_per_s, compute_s) + rates.launch_s;
  };
  const double time_s = time_at(rates.bytes_per_s);
  Result result;
  result.set_value("time_s", time_s, time_at(rates.range[1]), time_at(rates.range[0]));
  result.set_value("kv_bandwidth_bytes_per_s", work.kv_bytes / time_s);
  result.set_value("fraction_of_bandwidth_ratio", work.kv_bytes / time_s / rates.bytes_per_s);
  result.set_value("tokens_per_s", static_cast<double>(p.batch) / time_s);
  result.set_value("read_bytes_per_s", rates.bytes_per_s);
  result.set_value("kv_bytes", work.kv_bytes);
  result.set_work("kv_bytes", work.kv_bytes);
  result.set_work("flops", work.flops);
  result.set_text("attention", describe(shape));
  result.set_text("bound",
                  compute_s > work.kv_bytes / rates.bytes_per_s ? "multiply-adds" : rates.level);
  if (rates.launch_s == 0) {
    result.add_note(fmt::format(
        "profile {} states no launch.kernel_s: starts cost nothing in this model", profile.name));
  }
  return result;
}

}  // namespace hpclab::kvcache::decode
