// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/microarchitecture.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "core/nearest_name.hpp"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::machine {
namespace {

const std::vector<std::string>& fact_names() {
  static const std::vector<std::string> names{
      "l1_load_bytes_per_cycle",     "l1_store_bytes_per_cycle",    "l2_to_l1_bytes_per_cycle",
      "l3_to_l2_bytes_per_cycle",    "scalar_fma_per_cycle",        "avx2_fma_per_cycle",
      "avx512_fma_per_cycle",        "avx512_fp16_fma_per_cycle",   "avx512_bf16_dot_per_cycle",
      "avx512_vnni_dot_per_cycle",   "avx_vnni_dot_per_cycle",      "amx_int8_op_per_cycle",
      "amx_bf16_flop_per_cycle",     "integer_add_latency_cycles",  "fp_add_latency_cycles",
      "fp_fma_latency_cycles",       "outstanding_l1_misses_count", "separate_fp_add_units_count",
      "avx512_store_fma_slots_count"};
  return names;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& pointer,
                       const std::string& reason) {
  throw UsageError(fmt::format("{}: {}: {}", file.string(), pointer, reason));
}

bool matches(const Json& ranges, const CpuIdentity& cpu) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Json& range) {
    return range.at("family").get<int>() == cpu.family &&
           range.at("first_model").get<int>() <= cpu.model &&
           cpu.model <= range.at("last_model").get<int>();
  });
}

Microarchitecture read_entry(const Json& entry, const std::filesystem::path& file,
                             const std::string& pointer) {
  Microarchitecture core;
  core.name = entry.at("name").get<std::string>();
  core.description = entry.at("description").get<std::string>();
  for (const auto& [key, fact] : entry.at("facts").items()) {
    const std::string place = fmt::format("{}/facts/{}", pointer, key);
    if (std::find(fact_names().begin(), fact_names().end(), key) == fact_names().end()) {
      fail(file, place, "unknown fact" + suggestion(key, fact_names()));
    }
    const CoreFact read{fact.at("value").get<double>(), fact.at("source").get<std::string>()};
    if (!(read.value > 0) || read.source.empty()) {
      fail(file, place, "a value above 0 and a source are expected");
    }
    core.facts[key] = read;
  }
  return core;
}

/// Name of the fact that counts instructions a cycle, and the operations of one instruction: lanes
/// times products a lane times 2.
struct Rate {
  const char* fact;
  double operations;
};

std::optional<Rate> rate_of(NumberType type, CodePath path) {
  const bool wide = path == CodePath::avx512;
  if (path == CodePath::amx) {
    if (type == NumberType::bf16) return Rate{"amx_bf16_flop_per_cycle", 1};
    if (type == NumberType::int8) return Rate{"amx_int8_op_per_cycle", 1};
    return std::nullopt;
  }
  const char* fma = path == CodePath::scalar ? "scalar_fma_per_cycle"
                    : wide                   ? "avx512_fma_per_cycle"
                                             : "avx2_fma_per_cycle";
  const double width_bits = wide ? 512 : 256;
  switch (type) {
    case NumberType::fp64:
      return Rate{fma, path == CodePath::scalar ? 2 : width_bits / 64 * 2};
    case NumberType::fp32:
      return Rate{fma, path == CodePath::scalar ? 2 : width_bits / 32 * 2};
    case NumberType::fp16:
      if (wide) return Rate{"avx512_fp16_fma_per_cycle", 512. / 16 * 2};
      return std::nullopt;
    case NumberType::bf16:
      if (wide) return Rate{"avx512_bf16_dot_per_cycle", 512. / 32 * 2 * 2};
      return std::nullopt;
    case NumberType::int8:
      if (wide) return Rate{"avx512_vnni_dot_per_cycle", 512. / 32 * 4 * 2};
      if (path == CodePath::avx2) return Rate{"avx_vnni_dot_per_cycle", 256. / 32 * 4 * 2};
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> Microarchitecture::find(std::string_view fact) const {
  const auto found = facts.find(std::string(fact));
  if (found == facts.end()) return std::nullopt;
  return found->second.value;
}

double Microarchitecture::require(std::string_view fact) const {
  if (const auto value = find(fact)) return *value;
  throw CaseFailed(fmt::format("{} is not documented for the core {}", fact, name));
}

MicroarchitectureLookup find_microarchitecture(const CpuIdentity& cpu,
                                               const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) {
    return {std::nullopt,
            fmt::format("the table of microarchitectures cannot be read ({})",
                        file.empty() ? "it was not found beside the program" : file.string())};
  }
  try {
    const Json table = Json::parse(stream);
    if (table.at("schema").get<std::string>().rfind("1.", 0) != 0) {
      fail(file, "/schema", "version 1.x is expected; use a newer hpclab");
    }
    const Json& entries = table.at("microarchitectures");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Json& entry = entries[i];
      if (entry.at("vendor").get<std::string>() != cpu.vendor || !matches(entry.at("match"), cpu)) {
        continue;
      }
      return {read_entry(entry, file, fmt::format("/microarchitectures/{}", i)), ""};
    }
  } catch (const nlohmann::json::exception& error) {
    fail(file, "/", error.what());
  }
  return {std::nullopt, fmt::format("no facts are known about the processor {} family {} model {}",
                                    cpu.vendor.empty() ? "of unknown vendor" : cpu.vendor,
                                    cpu.family, cpu.model)};
}

std::optional<double> operations_per_cycle(const Microarchitecture& core, NumberType type,
                                           CodePath path) {
  const auto rate = rate_of(type, path);
  if (!rate) return std::nullopt;
  const auto instructions = core.find(rate->fact);
  if (!instructions) return std::nullopt;
  return *instructions * rate->operations;
}

std::optional<double> theoretical_operations_per_s(const Microarchitecture& core, NumberType type,
                                                   CodePath path, double clock_hz) {
  const auto operations = operations_per_cycle(core, type, path);
  if (!operations) return std::nullopt;
  return *operations * clock_hz;
}

std::optional<double> theoretical_bytes_per_s(const Microarchitecture& core,
                                              std::string_view bytes_per_cycle_fact,
                                              double clock_hz) {
  const auto bytes = core.find(bytes_per_cycle_fact);
  if (!bytes) return std::nullopt;
  return *bytes * clock_hz;
}

}  // namespace hpclab::machine
