// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/sensors.hpp"

#include "core/error.hpp"
#include "cuda/core/dynamic_library.hpp"

#include <utility>

#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

// From the NVML reference: the numbers that its interface fixes. The toolkit's header is not
// needed.
constexpr int nvml_success = 0;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int temperature_gpu = 0;

struct Reason {
  std::uint64_t bit;
  const char* name;
  bool throttles;
};
constexpr Reason reasons[] = {{0x001, "idle", false},
                              {0x002, "application clocks", false},
                              {0x004, "software power cap", true},
                              {0x008, "hardware slowdown", true},
                              {0x010, "sync boost", false},
                              {0x020, "software thermal slowdown", true},
                              {0x040, "hardware thermal slowdown", true},
                              {0x080, "hardware power brake", true},
                              {0x100, "display clocks", false}};

using Device = void*;

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const Reason& reason : reasons) {
    if ((bits & reason.bit) != 0) {
      names.emplace_back(reason.name);
    }
  }
  return names;
}

bool is_throttled(std::uint64_t bits) {
  for (const Reason& reason : reasons) {
    if (reason.throttles && (bits & reason.bit) != 0) {
      return true;
    }
  }
  return false;
}

struct Sensors::Library {
  explicit Library(const std::string& name) : shared(name) {}
  ~Library() {
    auto* shutdown = shared.find<int()>("nvmlShutdown");
    if (initialised && shutdown != nullptr) {
      shutdown();
    }
  }

  /// Calls `symbol(device, arguments...)`; false when it is missing or refuses.
  template <class... Arguments>
  bool ask(const char* symbol, Arguments... arguments) const {
    auto* function = shared.find<int(Device, Arguments...)>(symbol);
    return function != nullptr && function(device, arguments...) == nvml_success;
  }

  /// A sensor that answers with an unsigned number, times `unit`.
  template <class Number, class... Arguments>
  std::optional<double> sensor(double unit, const char* symbol, Arguments... arguments) const {
    Number value = 0;
    if (!ask(symbol, arguments..., &value)) {
      return std::nullopt;
    }
    return static_cast<double>(value) * unit;
  }

  DynamicLibrary shared;
  Device device = nullptr;
  bool initialised = false;
};

Sensors::Sensors(const std::string& pci_address, const std::string& library)
    : library_(std::make_unique<Library>(library)) {
  Library& nvml = *library_;
  if (!nvml.shared.loaded()) {
    throw NotAvailable(fmt::format("GPU sensors: {}", nvml.shared.reason()),
                       "NVML comes with the NVIDIA driver; in a container, mount it (capability "
                       "'utility')");
  }
  auto* initialise = nvml.shared.find<int()>("nvmlInit_v2");
  const int status = initialise == nullptr ? -1 : initialise();
  if (status != nvml_success) {
    throw NotAvailable(fmt::format("GPU sensors: nvmlInit_v2 answers {}", status),
                       "Check that the NVIDIA driver is loaded and of the version of its library");
  }
  nvml.initialised = true;
  bool found = false;
  if (pci_address.empty()) {
    auto* by_index = nvml.shared.find<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
    found = by_index != nullptr && by_index(0, &nvml.device) == nvml_success;
  } else {
    auto* by_address =
        nvml.shared.find<int(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
    found = by_address != nullptr && by_address(pci_address.c_str(), &nvml.device) == nvml_success;
  }
  if (!found) {
    throw NotAvailable(fmt::format("GPU sensors: NVML knows no GPU {}", pci_address),
                       "Check that nvidia-smi lists the GPU");
  }
}

Sensors::~Sensors() = default;
Sensors::Sensors(Sensors&&) noexcept = default;
Sensors& Sensors::operator=(Sensors&&) noexcept = default;

SensorReading Sensors::read() const {
  const Library& nvml = *library_;
  SensorReading reading;
  reading.sm_clock_hz = nvml.sensor<unsigned>(1e6, "nvmlDeviceGetClockInfo", clock_sm);
  reading.memory_clock_hz = nvml.sensor<unsigned>(1e6, "nvmlDeviceGetClockInfo", clock_memory);
  reading.power_w = nvml.sensor<unsigned>(1e-3, "nvmlDeviceGetPowerUsage");
  reading.energy_j = nvml.sensor<unsigned long long>(1e-3, "nvmlDeviceGetTotalEnergyConsumption");
  reading.temperature_c = nvml.sensor<unsigned>(1, "nvmlDeviceGetTemperature", temperature_gpu);
  unsigned long long bits = 0;
  if (nvml.ask("nvmlDeviceGetCurrentClocksEventReasons", &bits) ||
      nvml.ask("nvmlDeviceGetCurrentClocksThrottleReasons", &bits)) {
    reading.throttle_bits = bits;
  }
  return reading;
}

std::string Sensors::driver_version() const {
  char text[96] = {};
  auto* ask = library_->shared.find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  return ask != nullptr && ask(text, sizeof(text)) == nvml_success ? text : "";
}

std::optional<double> Sensors::power_limit_w() const {
  return library_->sensor<unsigned>(1e-3, "nvmlDeviceGetEnforcedPowerLimit");
}

}  // namespace hpclab::cuda
