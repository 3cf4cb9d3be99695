// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Logs of the engines whose pools follow from one figure: SGLang, TensorRT-LLM, llama.cpp.
#include "core/error.hpp"
#include "kvcache/explain/explanation.hpp"
#include "kvcache/overhead_constants.hpp"
#include "kvcache/rank_weights.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache::explain {
namespace {

// The sum of what was logged under these names; null when none was.
std::optional<LoggedBytes> sum_of(const LogFacts& facts, std::initializer_list<const char*> names) {
  std::optional<LoggedBytes> sum;
  double rounding = 0;
  for (const char* name : names) {
    const LoggedBytes* size = facts.size(name);
    if (!size) continue;
    if (!sum) {
      sum = *size;
    } else {
      sum->bytes += size->bytes;
    }
    rounding += size->rounding();
  }
  return sum;
}

void compare_tokens(Explanation& explanation, double expected, std::optional<double> logged) {
  explanation.expected_tokens = expected;
  explanation.logged_tokens = logged;
}

}  // namespace

Explanation explain_sglang(const LogFacts& facts, const ModelDescription& model,
                           const GpuMemory& gpu, const Deployment& given) {
  Explanation explanation;
  explanation.card_bytes = gpu.total_bytes;
  const auto tokens = facts.number("tokens");
  const auto caches = sum_of(facts, {"keys", "values", "latent"});
  const LoggedBytes* loaded = facts.size("weights");
  const LoggedBytes* free_after = facts.size("free_after");
  Deployment d = given;
  if (loaded) {
    Deployment resolved = resolve(d, model, gpu);
    const RankWeights weights = rank_weights(
        model, resolved, {0, static_cast<std::int64_t>(model.layers.size()), true, true});
    Estimate expected = weights.weights;
    expected.value += weights.rotation_bytes + weights.derived_bytes;
    expected.low += weights.rotation_bytes + weights.derived_bytes;
    expected.high += weights.rotation_bytes + weights.derived_bytes;
    add_item(explanation, "weights", loaded, expected);
  }
  if (tokens && caches) {
    // As many tokens take so many bytes, whatever the GPU.
    d.available_bytes = 1;
    const Sizing sizing = size_unchecked(model, nullptr, gpu, d);
    const double expected = *tokens * static_cast<double>(sizing.pool.bytes_per_token);
    add_item(explanation, "KV cache", &*caches, Estimate::exact(expected, "config"),
             fmt::format("{:.0f} tokens of {} bytes", *tokens, sizing.pool.bytes_per_token));
    if (const auto confusion = unit_confusion(*caches, expected)) {
      explanation.notes.push_back(*confusion);
    }
  }
  if (free_after && gpu.total_bytes > 0) {
    const Deployment resolved = resolve(given, model, gpu);
    const double kept = gpu.total_bytes * (1 - resolved.memory_fraction);
    d.available_bytes = static_cast<std::int64_t>(std::max(1.0, free_after->bytes - kept));
    const Sizing pool = size_unchecked(model, nullptr, gpu, d);
    explanation.items.push_back(
        {"free after loading", free_after->bytes, std::nullopt, 0,
         fmt::format("less {:.2f} GiB that mem_fraction_static {:.3g} keeps back", kept / gib,
                     resolved.memory_fraction)});
    compare_tokens(explanation, static_cast<double>(pool.pool.tokens), tokens);
    explanation.gains = flag_gains(model, nullptr, gpu, size_unchecked(model, nullptr, gpu, given));
  }
  if (explanation.items.empty()) {
    throw CaseFailed("the log states no size of weights or cache: it may be cut before them");
  }
  return explanation;
}

