// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/layer_rules.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

// States are kept as the configuration says, else in the model's own format.
void set_formats(ConfigKeys& keys, Recurrence& recurrence) {
  recurrence.convolution_format = model_format_of(keys);
  recurrence.matrix_format = state_format_of(keys, recurrence.convolution_format);
}

Recurrence kimi_delta_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "kimi-delta";
  auto linear = keys.object("linear_attn_config");
  if (!linear) {
    keys.miss("linear_attn_config");
    return state;
  }
  state.heads = linear->required("num_heads");
  state.key_dim = linear->required("head_dim");
  state.value_dim = state.key_dim;
  state.groups = state.heads;
  state.convolution_width = linear->required("short_conv_kernel_size");
  for (const std::string& key : linear->missing()) keys.miss("linear_attn_config/" + key);
  state.convolution_format = model_format_of(keys);
  state.matrix_format = ElementFormat::fp32;
  return state;
}

Recurrence short_convolution_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "short-convolution";
  state.heads = keys.required("hidden_size");
  state.value_dim = 1;
  state.convolution_width = keys.required("conv_L_cache");
  state.convolution_format = model_format_of(keys);
  return state;
}

Recurrence lightning_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "lightning";
  state.heads = keys.required("num_attention_heads");
  state.key_dim = keys.required("head_dim");
  state.value_dim = state.key_dim;
  state.matrix_format = ElementFormat::fp32;
  return state;
}

// The layers that attend, where the configuration states a period, a list or types.
std::vector<bool> attending(ConfigKeys& keys, const Architecture& architecture,
                            std::int64_t count) {
  std::vector<bool> attends(static_cast<std::size_t>(count), false);
  const std::vector<std::string> types = layer_types_of(keys, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!types.empty()) {
      attends[at] = types[at] == "full_attention" || types[at] == "attention";
    } else if (architecture.rule == LayerRule::gated_delta) {
      const std::int64_t interval = keys.integer("full_attention_interval", 4);
      if (interval == 0) keys.fail("full_attention_interval", "0 is no interval");
      attends[at] = (i + 1) % interval == 0;
    } else if (architecture.rule == LayerRule::jamba) {
      const std::int64_t period = keys.required("attn_layer_period");
      attends[at] = i % period == keys.integer("attn_layer_offset", 0) % period;
    }
  }
  if (!types.empty()) return attends;
  const auto mark = [&](const std::vector<std::int64_t>& list, const char* key) {
    for (std::int64_t i : list) {
      if (i >= count) keys.fail(key, fmt::format("there is no layer {} of {}", i, count));
      attends[static_cast<std::size_t>(i)] = true;
    }
  };
  if (architecture.rule == LayerRule::typed_mamba2) {
    if (!keys.has("attn_layer_indices")) keys.miss("layer_types or attn_layer_indices");
    mark(keys.integers("attn_layer_indices"), "attn_layer_indices");
  } else if (architecture.rule == LayerRule::short_convolution) {
    if (!keys.has("full_attn_idxs")) keys.miss("layer_types or full_attn_idxs");
    mark(keys.integers("full_attn_idxs"), "full_attn_idxs");
  } else if (architecture.rule == LayerRule::lightning) {
    const std::vector<std::int64_t> kinds = keys.integers("attn_type_list");
    if (kinds.empty()) keys.miss("layer_types or attn_type_list");
    if (!kinds.empty() && static_cast<std::int64_t>(kinds.size()) != count) {
      keys.fail("attn_type_list",
                fmt::format("it lists {} layers, the model has {}", kinds.size(), count));
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) attends[i] = kinds[i] == 1;
  }
  return attends;
}

Recurrence recurrence_of(ConfigKeys& keys, LayerRule rule) {
  switch (rule) {
    case LayerRule::gated_delta:
      return gated_delta_net_of(keys);
    case LayerRule::mamba1:
    case LayerRule::jamba:
      return mamba1_of(keys);
    case LayerRule::kimi_linear:
      return kimi_delta_of(keys);
    case LayerRule::short_convolution:
      return short_convolution_of(keys);
    case LayerRule::lightning:
      return lightning_of(keys);
    default:
      return mamba2_of(keys);
  }
}

