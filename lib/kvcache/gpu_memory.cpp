// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/gpu_memory.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

// Between GPUs of one node; the bridges of workstation cards are no faster than the bus.
constexpr double fast_link_bytes_per_s = 100e9;

// Drivers report 1 to 5 % less than the size as sold.
constexpr double reported_share = 0.985;

}  // namespace

GpuMemory gpu_memory(const machine::MachineProfile& profile) {
  if (profile.kind != machine::MachineKind::gpu) {
    throw CaseFailed(fmt::format("profile {} is of a processor, not of a GPU", profile.name));
  }
  GpuMemory gpu;
  gpu.name = profile.name;
  if (profile.find("memory", "driver_size_bytes")) {
    gpu.total_bytes = profile.require("memory", "driver_size_bytes");
    const auto range = profile.interval95("memory", "driver_size_bytes");
    gpu.low_bytes = range[0];
    gpu.high_bytes = range[1];
  } else {
    const double sold = profile.require("memory", "size_bytes");
    gpu.total_bytes = sold * reported_share;
    gpu.low_bytes = sold * 0.95;
    gpu.high_bytes = sold;
  }
  if (const auto* count = profile.find("processor", "sm_count")) {
    gpu.multiprocessors = static_cast<std::int64_t>(count->value);
  }
  const auto* link = profile.find("link", "nvlink_each_way_bytes_per_s");
  if (!link) link = profile.find("link", "xgmi_each_way_bytes_per_s");
  gpu.fast_links = link && link->value >= fast_link_bytes_per_s;
  // Its kernels need the generation that brought bf16.
  gpu.flashinfer = profile.find("peak", "bf16_tensor_flops_per_s") != nullptr;
  return gpu;
}

}  // namespace hpclab::kvcache
