// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "kvcache/explain/model.hpp"

#include <nlohmann/json.hpp>

namespace hpclab::kvcache::explain {
namespace {

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  for (const Json& record : summary.records) {
    if (record["status"] != "ok") continue;
    lines.emplace_back();
    for (std::string& line : explanation_lines(record)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>(
             "kvcache", "explain",
             "Where did each GiB of this start-up log go, and which flag buys the most tokens?",
             parameter_table())
      .value({"residual_bytes", "bytes that model, flags and version do not predict", Better::lower,
              true})
      .value({"residual_of_card_ratio", "their share of the GPU's memory", Better::lower, true})
      .value({"logged_tokens", "tokens of cache that the log states", Better::higher, true})
      .value({"expected_tokens", "tokens that the engine's rules make of the log's own bytes",
              Better::higher, true})
      .model(model)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::kvcache::explain
