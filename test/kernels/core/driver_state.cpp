// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/driver_state.hpp"

#include "cuda/core/runtime.hpp"
#include "cuda/core/sensors.hpp"
#include "kernels/support.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::cuda;

TEST_CASE("driver: are the three states without a device told apart by code and version?") {
  // Codes and versions as seen with the static runtime 13.0 on machines of each kind.
  const DriverState none = classify_driver(35, 0, 13000, 0);
  CHECK(none.condition == DriverCondition::no_driver);
  CHECK(test::contains(none.reason, "no NVIDIA driver"));
  const DriverState old = classify_driver(35, 12020, 13000, 0);
  CHECK(old.condition == DriverCondition::driver_too_old);
  CHECK(test::contains(old.reason, "serves CUDA 12.2, this program needs 13.0"));
  const DriverState absent = classify_driver(100, 13000, 13000, 0);
  CHECK(absent.condition == DriverCondition::no_device);
  CHECK(test::contains(absent.mend, "CUDA_VISIBLE_DEVICES"));
  for (const DriverState& state : {none, old, absent}) {
    CHECK_FALSE(state.mend.empty());
    CHECK_THROWS_AS(require_device(state), NotAvailable);
  }
}

TEST_CASE("driver: is a device count left over from an error ignored?") {
  CHECK(classify_driver(35, 0, 13000, 17).devices == 0);
  CHECK(classify_driver(0, 13000, 13000, 0).condition == DriverCondition::no_device);
  CHECK(classify_driver(999, 13000, 13000, 0).condition == DriverCondition::failed);
  const DriverState good = classify_driver(0, 13000, 13000, 2);
  CHECK(good.condition == DriverCondition::available);
  CHECK_NOTHROW(require_device(good));
}

TEST_CASE("driver: does asking for a device without one exit with 4 and the state's reason?") {
  const DriverState state = query_driver_state();
  if (state.condition == DriverCondition::available) {
    CHECK(make_device(0)->backend() == Backend::cuda);
    return;
  }
  try {
    make_device(0);
    FAIL("there is a device after all");
  } catch (const NotAvailable& error) {
    CHECK(error.code() == ExitCode::unavailable);
    CHECK(error.reason() == "backend cuda: " + state.reason);
    CHECK(error.mend() == state.mend);
  }
}

TEST_CASE("sensors: does a missing NVML say which library and what to do?") {
  try {
    Sensors sensors("", "libhpclab-no-such-nvml.so.1");
    FAIL("the library exists after all");
  } catch (const NotAvailable& error) {
    CHECK(test::contains(error.reason(), "libhpclab-no-such-nvml.so.1"));
    CHECK(test::contains(error.mend(), "NVIDIA driver"));
  }
}

TEST_CASE("sensors: are readings in SI units, and a sensor that the GPU lacks empty?") {
  const Sensors sensors("0000:17:00.0", HPCLAB_FAKE_NVML);
  const SensorReading reading = sensors.read();
  CHECK(reading.sm_clock_hz == 1980e6);
  CHECK(reading.memory_clock_hz == 3201e6);
  CHECK(std::fabs(*reading.power_w - 412.5) < 1e-9);
  CHECK(std::fabs(*reading.energy_j - 5e9) < 1e-3);
  CHECK_FALSE(reading.temperature_c.has_value());
  CHECK(reading.throttle_bits == 0x4u);
  CHECK(sensors.driver_version() == "580.65.06");
  CHECK(std::fabs(*sensors.power_limit_w() - 700) < 1e-9);
}

TEST_CASE("sensors: is a GPU that NVML does not know not available?") {
  try {
    Sensors sensors("0000:99:00.0", HPCLAB_FAKE_NVML);
    FAIL("the GPU is known after all");
  } catch (const NotAvailable& error) {
    CHECK(test::contains(error.reason(), "0000:99:00.0"));
  }
}

TEST_CASE("sensors: are throttle bits named, and idle not taken for throttling?") {
  CHECK(throttle_reasons(0).empty());
  CHECK(throttle_reasons(0x4 | 0x80) ==
        std::vector<std::string>{"software power cap", "hardware power brake"});
  CHECK_FALSE(is_throttled(0x1 | 0x2 | 0x10 | 0x100));
  for (const std::uint64_t bit : {0x4u, 0x8u, 0x20u, 0x40u, 0x80u}) {
    CHECK(is_throttled(bit | 0x1));
  }
}
