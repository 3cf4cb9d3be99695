// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A profile of this machine's processor from documentation alone: nothing in it is measured.
#pragma once

#include "machine/microarchitecture.hpp"
#include "machine/profile.hpp"
#include "machine/system_root.hpp"

#include <optional>
#include <string>

namespace hpclab::machine {

/// The name under which `--machine` gives it.
inline constexpr const char* this_cpu_name = "this-cpu";

/// The clock that the processor is sold with, and where it was read.
struct NominalClock {
  double base_hz = 0;
  std::optional<double> boost_hz;
  std::string source;
};

/// From cpufreq (base_frequency, cpuinfo_max_freq), else from /proc/cpuinfo (in guests the rate of
/// the time stamp counter, which is the base clock); rounded to 10 MHz, so that the profile does
/// not change from boot to boot. nullopt when the system states none.
std::optional<NominalClock> nominal_clock(const SystemRoot& root = SystemRoot());

/// Per-core facts of the processor that runs this program; the reason when it is not in the shipped
/// table.
MicroarchitectureLookup this_microarchitecture();

/// Theoretical ceilings of the processor at its nominal clock: loads of L1, L2 and L3 where
/// documented and the peaks of every documented instruction set and type, for one core and for all
/// allowed cores. `sha256` is that of the profile's JSON. Throws NotAvailable for a processor that
/// is not in the table.
MachineProfile this_cpu_profile();

}  // namespace hpclab::machine
