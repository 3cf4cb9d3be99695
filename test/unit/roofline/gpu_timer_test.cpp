// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_timer.hpp"

#include "cuda/roofline/ceilings/tensor_multiply.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;

namespace {

constexpr std::uint64_t power_cap = 0x4;  // nvmlClocksThrottleReasonSwPowerCap

GpuSample sample(double time_s, double clock_hz, std::uint64_t bits, double energy_j) {
  GpuSample s;
  s.time_s = time_s;
  s.reading.sm_clock_hz = clock_hz;
  s.reading.throttle_bits = bits;
  s.reading.energy_j = energy_j;
  s.reading.power_w = 500;
  return s;
}

SampleSet set_of(const std::vector<GpuSample>& samples) {
  SampleSet set;
  for (const GpuSample& s : samples) set.samples_s.push_back(s.time_s);
  set.count = samples.size();
  set.median_s = 99;
  return set;
}

}  // namespace

TEST_CASE("gpu samples: are throttled ones dropped, and said so?") {
  const std::vector<GpuSample> samples{sample(1, 2e9, 0, 0), sample(3, 1e9, power_cap, 10),
                                       sample(2, 2e9, 1, 20), sample(2, 2e9, 0, 30)};
  const GpuSamples kept = without_throttled(set_of(samples), samples, 5);
  CHECK(kept.set.count == 3);
  CHECK(kept.set.median_s == 2);
  CHECK(kept.sensors.highest_clock_hz == 2e9);
  CHECK(kept.sensors.energy_j == 2.0);  // 30 J over 3 samples of 5 pieces
  REQUIRE(kept.set.notes.size() == 1);
  CHECK(kept.set.notes[0].find("1 of 4 samples dropped") != std::string::npos);
  CHECK(kept.set.notes[0].find("power cap") != std::string::npos);
}

TEST_CASE("gpu samples: do all stay when all were throttled?") {
  const std::vector<GpuSample> samples{sample(1, 1e9, power_cap, 0), sample(3, 1e9, power_cap, 0)};
  const GpuSamples kept = without_throttled(set_of(samples), samples, 1);
  CHECK(kept.set.count == 2);
  CHECK(kept.set.median_s == 99);
  CHECK_FALSE(kept.sensors.energy_j);
  REQUIRE(kept.set.notes.size() == 1);
  CHECK(kept.set.notes[0].find("all samples") != std::string::npos);
}

TEST_CASE("tensor elements: are they random, bounded, never zero, and read back as made?") {
  for (const TensorPrecision precision :
       {TensorPrecision::fp64, TensorPrecision::tf32, TensorPrecision::bf16, TensorPrecision::fp16,
        TensorPrecision::fp8}) {
    INFO(name_of(precision));
    const auto bytes = random_elements(precision, 1000, 3);
    REQUIRE(bytes.size() == 1000 * element_bytes(precision));
    double sum = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      const double value = element_value(precision, bytes.data(), i);
      REQUIRE(std::abs(value) >= 0.125);
      REQUIRE(std::abs(value) < 2);
      sum += value;
    }
    CHECK(std::abs(sum) < 100);  // signs are balanced: a standard deviation is 28
  }
  // IEEE patterns by hand: -1.5 in fp16 is 0xbe00, 0.4375 in e4m3 is 0x2e, 1.0 in bf16 is 0x3f80.
  const std::uint8_t half[]{0x00, 0xbe};
  const std::uint8_t eighth[]{0x2e};
  const std::uint8_t bfloat[]{0x80, 0x3f};
  const std::uint8_t integer[]{0x80};
  CHECK(element_value(TensorPrecision::fp16, half, 0) == -1.5);
  CHECK(element_value(TensorPrecision::fp8, eighth, 0) == 0.4375);
  CHECK(element_value(TensorPrecision::bf16, bfloat, 0) == 1.0);
  CHECK(element_value(TensorPrecision::int8, integer, 0) == -128);
}
