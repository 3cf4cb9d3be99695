// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/frontier/step_time.hpp"

#include "core/error.hpp"
#include "kvcache/rank_weights.hpp"
#include "kvcache/sizing.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache::frontier {
namespace {

// Flops of one query token and one cached token, all heads of a rank.
double attention_flops(const Layer& layer, double ranks) {
  if (layer.mixer == Mixer::latent_attention) {
    // Absorbed: scores over latent and rotated parts, values are the latent row.
    const LatentAttention& a = layer.latent;
    return 2 * static_cast<double>(a.query_heads) / ranks *
           static_cast<double>(2 * a.latent_rank + a.rope_dim);
  }
  const Attention& a = layer.attention;
  const auto value_dim = a.value_dim > 0 ? a.value_dim : a.key_dim;
  return 2 * static_cast<double>(a.query_heads) / ranks *
         static_cast<double>(a.key_dim + value_dim);
}

}  // namespace

StepModel::StepModel(const ModelDescription& model, const Deployment& deployment,
                     const GpuRates& rates, const Parameters& p)
    : rates_(rates) {
  if (!model.weights_unknown.empty()) throw CaseFailed(model.weights_unknown);
  const WeightRanks ranks = weight_ranks(deployment);
  const double scale = model.stated_weight_bytes ? static_cast<double>(*model.stated_weight_bytes) /
                                                       computed_weight_bytes(model)
                                                 : 1;
  const auto add = [&](const WeightMatrix& weight, double chosen) {
    Matrix matrix;
    matrix.bytes = bytes_of_rank(weight, model, ranks) * scale;
    matrix.elements = elements_of_rank(weight, ranks);
    matrix.chosen = chosen;
    matrix.expert = weight.expert;
    const bool fp8 = weight.quantizable && is_quantized(weight, model.quantization) &&
                     model.quantization.bits == 8;
    matrix.flops_per_s = (fp8 ? rates.flops8_per_s : rates.flops16_per_s) * p.compute_efficiency;
    matrices_.push_back(matrix);
  };
  for (const WeightMatrix& weight : layer_weights(model, model.layers)) {
    double chosen = 1;
    if (weight.expert) {
      const FeedForward& f = model.layers[static_cast<std::size_t>(weight.layer)].feed_forward;
      chosen = static_cast<double>(f.experts_per_token) / static_cast<double>(f.experts);
    }
    add(weight, chosen);
  }
  // An embedding is looked up, unless it serves as the head too.
  for (const WeightMatrix& weight : outer_weights(model)) {
    if (weight.name == "lm_head" || model.tied_embeddings) add(weight, 1);
  }

  cache_ = cache_specification(model, cache_options(deployment));
  const auto tp = static_cast<double>(deployment.tensor_parallel);
  const auto cached = [&](std::int64_t layer) -> const LayerCache* {
    for (const LayerCache& one : cache_.layers)
      if (one.layer == layer) return &one;
    return nullptr;
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const LayerCache* own = cached(layer.shares_cache_of.value_or(static_cast<std::int64_t>(i)));
    if (!own) continue;
    CachedLayer entry;
    entry.window = static_cast<double>(own->window);
    entry.token_bytes = static_cast<double>(own->bytes_per_token);
    entry.indexer_bytes = static_cast<double>(own->indexer_bytes_per_token);
    entry.state_bytes = static_cast<double>(own->state_bytes);
    if (own->indexer_bytes_per_token > 0)
      entry.picked = static_cast<double>(layer.latent.indexer_tokens);
    if (own->bytes_per_token > 0) entry.token_flops = attention_flops(layer, tp);
    layers_.push_back(entry);
  }
  layer_count_ = static_cast<double>(model.layers.size());
  hidden_bytes_ = static_cast<double>(model.hidden) * bytes_per_element(model.format);
  replicas_ = static_cast<double>(deployment.data_parallel);
  ranks_ = std::max(tp, static_cast<double>(deployment.expert_parallel));
  collective_s_ = p.collective_s;
  launch_s_ = layer_count_ * static_cast<double>(p.layer_kernels) * rates.kernel_s;
}