// One letter a layer: M Mamba-2, * attention, - feed-forward, E experts.
std::vector<Layer> nemotron_layers(ConfigKeys& keys, const Architecture& architecture,
                                   std::int64_t count) {
  const std::string pattern = keys.text("hybrid_override_pattern", "");
  if (pattern.empty()) {
    keys.miss("hybrid_override_pattern");
    return {};
  }
  if (static_cast<std::int64_t>(pattern.size()) != count) {
    keys.fail("hybrid_override_pattern",
              fmt::format("it names {} layers, num_hidden_layers says {}", pattern.size(), count));
  }
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    layer.mixer = Mixer::none;
    switch (pattern[static_cast<std::size_t>(i)]) {
      case 'M':
        layer.mixer = Mixer::recurrent_state;
        layer.recurrence = mamba2_of(keys);
        break;
      case '*':
        layer.mixer = Mixer::full_attention;
        layer.attention = attention_of(keys, architecture);
        break;
      case '-':
        layer.feed_forward.gated = false;
        layer.feed_forward.intermediate = keys.required("intermediate_size");
        break;
      case 'E':
        layer.feed_forward.gated = false;
        layer.feed_forward.experts = keys.required("n_routed_experts");
        layer.feed_forward.experts_per_token = keys.required("num_experts_per_tok");
        layer.feed_forward.expert_intermediate = keys.required("moe_intermediate_size");
        layer.feed_forward.shared_intermediate =
            keys.integer("moe_shared_expert_intermediate_size", 0);
        break;
      default:
        keys.fail("hybrid_override_pattern", "a letter other than M * - E");
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<Layer> kimi_linear_layers(ConfigKeys& keys, const Architecture& architecture,
                                      std::int64_t count) {
  const auto linear = keys.object("linear_attn_config");
  if (!linear) {
    keys.miss("linear_attn_config");
    return {};
  }
  // Layers are counted from 1 there.
  std::vector<bool> delta(static_cast<std::size_t>(count), false);
  for (std::int64_t i : linear->integers("kda_layers")) {
    if (i < 1 || i > count) linear->fail("kda_layers", fmt::format("there is no layer {}", i));
    delta[static_cast<std::size_t>(i - 1)] = true;
  }
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    if (delta[static_cast<std::size_t>(i)]) {
      layer.mixer = Mixer::recurrent_state;
      layer.recurrence = kimi_delta_of(keys);
    } else {
      layer.mixer = Mixer::latent_attention;
      layer.latent = latent_attention_of(keys);
    }
    layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

ElementFormat state_format_of(const ConfigKeys& keys, ElementFormat model_format) {
  for (const char* key : {"mamba_ssm_dtype", "mamba_ssm_cache_dtype"}) {
    const std::string word = keys.text(key, "");
    if (!word.empty() && word != "auto") return parse_element_format(word, keys.origin());
  }
  return model_format;
}

Recurrence gated_delta_net_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "gated-delta-net";
  state.heads = keys.required("linear_num_value_heads");
  state.groups = keys.required("linear_num_key_heads");
  state.key_dim = keys.required("linear_key_head_dim");
  state.value_dim = keys.required("linear_value_head_dim");
  state.convolution_width = keys.required("linear_conv_kernel_dim");
  set_formats(keys, state);
  return state;
}

Recurrence mamba1_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "mamba1";
  state.heads =
      keys.has("intermediate_size") && !keys.has("mamba_expand")
          ? keys.required("intermediate_size")
          : keys.required_one_of({"mamba_expand", "expand"}) * keys.required("hidden_size");
  state.value_dim = 1;
  state.key_dim = keys.required_one_of({"mamba_d_state", "state_size"});
  state.convolution_width = keys.required_one_of({"mamba_d_conv", "conv_kernel"});
  set_formats(keys, state);
  return state;
}

Recurrence mamba2_of(ConfigKeys& keys) {
  Recurrence state;
  state.kind = "mamba2";
  state.heads = keys.required_one_of({"mamba_num_heads", "mamba_n_heads", "num_heads"});
  if (keys.text("mamba_d_head", "auto") == "auto" && keys.has("mamba_expand")) {
    state.value_dim = keys.required("mamba_expand") * keys.required("hidden_size") / state.heads;
  } else {
    state.value_dim = keys.required_one_of({"mamba_head_dim", "mamba_d_head", "head_dim"});
  }
  state.groups = keys.required_one_of({"n_groups", "mamba_n_groups"});
  state.key_dim = keys.required_one_of({"ssm_state_size", "mamba_d_state", "state_size"});
  state.convolution_width = keys.required_one_of({"conv_kernel", "mamba_d_conv"});
  set_formats(keys, state);
  return state;
}

std::vector<Layer> recurrent_layers_of(ConfigKeys& keys, const Architecture& architecture,
                                       std::int64_t count) {
  if (architecture.rule == LayerRule::nemotron) return nemotron_layers(keys, architecture, count);
  if (architecture.rule == LayerRule::kimi_linear) {
    return kimi_linear_layers(keys, architecture, count);
  }
  const bool pure =
      architecture.rule == LayerRule::mamba1 || architecture.rule == LayerRule::mamba2;
  const std::vector<bool> attends = attending(keys, architecture, count);
  std::vector<Layer> layers;
  for (std::int64_t i = 0; i < count; ++i) {
    Layer layer;
    const bool parallel = architecture.rule == LayerRule::parallel_mamba2;
    if (parallel || attends[static_cast<std::size_t>(i)]) {
      layer.mixer = Mixer::full_attention;
      layer.attention = attention_of(keys, architecture);
      layer.attention.output_gate =
          architecture.rule == LayerRule::gated_delta && keys.flag("attn_output_gate", true);
      layer.also_recurrent = parallel;
      if (parallel) layer.recurrence = recurrence_of(keys, architecture.rule);
    } else {
      layer.mixer = Mixer::recurrent_state;
      layer.recurrence = recurrence_of(keys, architecture.rule);
    }
    if (!pure) layer.feed_forward = feed_forward_of(keys, architecture, i);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace hpclab::kvcache