Explanation explain_tensorrt_llm(const LogFacts& facts, const ModelDescription& model,
                                 const GpuMemory& gpu, const Deployment& given) {
  Explanation explanation;
  const LoggedBytes* total = facts.size("total");
  const LoggedBytes* free_after = facts.size("free_after");
  explanation.card_bytes = total ? total->bytes : gpu.total_bytes;
  Deployment d = given;
  auto tokens = facts.number("tokens");
  const auto blocks = facts.number("blocks");
  const Deployment resolved = resolve(d, model, gpu);
  if (!tokens && blocks) tokens = *blocks * static_cast<double>(resolved.block_tokens);
  if (free_after) {
    d.available_bytes = static_cast<std::int64_t>(free_after->bytes);
    const Sizing sizing = size_unchecked(model, nullptr, gpu, d);
    explanation.items.push_back({"free after loading", free_after->bytes, std::nullopt, 0,
                                 "the fraction is of this, so that the order of loading decides"});
    add_item(explanation, "KV cache", facts.size("available"),
             Estimate::exact(sizing.pool.kv_bytes, "rules"),
             fmt::format("{:.3g} of it in blocks of {} tokens", resolved.memory_fraction,
                         resolved.block_tokens));
    compare_tokens(explanation, static_cast<double>(sizing.pool.tokens), tokens);
    explanation.gains = flag_gains(model, nullptr, gpu, sizing);
  } else if (tokens) {
    d.available_bytes = 1;
    const Sizing sizing = size_unchecked(model, nullptr, gpu, d);
    add_item(explanation, "KV cache", facts.size("available"),
             Estimate::exact(*tokens * static_cast<double>(sizing.pool.bytes_per_token), "config"),
             fmt::format("{:.0f} tokens of {} bytes", *tokens, sizing.pool.bytes_per_token));
  } else {
    throw CaseFailed("the log states neither free memory nor tokens: it may be cut before them");
  }
  return explanation;
}

Explanation explain_llama_cpp(const LogFacts& facts, const ModelDescription& model,
                              const Deployment& given) {
  Explanation explanation;
  Deployment d = given;
  if (d.context == 0 && !facts.caches.empty()) {
    for (const LoggedCache& cache : facts.caches) {
      if (!cache.recurrent) d.context = std::max(d.context, cache.cells);
    }
  }
  if (d.context == 0) throw CaseFailed("the log states no n_ctx and no cells; give context=");
  const Sizing sizing = size_unchecked(model, nullptr, {}, d);
  if (facts.caches.empty()) {
    const LoggedBytes* whole = facts.size("kv_total");
    if (!whole) throw CaseFailed("the log states no cache: it may be cut before it");
    add_item(explanation, "KV cache", whole, Estimate::exact(sizing.pool.kv_bytes, "config"));
  }
  std::vector<PoolPart> parts = sizing.pool.parts;
  for (const LoggedCache& cache : facts.caches) {
    const auto part = std::find_if(parts.begin(), parts.end(), [&](const PoolPart& p) {
      return (p.name == "recurrent states") == cache.recurrent && p.layers == cache.layers;
    });
    if (part == parts.end()) {
      explanation.notes.push_back(
          fmt::format("line {}: a cache of {} layers that this model does not have",
                      cache.size.line, cache.layers));
      explanation.residual_bytes += cache.size.bytes;
      continue;
    }
    add_item(explanation, "cache: " + part->name, &cache.size,
             Estimate::exact(part->bytes, "config"),
             fmt::format("{} layers, {} cells", cache.layers, cache.cells));
    if (part->tokens > 0 && cache.cells != part->tokens) {
      explanation.notes.push_back(fmt::format("line {}: {} cells, {} expected", cache.size.line,
                                              cache.cells, part->tokens));
    }
    parts.erase(part);
  }
  if (const LoggedBytes* weights = facts.size("weights"); weights && model.stated_weight_bytes) {
    add_item(explanation, "weights", weights,
             Estimate::between(static_cast<double>(*model.stated_weight_bytes), 0.9, 1, "header"));
  }
  if (const LoggedBytes* compute = facts.size("compute")) {
    explanation.items.push_back({"compute buffer", compute->bytes, std::nullopt, 0,
                                 "not predicted; it is beside the cache"});
  }
  for (const std::string& note : sizing.pool.notes) explanation.notes.push_back(note);
  return explanation;
}

}  // namespace hpclab::kvcache::explain
