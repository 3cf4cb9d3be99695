// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/rank_weights.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

std::vector<Layer> layers_of_stage(const ModelDescription& model, const StageRange& stage) {
  const auto begin = model.layers.begin() + stage.first_layer;
  return {begin, begin + stage.layers};
}

double computed_bytes(const ModelDescription& model, const Deployment& d, const StageRange& stage) {
  const WeightRanks ranks = weight_ranks(d);
  double bytes = totals_of(layer_weights(model, layers_of_stage(model, stage), stage.first_layer),
                           model, ranks)
                     .bytes;
  for (const WeightMatrix& matrix : outer_weights(model)) {
    const bool head = matrix.name == "lm_head" || matrix.name.starts_with("model.norm");
    // A tied embedding serves as the head of the last stage too.
    const bool tied = model.tied_embeddings && stage.last && matrix.name == "model.embed_tokens";
    if (head ? stage.last : stage.first || tied) bytes += bytes_of_rank(matrix, model, ranks);
  }
  return bytes;
}

// Latent attention keeps the up-projection of keys and values transposed and in the model's format
// beside the stored one, to multiply queries instead of keys.
double absorbed_bytes(const ModelDescription& model, const Deployment& d, const StageRange& stage) {
  if (d.engine != Engine::vllm && d.engine != Engine::sglang) return 0;
  double elements = 0;
  for (const Layer& layer : layers_of_stage(model, stage)) {
    if (layer.mixer != Mixer::latent_attention) continue;
    const LatentAttention& a = layer.latent;
    elements += static_cast<double>(a.query_heads / d.tensor_parallel * (a.nope_dim + a.value_dim) *
                                    a.latent_rank);
  }
  return elements * bytes_per_element(model.format);
}

}  // namespace

WeightRanks weight_ranks(const Deployment& d) {
  WeightRanks ranks;
  ranks.tensor_parallel = d.tensor_parallel;
  ranks.expert_parallel = d.expert_parallel;
  // Without expert parallelism vLLM splits experts over all ranks of all replicas.
  if (d.engine == Engine::vllm) ranks.expert_width_ranks = d.tensor_parallel * d.data_parallel;
  if (d.engine == Engine::vllm || d.engine == Engine::sglang) ranks.vocabulary_padding = 64;
  return ranks;
}

double computed_weight_bytes(const ModelDescription& model) {
  return totals_of(layer_weights(model, model.layers), model, {}).bytes +
         totals_of(outer_weights(model), model, {}).bytes;
}

RankWeights rank_weights(const ModelDescription& model, const Deployment& d,
                         const StageRange& stage) {
  RankWeights result;
  const bool whole = d.tensor_parallel == 1 && d.pipeline_parallel == 1 && d.expert_parallel == 1 &&
                     d.data_parallel == 1;
  const auto stated = model.stated_weight_bytes;
  if (!model.weights_unknown.empty()) {
    if (!stated) {
      throw CaseFailed(
          fmt::format("{}; give weights= (a safetensors index or header), or available_bytes=",
                      model.weights_unknown));
    }
    const double share = static_cast<double>(stage.layers) /
                         static_cast<double>(model.layers.size()) /
                         static_cast<double>(d.tensor_parallel);
    const double bytes = static_cast<double>(*stated) * share;
    result.weights = whole ? Estimate::exact(bytes, "index")
                           : Estimate::between(bytes, 0.97, 1.10, "index / ranks");
  } else {
    const double bytes = computed_bytes(model, d, stage);
    if (stated) {
      const double scale = static_cast<double>(*stated) / computed_weight_bytes(model);
      result.weights = whole ? Estimate::exact(static_cast<double>(*stated), "index")
                             : Estimate::between(bytes * scale, 0.99, 1.01, "index x config");
    } else if (model.quantization.method.empty()) {
      result.weights = Estimate::exact(bytes, "config");
    } else {
      // Which layers a checkpoint leaves unquantised is not always written down.
      result.weights = Estimate::between(bytes, 0.97, 1.04, "config");
    }
    // An encoder that the configuration names and the inventory leaves out.
    for (std::size_t i = 0; i < model.left_out.size(); ++i) result.weights.high += 1.5e9;
  }
  const bool rotates = d.engine == Engine::vllm || d.engine == Engine::sglang;
  if (rotates) {
    result.rotation_bytes = static_cast<double>(model.rope_positions * model.rope_dim) *
                            bytes_per_element(model.format);
  }
  result.derived_bytes = absorbed_bytes(model, d, stage);
  return result;
}

double predictor_weight_bytes(const ModelDescription& model, const Deployment& d) {
  if (model.prediction_layers.empty() || !model.weights_unknown.empty()) return 0;
  const WeightRanks ranks = weight_ranks(d);
  const double layers = totals_of(layer_weights(model, model.prediction_layers,
                                                static_cast<std::int64_t>(model.layers.size())),
                                  model, ranks)
                            .bytes;
  // The projection that joins a hidden state and an embedding.
  return layers +
         static_cast<double>(2 * model.hidden * model.hidden) * bytes_per_element(model.format);
}

}  // namespace hpclab::kvcache
