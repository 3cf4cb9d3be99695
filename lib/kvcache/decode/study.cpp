// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/error.hpp"
#include "core/units.hpp"
#include "kvcache/decode/measure.hpp"
#include "kvcache/decode/model.hpp"
#include "machine/profile.hpp"

#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::decode {
namespace {

// Two sizes, and the formats at one of them: a quarter of a GiB and half of one.
Json default_runs() {
  return Json::array({
      {{"parameters", {{"batch", {16, 32}}, {"context", 4096}}}},
      {{"parameters", {{"batch", 32}, {"context", 4096}, {"kv_dtype", {"fp16", "q8_0"}}}}},
      {{"parameters", {{"batch", 1}, {"context", 131072}}}},
  });
}

// Filling takes 2 GB/s, each of 25 samples reads the cache twice at 5 GB/s; the reference a second.
Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::measure) return {};
  double bytes = 0;
  try {
    bytes = allocated_bytes(p);
  } catch (const CaseFailed&) {
    return {};  // the case itself will say why
  }
  return {bytes, 1.5 + bytes / 2e9 + 25 * (2 * bytes / 5e9 + 4e-3)};
}

// A GPU's bandwidth predicts no processor, and the other way round.
std::string family(const machine::MachineProfile* profile, std::optional<Backend> backend) {
  const bool gpu = profile   ? profile->kind == machine::MachineKind::gpu
                   : backend ? *backend != Backend::cpu
                             : false;
  return gpu ? "gpu" : "cpu";
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::map<std::string, const Json*> best;
  const auto fraction = [](const Json& record) {
    return record["values"].value("fraction_of_bandwidth_ratio", 0.0);
  };
  for (const Json& record : summary.records) {
    if (record["status"] != "ok" || record["method"] != "measure" || fraction(record) == 0)
      continue;
    const Json*& known = best[record["text"].value("attention", std::string())];
    if (known == nullptr || fraction(record) > fraction(*known)) known = &record;
  }
  std::vector<std::string> lines;
  for (const auto& [attention, record] : best) {
    lines.push_back(
        fmt::format("{}: {} of keys and values, {:.0f} % of reading alone ({})", attention,
                    readable("kv_bandwidth_bytes_per_s",
                             (*record)["values"].value("kv_bandwidth_bytes_per_s", 0.0))
                        .text(),
                    100 * fraction(*record),
                    readable("kv_bytes", (*record)["values"].value("kv_bytes", 0.0)).text()));
  }
  return lines;
}

Study study() {
  return StudyDefinition<Parameters>("kvcache", "decode",
                                     "How close to the bandwidth of memory does attention over a "
                                     "paged cache run?",
                                     parameter_table())
      .value({"time_s", "time of one decode step of one layer", Better::lower, true})
      .value({"kv_bandwidth_bytes_per_s", "keys and values read, a second", Better::higher, true})
      .value({"fraction_of_bandwidth_ratio",
              "share of the bandwidth of reading the same pool and nothing else", Better::higher,
              true})
      .value({"tokens_per_s", "query tokens (one a sequence) through this layer, a second",
              Better::higher, true})
      .value({"read_bytes_per_s", "bandwidth of reading alone, measured beside it", Better::higher,
              false})
      .value({"kv_bytes", "keys and values of all sequences", Better::neither, true})
      .value(
          {"max_error_ratio",
           "largest error of a head compared, over its largest element, against double precision",
           Better::lower, false})
      .value(
          {"compared_count", "heads that were compared with the reference", Better::neither, false})
      .plot({"bars", "kv_dtype", "fraction_of_bandwidth_ratio", {"batch"}})
      .reads_machine_profile()
      .default_experiments(default_runs())
      .model(model)
      .measure({Backend::cpu, Backend::cuda, Backend::emulator}, measure)
      .pairs_by(family)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::kvcache::decode
