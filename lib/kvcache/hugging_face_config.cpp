// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/hugging_face_config.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/layer_rules.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

constexpr std::int64_t most_layers = 10000;

// What an unknown architecture would have to state; a list for the message only.
constexpr const char* deciding_keys =
    "which layers attend fully (layer_types), their heads (num_key_value_heads, head_dim), windows "
    "(sliding_window), latent ranks (kv_lora_rank, qk_rope_head_dim), recurrent states "
    "(linear_num_value_heads, mamba_num_heads, state_size), shared caches (num_kv_shared_layers)";

// The language part of a multimodal configuration, else the configuration itself.
const Json& language_part(const Json& config) {
  for (const char* key : {"text_config", "llm_config", "language_config"}) {
    const auto part = config.find(key);
    if (part != config.end() && part->is_object()) return *part;
  }
  return config;
}

void set_rotation(ModelDescription& model, ConfigKeys& keys, const Architecture& architecture) {
  if (architecture.learned_positions) {
    model.learned_positions = keys.required("max_position_embeddings");
    return;
  }
  model.rope_positions = model.longest_context;
  std::optional<ConfigKeys> scaling = keys.object("rope_scaling");
  if (!scaling) scaling = keys.object("rope_parameters");
  if (scaling) {
    const std::string kind = scaling->text("rope_type", scaling->text("type", ""));
    const std::int64_t original = scaling->integer("original_max_position_embeddings", 0);
    if (kind == "yarn" && original > 0) {
      const double rows = static_cast<double>(original) * scaling->number("factor", 1);
      if (!(rows >= 0 && rows < 1e12)) scaling->fail("factor", "the scaled context is too long");
      model.rope_positions = static_cast<std::int64_t>(rows);
    }
  }
  double share = keys.number("partial_rotary_factor", 1);
  if (scaling) share = scaling->number("partial_rotary_factor", share);
  if (!(share >= 0 && share <= 1))
    keys.fail("partial_rotary_factor", "a share from 0 to 1 is needed");
  for (const Layer& layer : model.layers) {
    if (layer.mixer == Mixer::latent_attention) {
      model.rope_dim = layer.latent.rope_dim;
      return;
    }
    if (layer.attention.key_dim > 0) {
      model.rope_dim = static_cast<std::int64_t>(
          std::floor(static_cast<double>(layer.attention.key_dim) * share));
      return;
    }
  }
}

// Layers of a multi-token predictor repeat the last layer; only a drafter loads them.
void set_prediction_layers(ModelDescription& model, ConfigKeys& keys) {
  const std::int64_t count = keys.one_of({"num_nextn_predict_layers", "mtp_num_hidden_layers"}, 0);
  if (count == 0 || model.layers.empty()) return;
  if (count > most_layers) keys.fail("num_nextn_predict_layers", "more than 10,000 layers");
  // The predictor of a hybrid attends fully: the last such layer is its pattern.
  const auto pattern =
      std::find_if(model.layers.rbegin(), model.layers.rend(), [](const Layer& layer) {
        return layer.mixer == Mixer::full_attention || layer.mixer == Mixer::latent_attention;
      });
  if (pattern == model.layers.rend()) return;
  model.prediction_layers.assign(static_cast<std::size_t>(count), *pattern);
}

[[noreturn]] void refuse(const std::string& origin, const std::string& model_type) {
  if (model_type.empty()) {
    throw UsageError(
        fmt::format("{}: /model_type is missing, so that the cache layout is unknown{}", origin,
                    suggestion("model_type", known_architectures())));
  }
  throw UsageError(fmt::format(
      "{}: unknown architecture '{}': its cache layout is not guessed. It would have "
      "to say {}{}",
      origin, model_type, deciding_keys, suggestion(model_type, known_architectures())));
}

std::string name_from(const std::string& origin) {
  const std::filesystem::path path = origin;
  const std::string stem = path.stem().string();
  // config.json of a checkpoint: the folder is its name.
  return stem == "config" && path.has_parent_path() ? path.parent_path().filename().string() : stem;
}

}  // namespace

std::vector<std::string> known_architectures() {
  std::vector<std::string> names;
  for (const Architecture& architecture : architectures()) {
    names.emplace_back(architecture.model_type);
  }
  std::sort(names.begin(), names.end());
  return names;
}

ModelDescription model_from_config(const Json& config, const std::string& origin) {
  if (!config.is_object()) throw UsageError(origin + ": /: an object is needed");
  const Json& part = language_part(config);
  ConfigKeys whole(config, origin, "");
  ConfigKeys keys(part, origin, &part == &config ? "" : "/text_config");
  std::string model_type = keys.text("model_type", "");
  if (!find_architecture(model_type)) {
    const std::string outer = whole.text("model_type", "");
    if (find_architecture(outer)) model_type = outer;
  }
  const Architecture* architecture = find_architecture(model_type);
  if (!architecture) refuse(origin, model_type);

  ModelDescription model;
  model.name = name_from(origin);
  model.architecture = std::string(architecture->model_type);
  model.hidden = keys.required("hidden_size");
  model.vocabulary = keys.required("vocab_size");
  model.longest_context = keys.one_of({"max_position_embeddings", "max_sequence_length"}, 0);
  const std::int64_t count = keys.required("num_hidden_layers");
  if (count > most_layers) keys.fail("num_hidden_layers", "more than 10,000 layers");
  model.format =
      keys.has("dtype") || keys.has("torch_dtype") ? model_format_of(keys) : model_format_of(whole);
  model.tied_embeddings =
      keys.flag("tie_word_embeddings", whole.flag("tie_word_embeddings", architecture->tied));
  model.norms_per_layer = architecture->norms_per_layer;
  model.layers = layers_of(keys, *architecture, count);
  set_rotation(model, keys, *architecture);
  set_prediction_layers(model, keys);
  model.quantization = quantization_from_config(config, origin);
  if (model.quantization.method.empty() && &part != &config) {
    model.quantization = quantization_from_config(part, origin);
  }
  if (!architecture->weights_known) {
    model.weights_unknown = fmt::format(
        "the weights of architecture {} are not computed from its configuration", model_type);
  }
  for (const char* key : {"vision_config", "audio_config"}) {
    if (whole.has(key)) {
      model.left_out.push_back(std::string(key).substr(0, std::string(key).find('_')) + " encoder");
    }
  }
  if (!keys.missing().empty()) {
    std::vector<std::string> names = keys.missing();
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    throw UsageError(fmt::format("{}: architecture '{}' needs keys that are missing: {}", origin,
                                 model_type, list));
  }
  return model;
}

}  // namespace hpclab::kvcache
