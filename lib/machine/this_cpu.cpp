// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/this_cpu.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "machine/profile_search.hpp"
#include "machine/topology.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::machine {
namespace {

double rounded_to_10_mhz(double hz) {
  return std::round(hz / 1e7) * 1e7;
}

std::optional<double> frequency_file(const SystemRoot& root, const std::string& name) {
  const auto text = root.text("/sys/devices/system/cpu/cpu0/cpufreq/" + name);
  if (!text) return std::nullopt;
  const double khz = std::strtod(text->c_str(), nullptr);
  return khz > 0 ? std::optional(rounded_to_10_mhz(khz * 1e3)) : std::nullopt;
}

// "cpu MHz : 2595.124" of the first processor.
std::optional<double> cpuinfo_clock(const SystemRoot& root) {
  const std::string text = root.text("/proc/cpuinfo").value_or("");
  const std::size_t line = text.find("cpu MHz");
  const std::size_t colon = line == std::string::npos ? line : text.find(':', line);
  if (colon == std::string::npos) return std::nullopt;
  const double mhz = std::strtod(text.c_str() + colon + 1, nullptr);
  return mhz > 0 ? std::optional(rounded_to_10_mhz(mhz * 1e6)) : std::nullopt;
}

struct PeakName {
  NumberType type;
  CodePath path;
  const char* name;
};

constexpr PeakName peak_names[] = {
    {NumberType::fp64, CodePath::scalar, "fp64_scalar_flops_per_s"},
    {NumberType::fp64, CodePath::avx2, "fp64_avx2_flops_per_s"},
    {NumberType::fp64, CodePath::avx512, "fp64_avx512_flops_per_s"},
    {NumberType::fp32, CodePath::scalar, "fp32_scalar_flops_per_s"},
    {NumberType::fp32, CodePath::avx2, "fp32_avx2_flops_per_s"},
    {NumberType::fp32, CodePath::avx512, "fp32_avx512_flops_per_s"},
    {NumberType::fp16, CodePath::avx512, "fp16_avx512_flops_per_s"},
    {NumberType::bf16, CodePath::avx512, "bf16_avx512_flops_per_s"},
    {NumberType::int8, CodePath::avx512, "int8_avx512_ops_per_s"},
};

Figure derived(double value, const std::string& source, const std::string& conditions = "") {
  Figure figure;
  figure.value = value;
  figure.status = FigureStatus::derived;
  figure.source = source;
  figure.conditions = conditions;
  return figure;
}

// The figure for one core and for all of them.
void set_both(MachineProfile& profile, const std::string& group, const std::string& name,
              double core_value, int cores, const std::string& source) {
  profile.set(group, "core_" + name, derived(core_value, source));
  profile.set(group, name,
              derived(core_value * cores, fmt::format("{} cores x the figure of one core", cores)));
}

}  // namespace

std::optional<NominalClock> nominal_clock(const SystemRoot& root) {
  NominalClock clock;
  clock.boost_hz = frequency_file(root, "cpuinfo_max_freq");
  if (const auto base = frequency_file(root, "base_frequency")) {
    clock.base_hz = *base;
    clock.source = "cpufreq base_frequency";
  } else if (const auto cpuinfo = cpuinfo_clock(root); cpuinfo && !clock.boost_hz) {
    // With cpufreq, "cpu MHz" is the clock of this moment; without (in guests) that of the counter.
    clock.base_hz = *cpuinfo;
    clock.source = "/proc/cpuinfo (rate of the time stamp counter)";
  } else if (clock.boost_hz) {
    clock.base_hz = *clock.boost_hz;
    clock.source = "cpufreq cpuinfo_max_freq";
  } else {
    return std::nullopt;
  }
  return clock;
}

MicroarchitectureLookup this_microarchitecture() {
  const auto file = microarchitectures_file();
  if (file.empty())
    return {std::nullopt, "microarchitectures.json was not found beside the program"};
  return find_microarchitecture(cpu_identity(), file);
}

MachineProfile this_cpu_profile() {
  const MicroarchitectureLookup lookup = this_microarchitecture();
  if (!lookup.found) {
    throw NotAvailable("no theoretical ceilings for this processor: " + lookup.reason,
                       "Give --machine NAME, or run with --method measure");
  }
  const auto clock = nominal_clock();
  if (!clock) {
    throw NotAvailable("the system states no clock of this processor",
                       "Give --machine NAME, or run with --method measure");
  }
  const Microarchitecture& core = *lookup.found;
  const int cores = discover_topology().cores;
  MachineProfile profile;
  profile.name = this_cpu_name;
  profile.kind = MachineKind::cpu;
  profile.description =
      fmt::format("{}, {} allowed cores, from documentation", core.description, cores);
  profile.set("processor", "core_count", derived(cores, "cores that this process may use"));
  profile.set("clock", "base_hz", derived(clock->base_hz, clock->source));
  if (clock->boost_hz)
    profile.set("clock", "boost_hz", derived(*clock->boost_hz, "cpufreq cpuinfo_max_freq"));
  for (const auto& [group, fact] :
       {std::pair{"l1", "l1_load_bytes_per_cycle"}, std::pair{"l2", "l2_to_l1_bytes_per_cycle"},
        std::pair{"l3", "l3_to_l2_bytes_per_cycle"}}) {
    if (const auto rate = theoretical_bytes_per_s(core, fact, clock->base_hz)) {
      set_both(profile, group, "theoretical_bytes_per_s", *rate, cores,
               fmt::format("{} ({}) x {:.2f} GHz", fact, core.facts.at(fact).source,
                           clock->base_hz * 1e-9));
    }
  }
  for (const PeakName& peak : peak_names) {
    if (const auto rate =
            theoretical_operations_per_s(core, peak.type, peak.path, clock->base_hz)) {
      set_both(profile, "peak", peak.name, *rate, cores,
               fmt::format("{} facts x {:.2f} GHz", core.name, clock->base_hz * 1e-9));
    }
  }
  profile.sha256 = sha256_hex(profile_to_json(profile).dump());
  return profile;
}

}  // namespace hpclab::machine
