// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/layer_rules.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

bool in(const std::vector<std::int64_t>& list, std::int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Attention with a window where one is set and used. Qwen states one that is off by default.
Layer uniform_layer(ConfigKeys& keys, const Architecture& architecture, std::int64_t index) {
  Layer layer;
  layer.attention = attention_of(keys, architecture);
  const bool qwen = architecture.model_type.starts_with("qwen");
  const bool windowed = keys.flag("use_sliding_window", !qwen);
  const std::int64_t window = keys.integer("sliding_window", 0);
  const std::int64_t from = qwen ? keys.integer("max_window_layers", 0) : 0;
  if (windowed && window > 0 && index >= from) {
    layer.mixer = Mixer::sliding_window;
    layer.attention.window = window;
  }
  return layer;
}

std::vector<Layer> uniform_layers(ConfigKeys& keys, const Architecture& architecture,
                                  std::int64_t count) {
  const std::vector<std::string> types = layer_types_of(keys, count);
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer = uniform_layer(keys, architecture, i);
    if (!types.empty()) {
      const std::string& type = types[static_cast<std::size_t>(i)];
      if (type == "full_attention") {
        layer.mixer = Mixer::full_attention;
        layer.attention.window = 0;
      } else if (type == "sliding_attention") {
        layer.mixer = Mixer::sliding_window;
        layer.attention.window = keys.required("sliding_window");
      } else {
        keys.fail("layer_types",
                  fmt::format("'{}' is no attention that {} has", type, architecture.model_type));
      }
    }
    layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Whether a layer attends fully when the configuration lists no types: Gemma 2 alternates, others
// have one full layer every `sliding_window_pattern`.
bool is_full(ConfigKeys& keys, const Architecture& architecture, std::int64_t index) {
  if (architecture.model_type == "gemma2") return index % 2 == 1;
  if (architecture.model_type == "gpt_oss") return index % 2 == 1;
  const std::int64_t pattern = keys.one_of({"sliding_window_pattern", "_sliding_window_pattern"},
                                           architecture.model_type == "gemma3" ? 6 : 0);
  if (pattern == 0) {
    keys.miss("layer_types or sliding_window_pattern");
    return true;
  }
  return (index + 1) % pattern == 0;
}

std::vector<Layer> typed_layers(ConfigKeys& keys, const Architecture& architecture,
                                std::int64_t count) {
  const std::vector<std::string> types = layer_types_of(keys, count);
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    layer.attention = attention_of(keys, architecture);
    const bool full = types.empty() ? is_full(keys, architecture, i)
                                    : types[static_cast<std::size_t>(i)] == "full_attention";
    if (!full) {
      layer.mixer = Mixer::sliding_window;
      layer.attention.window = keys.required("sliding_window");
    }
    layer.attention.sinks = architecture.model_type == "gpt_oss";
    layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

// Gemma 3n and 4: the last layers read the cache of the last layer of their own type that keeps
// one; full layers may have heads of their own width.
std::vector<Layer> gemma_shared_layers(ConfigKeys& keys, const Architecture& architecture,
                                       std::int64_t count) {
  const bool gemma4 = architecture.model_type == "gemma4";
  std::vector<std::string> types = layer_types_of(keys, count);
  if (types.empty()) {
    const std::int64_t pattern = gemma4 ? 6 : 5;
    for (std::int64_t i = 0; i < count; ++i) {
      types.emplace_back((i + 1) % pattern == 0 ? "full_attention" : "sliding_attention");
    }
  }
  const std::int64_t shared = keys.integer("num_kv_shared_layers", gemma4 ? 0 : 15);
  if (shared >= count) keys.fail("num_kv_shared_layers", "not all layers can share a cache");
  const std::vector<std::int64_t> widths =
      keys.has("intermediate_size") && keys.json().find("intermediate_size")->is_array()
          ? keys.integers("intermediate_size")
          : std::vector<std::int64_t>{};
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    layer.attention = attention_of(keys, architecture);
    const bool full = types[static_cast<std::size_t>(i)] == "full_attention";
    if (!full) {
      layer.mixer = Mixer::sliding_window;
      layer.attention.window = keys.required("sliding_window");
    } else if (gemma4) {
      layer.attention.key_dim = keys.integer("global_head_dim", 512);
      layer.attention.value_dim = layer.attention.key_dim;
      if (keys.flag("attention_k_eq_v", false)) {
        layer.attention.kv_heads =
            keys.integer("num_global_key_value_heads", layer.attention.kv_heads);
      }
    }
    if (i >= count - shared) {
      for (std::int64_t j = count - shared - 1; j >= 0 && !layer.shares_cache_of; --j) {
        if (types[static_cast<std::size_t>(j)] == types[static_cast<std::size_t>(i)]) {
          layer.shares_cache_of = j;
        }
      }
      if (!layer.shares_cache_of) {
        keys.fail("num_kv_shared_layers",
                  fmt::format("no earlier layer keeps a cache of the kind of layer {}", i));
      }
    }
    if (widths.empty()) {
      layer.feed_forward = feed_forward_of(keys, architecture, i);
    } else if (static_cast<std::int64_t>(widths.size()) == count) {
      layer.feed_forward.intermediate = widths[static_cast<std::size_t>(i)];
    } else {
      keys.fail("intermediate_size",
                fmt::format("it lists {} widths for {} layers", widths.size(), count));
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<Layer> chunked_layers(ConfigKeys& keys, const Architecture& architecture,
                                  std::int64_t count) {
  // no_rope_layers: 0 marks a layer without rotation, which attends to everything.
  const std::vector<std::int64_t> rotated = keys.integers("no_rope_layers");
  if (!rotated.empty() && static_cast<std::int64_t>(rotated.size()) != count) {
    keys.fail("no_rope_layers",
              fmt::format("it lists {} layers, the model has {}", rotated.size(), count));
  }
  const std::int64_t interval = keys.integer("no_rope_layer_interval", 4);
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    layer.attention = attention_of(keys, architecture);
    const bool full =
        rotated.empty() ? (i + 1) % interval == 0 : rotated[static_cast<std::size_t>(i)] == 0;
    if (!full) {
      layer.mixer = Mixer::chunked_local;
      layer.attention.window = keys.required("attention_chunk_size");
    }
    layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<Layer> latent_layers(ConfigKeys& keys, const Architecture& architecture,
                                 std::int64_t count) {
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    layer.mixer = Mixer::latent_attention;
    layer.latent = latent_attention_of(keys);
    layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

std::vector<std::string> layer_types_of(const ConfigKeys& keys, std::int64_t count) {
  std::vector<std::string> types = keys.words("layer_types");
  if (!types.empty() && static_cast<std::int64_t>(types.size()) != count) {
    keys.fail("layer_types",
              fmt::format("it lists {} layers, num_hidden_layers says {}", types.size(), count));
  }
  return types;
}

ElementFormat model_format_of(const ConfigKeys& keys) {
  for (const char* key : {"dtype", "torch_dtype"}) {
    const std::string word = keys.text(key, "");
    if (!word.empty() && word != "auto") return parse_element_format(word, keys.origin());
  }
  return ElementFormat::bf16;
}

Attention attention_of(ConfigKeys& keys, const Architecture& architecture) {
  Attention attention;
  attention.query_heads = keys.required("num_attention_heads");
  attention.kv_heads = keys.one_of({"num_key_value_heads"}, attention.query_heads);
  if (attention.kv_heads == 0 || attention.query_heads % attention.kv_heads != 0) {
    keys.fail("num_key_value_heads",
              fmt::format("{} query heads cannot share {} key and value heads",
                          attention.query_heads, attention.kv_heads));
  }
  if (keys.has("head_dim")) {
    attention.key_dim = keys.required("head_dim");
  } else if (keys.has("attention_head_dim")) {
    attention.key_dim = keys.required("attention_head_dim");
  } else {
    attention.key_dim = keys.required("hidden_size") / attention.query_heads;
    if (attention.key_dim == 0) keys.fail("num_attention_heads", "more heads than hidden_size");
  }
  attention.value_dim = attention.key_dim;
  attention.input_bias = keys.flag("attention_bias", architecture.input_bias);
  attention.output_bias = architecture.output_follows
                              ? keys.flag("attention_bias", architecture.output_bias)
                              : architecture.output_bias;
  attention.query_key_norm = keys.flag("use_qk_norm", architecture.query_key_norm);
  return attention;
}

LatentAttention latent_attention_of(ConfigKeys& keys) {
  LatentAttention latent;
  latent.query_heads = keys.required("num_attention_heads");
  latent.query_rank = keys.integer("q_lora_rank", 0);
  latent.latent_rank = keys.required("kv_lora_rank");
  latent.rope_dim = keys.required("qk_rope_head_dim");
  latent.nope_dim = keys.required("qk_nope_head_dim");
  latent.value_dim = keys.required("v_head_dim");
  latent.indexer_heads = keys.integer("index_n_heads", 0);
  latent.indexer_dim = keys.integer("index_head_dim", 0);
  latent.indexer_tokens = keys.integer("index_topk", 0);
  return latent;
}

FeedForward feed_forward_of(ConfigKeys& keys, const Architecture& architecture,
                            std::int64_t index) {
  FeedForward part;
  part.gated = architecture.gated;
  part.bias = keys.flag("mlp_bias", architecture.model_type == "opt");
  const std::int64_t experts =
      keys.one_of({"num_local_experts", "num_experts", "n_routed_experts"}, 0);
  // Llama 4 counts its expert layers from the back of each group, the others from the front.
  bool sparse = experts > 0;
  if (keys.has("interleave_moe_layer_step")) {
    const std::int64_t step = keys.required("interleave_moe_layer_step");
    sparse = sparse && (index + 1) % step == 0;
  }
  if (index < keys.integer("first_k_dense_replace", 0)) sparse = false;
  if (const std::int64_t every = keys.integer("moe_layer_freq", 1); every > 1) {
    sparse = sparse && index % every == 0;
  }
  if (const std::int64_t step = keys.integer("decoder_sparse_step", 1); step > 1) {
    sparse = sparse && (index + 1) % step == 0;
  }
  if (in(keys.integers("mlp_only_layers"), index)) sparse = false;
  if (keys.has("expert_layer_period")) {
    const std::int64_t period = keys.required("expert_layer_period");
    sparse = sparse && index % period == keys.integer("expert_layer_offset", 0) % period;
  }
  if (index < keys.integer("num_dense_layers", 0)) sparse = false;
  if (!sparse) {
    part.intermediate = keys.has("intermediate_size_mlp")
                            ? keys.required("intermediate_size_mlp")
                            : keys.required_one_of({"intermediate_size", "ffn_dim"});
    return part;
  }
  part.experts = experts;
  part.experts_per_token =
      keys.required_one_of({"num_experts_per_tok", "experts_per_token", "top_k_experts"});
  part.expert_intermediate = keys.required_one_of({"moe_intermediate_size", "intermediate_size"});
  part.router_bias = architecture.model_type == "gpt_oss";
  if (architecture.model_type == "gpt_oss") part.bias = true;
  if (keys.has("shared_expert_intermediate_size")) {
    part.shared_intermediate = keys.integer("shared_expert_intermediate_size", 0);
    part.shared_gate = true;
  } else if (keys.has("shared_intermediate_size")) {
    part.shared_intermediate = keys.integer("shared_intermediate_size", 0);
  } else if (architecture.rule == LayerRule::chunked) {
    part.shared_intermediate = keys.required("intermediate_size");
  } else {
    part.shared_intermediate =
        keys.one_of({"n_shared_experts", "num_shared_experts"}, 0) * part.expert_intermediate;
  }
  return part;
}

std::vector<Layer> layers_of(ConfigKeys& keys, const Architecture& architecture,
                             std::int64_t count) {
  switch (architecture.rule) {
    case LayerRule::uniform:
      return uniform_layers(keys, architecture, count);
    case LayerRule::typed:
      return typed_layers(keys, architecture, count);
    case LayerRule::gemma_shared:
      return gemma_shared_layers(keys, architecture, count);
    case LayerRule::chunked:
      return chunked_layers(keys, architecture, count);
    case LayerRule::latent:
      return latent_layers(keys, architecture, count);
    case LayerRule::gated_delta:
    case LayerRule::kimi_linear:
    case LayerRule::nemotron:
    case LayerRule::mamba1:
    case LayerRule::mamba2:
    case LayerRule::jamba:
    case LayerRule::typed_mamba2:
    case LayerRule::parallel_mamba2:
    case LayerRule::short_convolution:
    case LayerRule::lightning:
      break;
  }
  return recurrent_layers_of(keys, architecture, count);
}

}  // namespace hpclab::kvcache
