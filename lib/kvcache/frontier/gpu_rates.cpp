// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From a machine profile to the rates that bind a step.
#include "core/error.hpp"
#include "kvcache/frontier/step_time.hpp"

#include <fmt/format.h>

namespace hpclab::kvcache::frontier {
namespace {

// Shares of the theoretical bandwidth that matrix products of one token were seen to reach: 81 % on
// an A100 and 84 % on an H100 (Vidur's profiles), 94 % on an RTX 4090 (LLMServingSim's).
constexpr double least_share = 0.80;

const machine::Figure* first(const machine::MachineProfile& profile,
                             std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const machine::Figure* figure = profile.find("peak", name)) return figure;
  }
  return nullptr;
}

}  // namespace

GpuRates gpu_rates(const machine::MachineProfile& profile) {
  GpuRates rates;
  if (const machine::Figure* read = profile.find("dram", "read_bytes_per_s")) {
    rates.bytes_per_s = read->value;
    const auto range = profile.interval95("dram", "read_bytes_per_s");
    rates.low_bytes_per_s = range[0];
    rates.high_bytes_per_s = range[1];
  } else {
    rates.bytes_per_s = profile.require("dram", "theoretical_bytes_per_s");
    rates.low_bytes_per_s = least_share * rates.bytes_per_s;
    rates.high_bytes_per_s = rates.bytes_per_s;
    rates.notes.push_back(fmt::format(
        "profile {} states the theoretical bandwidth only: kernels reach {:.0f} to 95 % of one",
        profile.name, 100 * least_share));
  }
  const machine::Figure* wide = first(
      profile, {"bf16_tensor_flops_per_s", "fp16_tensor_flops_per_s", "fp16_vector_flops_per_s"});
  if (!wide) {
    throw CaseFailed(
        fmt::format("profile {} states no peak of 16-bit products "
                    "(peak.bf16_tensor_flops_per_s)",
                    profile.name));
  }
  rates.flops16_per_s = wide->value;
  const machine::Figure* narrow = first(profile, {"fp8_tensor_flops_per_s"});
  rates.flops8_per_s = narrow ? narrow->value : wide->value;
  for (const char* name :
       {"nvlink_each_way_bytes_per_s", "xgmi_each_way_bytes_per_s", "pcie_each_way_bytes_per_s"}) {
    if (const machine::Figure* link = profile.find("link", name)) {
      rates.link_bytes_per_s = link->value;
      break;
    }
  }
  if (const machine::Figure* launch = profile.find("launch", "graph_kernel_s")) {
    rates.kernel_s = launch->value;
  } else {
    rates.notes.push_back(fmt::format(
        "profile {} states no launch.graph_kernel_s: starts of kernels cost nothing in this model",
        profile.name));
  }
  return rates;
}

}  // namespace hpclab::kvcache::frontier
