// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/core/counters.hpp"
#include "cuda/core/driver_state.hpp"

#include <fstream>
#include <iterator>

namespace hpclab::cuda {
namespace {

// CAP_SYS_ADMIN is bit 21 of the effective capabilities (capability.h of the kernel); a root user
// of a container often lacks it.
bool has_administrator_capability() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "CapEff:") continue;
    std::uint64_t capabilities = 0;
    status >> std::hex >> capabilities;
    return (capabilities >> 21 & 1) != 0;
  }
  return false;
}

std::string text_of(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

CounterState query_counter_state() {
  CounterState state;
  try {
    state.chips = load_counters()->chips().size();
  } catch (const NotAvailable& missing) {
    state.reason = missing.reason();
    state.mend = missing.mend();
    return state;
  }
  const DriverState driver = query_driver_state();
  if (driver.condition != DriverCondition::available) {
    state.condition = CounterCondition::no_driver;
    state.reason = driver.reason;
    state.mend = driver.mend;
  } else if (!counters_permitted(text_of("/proc/driver/nvidia/params"),
                                 has_administrator_capability())) {
    state.condition = CounterCondition::no_permission;
    state.reason = "the driver keeps GPU counters from this user (ERR_NVGPUCTRPERM)";
    state.mend =
        "Load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or run with the "
        "capability SYS_ADMIN";
  } else {
    state.condition = CounterCondition::available;
  }
  return state;
}

}  // namespace hpclab::cuda
