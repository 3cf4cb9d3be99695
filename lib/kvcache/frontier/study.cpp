// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/units.hpp"
#include "kvcache/frontier/model.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::frontier {
namespace {

Json default_runs() {
  return Json::array({{{"parameters",
                        {{"model", "llama-3.1-8b"},
                         {"gpu", "a100-80gb"},
                         {"context", 4096},
                         {"batch", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512}}}}}});
}

double value_of(const Json& record, const char* name) {
  return record["values"].value(name, 0.0);
}

}  // namespace

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  std::string said;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok") continue;
    const auto text = record["text"].value("model", std::string());
    if (record["parameters"]["quantity"] == "check") {
      lines.push_back(fmt::format(
          "{}: median error of the time per token {:.0f} % over {:.0f} rows (bias {:+.0f} %; "
          "decoding alone {:.0f} %)",
          text, 100 * value_of(record, "tpot_error_median_ratio"), value_of(record, "rows_count"),
          100 * value_of(record, "tpot_bias_median_ratio"),
          100 * value_of(record, "decode_only_error_median_ratio")));
      continue;
    }
    const std::string about = fmt::format("{}, {} tokens each", text,
                                          record["parameters"]["context"].get<std::int64_t>());
    if (about != said) {
      lines.push_back(fmt::format(
          "{}: weights are read until {:.0f} requests share them, then arithmetic binds; memory "
          "ends at {:.0f} requests",
          about, value_of(record, "ridge_batch"), value_of(record, "concurrency")));
      said = about;
    }
    if (record["text"].contains("gap")) {
      lines.push_back(fmt::format("{}: {}", about, record["text"]["gap"].get<std::string>()));
    }
  }
  return lines;
}

Study study() {
  return StudyDefinition<Parameters>("kvcache", "frontier",
                                     "How fast does a model decode, for all and for each, when so "
                                     "many requests share a GPU?",
                                     parameter_table())
      .value({"tokens_per_s", "output tokens of all requests, a second", Better::higher, true})
      .value({"request_tokens_per_s", "output tokens of one request, a second, waiting included",
              Better::higher, true})
      .value({"time_s", "time from one token of a request to its next", Better::lower, true})
      .value({"gain_ratio", "tokens_per_s over that of one request", Better::higher, true})
      .value({"kv_use_ratio", "share of the pool that the running requests fill", Better::neither,
              true})
      .value({"concurrency", "requests that memory holds at once", Better::higher, true})
      .value({"ridge_batch",
              "requests from which on arithmetic of the weights takes longer than reading them",
              Better::neither, true})
      .value({"kv_bytes", "keys and values of the running requests, on one rank", Better::neither,
              false})
      .value({"weights_bytes", "weights and tables on the fullest rank", Better::lower, false})
      .value({"implied_request_s",
              "time outside of the roofline that each request adds to a step, by observed_gain",
              Better::lower, true})
      .value({"tpot_error_median_ratio", "median distance from the measured times per token",
              Better::lower, true})
      .value({"tpot_bias_median_ratio", "median signed error of the times per token",
              Better::neither, true})
      .value({"decode_only_error_median_ratio", "the same distance without prompts of others",
              Better::lower, false})
      .value({"rows_count", "rows compared", Better::neither, true})
      .plot({"frontier", "batch", "tokens_per_s", {"model", "gpu", "context"}, true, true})
      .default_experiments(default_runs())
      .model(model)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::kvcache::frontier