double StepModel::read_share(const Matrix& matrix, double tokens) const {
  return matrix.chosen == 1 ? 1 : 1 - std::pow(1 - matrix.chosen, tokens);
}

void StepModel::add_matrices(StepTime& time, double tokens, double all_tokens) const {
  for (const Matrix& matrix : matrices_) {
    const double served = matrix.expert ? all_tokens : tokens;
    const double bytes = matrix.bytes * read_share(matrix, served);
    const double flops = 2 * served * matrix.chosen * matrix.elements;
    const double memory_s = bytes / rates_.bytes_per_s;
    const double compute_s = flops / matrix.flops_per_s;
    (compute_s > memory_s ? time.weights_compute_s : time.weights_memory_s) +=
        std::max(memory_s, compute_s);
    time.weight_bytes += bytes;
    time.flops += flops;
  }
}

double StepModel::exchange_s(double tokens) const {
  if (ranks_ <= 1) return 0;
  const double moved = rates_.link_bytes_per_s > 0 ? 2 * (ranks_ - 1) / ranks_ * tokens *
                                                         hidden_bytes_ / rates_.link_bytes_per_s
                                                   : 0;
  return 2 * layer_count_ * (collective_s_ + moved);
}

StepTime StepModel::step(const Load& load) const {
  StepTime time;
  const double tokens = std::ceil(load.batch / replicas_);  // of the fullest replica
  add_matrices(time, tokens, load.batch);
  for (const CachedLayer& layer : layers_) {
    const double kept = layer.window > 0 ? std::min(load.context, layer.window) : load.context;
    const double read = layer.picked > 0 ? std::min(kept, layer.picked) : kept;
    // A state is read and written.
    const double bytes =
        tokens * (read * layer.token_bytes + kept * layer.indexer_bytes + 2 * layer.state_bytes);
    const double flops = tokens * read * layer.token_flops;
    time.attention_s += std::max(bytes / rates_.bytes_per_s, flops / rates_.flops16_per_s);
    time.cache_bytes += bytes;
    time.flops += flops;
  }
  time.exchange_s = exchange_s(tokens);
  time.launch_s = launch_s_;
  if (load.output > 1) {
    const double prompt = std::max(1.0, load.context - load.output / 2);
    time.prompts_s = (tokens - 1) * prompt_s(prompt) / (load.output - 1);
  }
  return time;
}

double StepModel::prompt_s(double tokens) const {
  StepTime time;
  add_matrices(time, tokens, tokens * replicas_);
  for (const CachedLayer& layer : layers_) {
    // A token attends to those before it: half of them on average, or the window.
    double attended = tokens / 2;
    for (const double most : {layer.window, layer.picked}) {
      if (most > 0) attended = std::min(attended, most);
    }
    time.attention_s += tokens * attended * layer.token_flops / rates_.flops16_per_s;
  }
  time.exchange_s = exchange_s(tokens);
  time.launch_s = launch_s_;
  return time.total_s();
}

double StepModel::ridge_batch() const {
  const auto surplus = [&](double batch) {
    double memory_s = 0, compute_s = 0;
    for (const Matrix& matrix : matrices_) {
      const double served = matrix.expert ? batch : batch / replicas_;
      memory_s += matrix.bytes * read_share(matrix, served) / rates_.bytes_per_s;
      compute_s += 2 * served * matrix.chosen * matrix.elements / matrix.flops_per_s;
    }
    return compute_s - memory_s;
  };
  double low = 0, high = 1;
  while (surplus(high) < 0 && high < 1e9) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (surplus(middle) < 0 ? low : high) = middle;
  }
  return high;
}

}  // namespace hpclab::kvcache::frontier
