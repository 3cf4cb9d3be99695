// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/context.hpp"
#include "kvcache/account_text.hpp"
#include "kvcache/size/parameters.hpp"
#include "kvcache/sizing.hpp"

#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::size {
namespace {

constexpr std::size_t most_accounts = 3;

Result model(const Parameters& p, Context&) {
  const ModelDescription description = model_of(p);
  const GpuMemory gpu = gpu_of(p);
  std::optional<ModelDescription> draft;
  if (!p.draft_model.empty()) {
    DeploymentParameters drafter;
    drafter.model = p.draft_model;
    draft = model_of(drafter);
  }
  const ModelDescription* drafts = draft ? &*draft : nullptr;
  const Sizing sizing = size_deployment(description, drafts, gpu, deployment_of(p));
  Result result = result_of(sizing, flag_gains(description, drafts, gpu, sizing));
  result.set_text("model", gpu.name.empty() ? description.name
                                            : fmt::format("{} on {}", description.name, gpu.name));
  result.set_text("cache", description.cache_kind());
  return result;
}

// A few cases are explained to the byte; of many the table says enough.
std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  std::vector<const Json*> good;
  for (const Json& record : summary.records) {
    if (record["status"] == "ok") good.push_back(&record);
  }
  if (good.size() > most_accounts) return lines;
  for (const Json* record : good) {
    lines.emplace_back();
    for (std::string& line : account_lines(*record)) lines.push_back(std::move(line));
  }
  return lines;
}

Json five_models_on_three_gpus() {
  return Json::array(
      {{{"parameters",
         {{"model",
           {"llama-3.1-8b", "qwen3-14b", "gpt-oss-20b", "deepseek-v2-lite", "qwen3.6-27b-fp8"}},
          {"gpu", {"l40s", "a100-80gb", "h200"}},
          {"max_model_len", 8192}}}}});
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>("kvcache", "size",
                                     "How many tokens of cache does this model get on this GPU, "
                                     "and where did every GiB go?",
                                     parameter_table())
      .value({"bytes_per_token", "cache of one more token of a long request, on one rank",
              Better::lower, true})
      .value({"weights_bytes", "weights and tables on the fullest rank", Better::lower, true})
      .value({"kv_bytes", "bytes of the pool on one rank", Better::higher, true})
      .value({"blocks", "blocks of the pool", Better::higher, true})
      .value({"tokens", "tokens that the pool holds, as the engine's log counts them",
              Better::higher, true})
      .value({"concurrency", "requests of max_model_len at once", Better::higher, true})
      .value({"longest_request_tokens", "longest request that can be served", Better::higher, true})
      .value({"block_tokens", "tokens of a block", Better::neither, false})
      .value({"padding_bytes", "bytes of the pool that padding takes", Better::lower, false})
      .plot({.kind = "bars", .x = "model", .y = "tokens", .series = {"gpu"}})
      .model(model)
      .conclude(conclude)
      .default_experiments(five_models_on_three_gpus())
      .build();
}

}  // namespace hpclab::kvcache::size
