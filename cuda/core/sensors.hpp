// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Clock, power, energy, temperature and throttling of a GPU, read through NVML (libnvidia-ml),
// which is loaded at run time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::cuda {

/// One look at the sensors. A sensor that the GPU lacks is empty.
struct SensorReading {
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  std::optional<double> energy_j;  ///< since the driver was loaded
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> throttle_bits;
};

/// Why the clock is below its highest, as bits of nvmlClocksThrottleReason.
/// Idle and application-clock settings are named too; `is_throttled` ignores them.
std::vector<std::string> throttle_reasons(std::uint64_t bits);

/// True when power, heat or a brake holds the clock down: samples taken then are dropped.
bool is_throttled(std::uint64_t bits);

class Sensors {
 public:
  /// Opens the sensors of the GPU at this PCI address ("0000:17:00.0"), or of the first GPU when
  /// empty. Throws NotAvailable with reason and mend when NVML or the GPU is absent.
  explicit Sensors(const std::string& pci_address = {},
                   const std::string& library = "libnvidia-ml.so.1");
  ~Sensors();
  Sensors(Sensors&&) noexcept;
  Sensors& operator=(Sensors&&) noexcept;

  SensorReading read() const;
  std::string driver_version() const;
  /// Watts at which the driver holds the GPU; empty where unknown.
  std::optional<double> power_limit_w() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace hpclab::cuda
