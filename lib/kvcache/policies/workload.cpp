// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/workload.hpp"

#include "core/error.hpp"
#include "kvcache/cache_specification.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/requests/request_cutter.hpp"
#include "kvcache/weight_inventory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include <fmt/format.h>

namespace hpclab::kvcache::policies {
namespace {

std::uint64_t draw(RandomStream& random, LengthLaw law, double mean, double spread) {
  double value = mean;
  switch (law) {
    case LengthLaw::fixed:
      break;
    case LengthLaw::uniform:  // 1 to 2 mean - 1
      return 1 + random.below(static_cast<std::uint64_t>(std::max(1., std::round(2 * mean - 1))));
    case LengthLaw::exponential:
      value = -std::max(mean - 0.5, 0.) * std::log1p(-random.uniform());
      return 1 + static_cast<std::uint64_t>(value);
    case LengthLaw::lognormal: {
      // Box and Muller 1958; exp(mu + s^2 / 2) is the mean.
      const double normal = std::sqrt(-2 * std::log1p(-random.uniform())) *
                            std::cos(2 * std::numbers::pi * random.uniform());
      value = std::exp(std::log(mean) - spread * spread / 2 + spread * normal);
      break;
    }
  }
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(std::llround(std::min(value, 1e12))));
}

void add(Workload& workload, const Parameters& p, BatchRequest request) {
  const auto longest = static_cast<std::uint64_t>(p.max_model_len);
  if (request.prompt_tokens + request.output_tokens > longest) {
    ++workload.too_long;
    return;
  }
  request.reserved =
      reserved_slots(p.reserve, request.prompt_tokens, request.output_tokens, longest);
  workload.requests.push_back(std::move(request));
}

void draw_requests(Workload& workload, const Parameters& p, const Context& context) {
  RandomStream prompts = context.random("prompt lengths");
  RandomStream outputs = context.random("output lengths");
  for (std::int64_t i = 0; i < p.requests_count; ++i) {
    BatchRequest request;
    request.prompt_tokens = draw(prompts, p.prompt_law, p.prompt_tokens, p.spread);
    request.output_tokens = draw(outputs, p.output_law, p.output_tokens, p.spread);
    add(workload, p, std::move(request));
  }
}

void read_requests(Workload& workload, const Parameters& p, const Context& context) {
  requests::ChosenRequests chosen(p);
  requests::RequestSource& source = chosen.source();
  const requests::TraceFacts& facts = source.facts();
  const auto block = static_cast<std::uint64_t>(p.block);
  const bool shares =
      p.policy == Policy::copy_on_write && facts.content != requests::Content::lengths &&
      (facts.content == requests::Content::token_ids || block % facts.block_tokens == 0);
  std::optional<requests::RequestCutter> cutter;
  if (shares) cutter.emplace(facts, requests::Semantics::block_hash, block);
  std::uint64_t count = 0;
  for (requests::Request request; source.next(request);) {
    if (++count % 1024 == 0) context.stop.throw_if_requested();
    BatchRequest taken;
    taken.prompt_tokens = request.input_tokens;
    taken.output_tokens = std::max<std::uint64_t>(1, request.output_tokens);
    if (shares) {
      std::unordered_set<std::uint64_t> seen;
      for (const std::uint64_t id : cutter->cut(request).blocks) {
        if (seen.insert(id).second) taken.prompt_blocks.push_back(id);
      }
    }
    add(workload, p, std::move(taken));
  }
  workload.notes = chosen.notes();
  if (p.policy == Policy::copy_on_write && !shares) {
    workload.notes.push_back(
        facts.content == requests::Content::lengths
            ? "the trace has lengths only: samples of a request share, requests do not"
            : fmt::format(
                  "block = {} is no multiple of the trace's {}: samples of a request share, "
                  "requests do not",
                  block, facts.block_tokens));
  }
}

}  // namespace

std::uint64_t reserved_slots(Reserve reserve, std::uint64_t prompt_tokens,
                             std::uint64_t output_tokens, std::uint64_t max_model_len) {
  switch (reserve) {
    case Reserve::max:
      return max_model_len;
    case Reserve::pow2:
      return std::min(max_model_len, prompt_tokens + std::bit_ceil(output_tokens));
    case Reserve::oracle:
      break;
  }
  return prompt_tokens + output_tokens - 1;
}

Workload make_workload(const Parameters& p, const Context& context) {
  Workload workload;
  if (p.source == Lengths::file) {
    read_requests(workload, p, context);
  } else {
    draw_requests(workload, p, context);
  }
  if (workload.requests.empty()) {
    throw CaseFailed(fmt::format("all {} requests are longer than max_model_len = {}",
                                 workload.too_long, p.max_model_len));
  }
  if (workload.too_long > 0) {
    workload.notes.push_back(fmt::format(
        "{} of {} requests are longer than max_model_len = {} and "
        "left out",
        workload.too_long, workload.too_long + workload.requests.size(), p.max_model_len));
  }
  return workload;
}

Pool make_pool(const Parameters& p) {
  const ModelDescription model = read_model(p.model);
  CacheOptions options;
  options.key_format = options.value_format =
      p.kv_dtype == "auto" ? model.format : parse_element_format(p.kv_dtype, "kv_dtype");
  const CacheSpecification cache = cache_specification(model, options);
  for (const LayerCache& layer : cache.layers) {
    if (layer.window == 0 && layer.state_bytes == 0) continue;
    throw CaseFailed(fmt::format(
        "{} does not keep every token in every layer (layer {} has {}): a slot a token does not "
        "describe it; `hpclab kvcache size` does",
        model.name, layer.layer, layer.window > 0 ? "a window" : "a state of fixed size"));
  }
  WeightTotals weights = totals_of(layer_weights(model, model.layers), model, {});
  weights.bytes += totals_of(outer_weights(model), model, {}).bytes;

  Pool pool;
  pool.bytes_per_token = static_cast<double>(cache.bytes_per_token());
  pool.gpu_bytes_per_token = pool.bytes_per_token * (1 - p.offload_ratio);
  pool.weights_bytes = weights.bytes;
  pool.slots = static_cast<std::uint64_t>(p.available_bytes / pool.gpu_bytes_per_token);
  if (pool.slots == 0) {
    throw CaseFailed(fmt::format("available_bytes = {:.0f} hold not one token of {:.0f} bytes",
                                 p.available_bytes, pool.gpu_bytes_per_token));
  }
  return pool;
}

double step_seconds(const Parameters& p, const Pool& pool, double tokens) {
  const double gpu_s =
      (pool.weights_bytes + tokens * pool.gpu_bytes_per_token) / p.memory_bytes_per_s;
  const double host_s =
      tokens * (pool.bytes_per_token - pool.gpu_bytes_per_token) / p.link_bytes_per_s;
  return std::max(gpu_s, host_s);
}

}  // namespace hpclab::kvcache::policies
