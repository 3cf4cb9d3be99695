// hpclab: SPDX-License-Identifier: Apache-2.0
#include "measure/operator_race/ceilings.hpp"

#include <chrono>

namespace hpclab::race {
namespace {

using roofline::ceilings::BandwidthKind;
using roofline::ceilings::PeakPrecision;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Ceilings::Ceilings(InstructionSet isa, std::size_t bytes)
    : read_(roofline::ceilings::find_bandwidth_kernel(BandwidthKind::read, isa)),
      mix_(roofline::ceilings::find_bandwidth_kernel(BandwidthKind::mix_7r1w, isa)),
      peak_(roofline::ceilings::find_peak_kernel(PeakPrecision::fp64, isa)),
      from_(bytes / sizeof(double)),
      to_(bytes / sizeof(double) / 8 + 64) {
  for (std::size_t i = 0; i < from_.size(); ++i) from_[i] = 1 + 1e-3 * static_cast<double>(i % 997);
  for (std::size_t i = 0; i < to_.size(); ++i) to_[i] = 1;
}

double Ceilings::bandwidth(const roofline::ceilings::BandwidthKernel& kernel) {
  const std::size_t doubles = from_.size() / 64 * 64;
  const auto begin = std::chrono::steady_clock::now();
  kernel.run(to_.data(), from_.data(), nullptr, 1.5, doubles, 1);
  const double seconds = seconds_since(begin);
  return kernel.work(doubles).dram_bytes / seconds;
}

double Ceilings::read_bytes_per_s() {
  return bandwidth(*read_);
}
double Ceilings::mix_bytes_per_s() {
  return bandwidth(*mix_);
}

double Ceilings::multiply_adds_per_s() {
  constexpr std::size_t trips = 200000;
  const auto begin = std::chrono::steady_clock::now();
  volatile double sink = peak_->run(trips);
  (void)sink;
  return static_cast<double>(trips) * peak_->instructions / seconds_since(begin);
}

}  // namespace hpclab::race
