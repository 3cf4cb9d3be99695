// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What one core can do per cycle, by CPUID family and model: the limits that a measured ceiling
// must not exceed. The facts and their sources lie in configs/machines/microarchitectures.json.
#pragma once

#include "machine/cpu_features.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hpclab::machine {

struct CoreFact {
  double value = 0;
  std::string source;
};

enum class NumberType { fp64, fp32, fp16, bf16, int8 };
enum class CodePath { scalar, avx2, avx512, amx };

/// Facts about one core, named with their unit: l1_load_bytes_per_cycle, avx512_fma_per_cycle
/// (number of instructions), fp_add_latency_cycles, outstanding_l1_misses_count.
struct Microarchitecture {
  std::string name;
  std::string description;
  std::map<std::string, CoreFact> facts;

  /// nullopt when the file states no such fact for this core.
  std::optional<double> find(std::string_view fact) const;
  /// Throws CaseFailed naming core and fact when it is missing.
  double require(std::string_view fact) const;
};

/// Result of a lookup: a core, or the reason why there is none.
struct MicroarchitectureLookup {
  std::optional<Microarchitecture> found;
  std::string reason;
};

/// The entry whose vendor, family and model range fit `cpu`. An unknown processor is not an error.
/// Throws UsageError when `file` is malformed (with a JSON pointer).
MicroarchitectureLookup find_microarchitecture(const CpuIdentity& cpu,
                                               const std::filesystem::path& file);

/// Operations a cycle of one core, a multiply-add counted as two: instructions a cycle x lanes x 2.
/// bf16 and int8 use the dot-product instructions (VDPBF16PS, VPDPBUSD), fp16 AVX512-FP16, `amx`
/// the tile unit. nullopt when the core lacks the instructions or their rate is not known.
std::optional<double> operations_per_cycle(const Microarchitecture& core, NumberType type,
                                           CodePath path);

/// The same per second at `clock_hz`.
std::optional<double> theoretical_operations_per_s(const Microarchitecture& core, NumberType type,
                                                   CodePath path, double clock_hz);

/// Bytes a second of one core at `clock_hz` for a fact like "l1_load_bytes_per_cycle"; nullopt when
/// the rate is not known.
std::optional<double> theoretical_bytes_per_s(const Microarchitecture& core,
                                              std::string_view bytes_per_cycle_fact,
                                              double clock_hz);

}  // namespace hpclab::machine
