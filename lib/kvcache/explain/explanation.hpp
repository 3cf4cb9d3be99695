// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A log's figures beside what model, flags and version predict. Explained is what was predicted;
// whatever differs, or is only known as the remainder, is residual.
#pragma once

#include "kvcache/explain/log_facts.hpp"
#include "kvcache/model_description.hpp"
#include "kvcache/sizing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache::explain {

struct ExplainedItem {
  std::string name;
  std::optional<double> logged;      ///< bytes
  std::optional<Estimate> expected;  ///< bytes
  double unexplained = 0;            ///< bytes, beyond the log's own rounding
  std::string comment;
};

struct Explanation {
  std::vector<ExplainedItem> items;
  double card_bytes = 0;  ///< 0: unknown
  double residual_bytes = 0;
  std::optional<double> logged_tokens;
  std::optional<double> expected_tokens;  ///< from the log's own bytes by the engine's rules
  std::vector<std::string> notes;
  std::vector<FlagGain> gains;
};

/// `d` holds the flags of the log, or those that the user states instead; `gpu` the total of the
/// log, or of a profile. CaseFailed when neither a total nor bytes for the cache are known.
Explanation explain_vllm(const LogFacts& facts, const ModelDescription& model, const GpuMemory& gpu,
                         const Deployment& d);
Explanation explain_sglang(const LogFacts& facts, const ModelDescription& model,
                           const GpuMemory& gpu, const Deployment& d);
Explanation explain_tensorrt_llm(const LogFacts& facts, const ModelDescription& model,
                                 const GpuMemory& gpu, const Deployment& d);
Explanation explain_llama_cpp(const LogFacts& facts, const ModelDescription& model,
                              const Deployment& d);

/// Adds an item; its unexplained part is the difference beyond the rounding of what was logged.
void add_item(Explanation& explanation, std::string name, const LoggedBytes* logged,
              const Estimate& expected, std::string comment = "");

/// "ok", "above what is expected" or "below ...": where the logged size lies in the range.
std::string verdict_of(double logged, const Estimate& expected);

/// What a size would be if its GB were 10^9 bytes: said when that alone fits `expected` bytes.
std::optional<std::string> unit_confusion(const LoggedBytes& logged, double expected);

}  // namespace hpclab::kvcache::explain
