// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_theory.hpp"

#include "cuda/core/work.hpp"

#include <array>

namespace hpclab::roofline::ceilings {
namespace {

// Multiply-adds of one multiprocessor in a cycle; 0 where it has none or nothing is documented.
struct Rates {
  int major;
  int minor;
  double fp64, fp32, fp16, bf16;
  double tensor_fp64, tensor_tf32, tensor_16_bit, tensor_fp8, tensor_int8;
};

constexpr std::array known_rates{
    Rates{7, 0, 32, 64, 128, 0, 0, 0, 512, 0, 0},
    Rates{7, 5, 2, 64, 128, 0, 0, 0, 512, 0, 1024},
    Rates{8, 0, 32, 64, 256, 128, 64, 512, 1024, 0, 2048},
    Rates{8, 6, 2, 128, 128, 128, 0, 0, 0, 0, 0},
    Rates{8, 9, 2, 128, 128, 128, 0, 0, 0, 0, 0},
    Rates{9, 0, 64, 128, 256, 256, 128, 1024, 2048, 4096, 4096},
};

double rate_of(const Rates& rates, PeakPrecision precision, MultiplyUnit unit) {
  const bool tensor = unit == MultiplyUnit::tensor;
  switch (precision) {
    case PeakPrecision::fp64:
      return tensor ? rates.tensor_fp64 : rates.fp64;
    case PeakPrecision::fp32:
      return tensor ? 0 : rates.fp32;
    case PeakPrecision::fp16:
      return tensor ? rates.tensor_16_bit : rates.fp16;
    case PeakPrecision::bf16:
      // The first tensor cores know no bf16.
      return tensor ? (rates.major < 8 ? 0 : rates.tensor_16_bit) : rates.bf16;
    case PeakPrecision::int8:
      return tensor ? rates.tensor_int8 : 0;
    case PeakPrecision::tf32:
      return tensor ? rates.tensor_tf32 : 0;
    case PeakPrecision::fp8:
      return tensor ? rates.tensor_fp8 : 0;
  }
  return 0;
}

}  // namespace

std::optional<double> gpu_operations_per_cycle(int compute_major, int compute_minor,
                                               PeakPrecision precision, MultiplyUnit unit) {
  for (const Rates& rates : known_rates) {
    if (rates.major != compute_major || rates.minor != compute_minor) continue;
    const double rate = rate_of(rates, precision, unit);
    if (rate > 0) return 2 * rate;
  }
  return std::nullopt;
}

std::optional<double> gpu_bandwidth_bytes_per_s(const cuda::DeviceFacts& facts, MemoryLevel level,
                                                std::int64_t conflict, double sm_clock_hz) {
  if (level == MemoryLevel::shared && facts.multiprocessors > 0 && sm_clock_hz > 0) {
    return facts.multiprocessors * cuda::wavefront_bytes * sm_clock_hz /
           static_cast<double>(conflict);
  }
  if (level == MemoryLevel::dram && facts.memory_clock_hz > 0 && facts.memory_bus_bits > 0) {
    return 2 * facts.memory_clock_hz * facts.memory_bus_bits / 8;
  }
  return std::nullopt;
}

std::optional<double> gpu_flops_per_s(const cuda::DeviceFacts& facts, PeakPrecision precision,
                                      MultiplyUnit unit, double sm_clock_hz) {
  const auto per_cycle =
      gpu_operations_per_cycle(facts.compute_major, facts.compute_minor, precision, unit);
  if (!per_cycle || facts.multiprocessors <= 0 || sm_clock_hz <= 0) return std::nullopt;
  return *per_cycle * facts.multiprocessors * sm_clock_hz;
}

}  // namespace hpclab::roofline::ceilings
