// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The layers that a GGUF header describes. Which layers attend through a window follows from the
// architecture in llama.cpp, not from the header: the table below says how often one attends fully.
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/gguf.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hpclab::kvcache {
namespace {

constexpr std::int64_t most_layers = 10000;

struct GgufArchitecture {
  std::string_view name;
  std::int64_t full_every = 1;  ///< one layer in so many attends fully, the others by window
  bool chunked = false;         ///< the window is a chunk
  std::string_view recurrence = {};
};

constexpr std::array architectures{
    GgufArchitecture{"llama"},
    GgufArchitecture{"mistral3"},
    GgufArchitecture{"qwen2"},
    GgufArchitecture{"qwen2moe"},
    GgufArchitecture{"qwen2vl"},
    GgufArchitecture{"qwen3"},
    GgufArchitecture{"qwen3moe"},
    GgufArchitecture{"qwen3vl"},
    GgufArchitecture{"qwen3vlmoe"},
    GgufArchitecture{"gemma"},
    GgufArchitecture{"gemma2", 2},
    GgufArchitecture{"gemma3", 6},
    GgufArchitecture{"cohere2", 4},
    GgufArchitecture{"gpt-oss", 2},
    GgufArchitecture{"llama4", 4, true},
    GgufArchitecture{"phi3"},
    GgufArchitecture{"olmo2"},
    GgufArchitecture{"granite"},
    GgufArchitecture{"glm4"},
    GgufArchitecture{"glm4moe"},
    GgufArchitecture{"minimax-m2"},
    GgufArchitecture{"deepseek2"},
    GgufArchitecture{"mamba", 1, false, "mamba1"},
    GgufArchitecture{"mamba2", 1, false, "mamba2"},
    GgufArchitecture{"jamba", 1, false, "mamba1"},
    GgufArchitecture{"nemotron_h", 1, false, "mamba2"},
    GgufArchitecture{"granitehybrid", 1, false, "mamba2"},
    GgufArchitecture{"qwen3next", 1, false, "gated-delta-net"},
    GgufArchitecture{"qwen35", 1, false, "gated-delta-net"},
    GgufArchitecture{"qwen35moe", 1, false, "gated-delta-net"},
};

class Keys {
 public:
  Keys(const GgufHeader& header, std::string architecture)
      : header_(header), architecture_(std::move(architecture)) {}

  std::optional<std::int64_t> find(const std::string& key, std::size_t layer = 0) const {
    const auto value = header_.values.find(architecture_ + "." + key);
    if (value == header_.values.end()) return std::nullopt;
    if (const auto* number = std::get_if<std::int64_t>(&value->second))
      return bounded(*number, key);
    if (const auto* numbers = std::get_if<GgufList>(&value->second)) {
      if (layer < numbers->numbers.size()) return bounded(numbers->numbers[layer], key);
    }
    return std::nullopt;
  }
  std::int64_t get(const std::string& key, std::int64_t fallback, std::size_t layer = 0) const {
    return find(key, layer).value_or(fallback);
  }
  std::int64_t required(const std::string& key, std::size_t layer = 0) {
    const auto value = find(key, layer);
    if (!value) missing_.insert(architecture_ + "." + key);
    return value.value_or(1);
  }
  const std::set<std::string>& missing() const { return missing_; }

 private:
  static std::int64_t bounded(std::int64_t value, const std::string& key) {
    if (value < 0 || value > std::int64_t{1} << 40) {
      throw UsageError(fmt::format("key {}: {} is no size", key, value));
    }
    return value;
  }

  const GgufHeader& header_;
  std::string architecture_;
  std::set<std::string> missing_;
};

Recurrence recurrence_of(Keys& keys, std::string_view kind) {
  Recurrence state;
  state.kind = std::string(kind);
  state.convolution_width = keys.required("ssm.conv_kernel");
  state.key_dim = keys.required("ssm.state_size");
  const std::int64_t inner = keys.required("ssm.inner_size");
  // llama.cpp keeps both states in fp32.
  state.matrix_format = ElementFormat::fp32;
  state.convolution_format = ElementFormat::fp32;
  if (kind == "mamba1") {
    state.heads = inner;
    state.value_dim = 1;
    return state;
  }
  state.groups = keys.required("ssm.group_count");
  state.heads = keys.required("ssm.time_step_rank");
  if (state.heads == 0 || inner % state.heads != 0) {
    throw UsageError("ssm.inner_size is no multiple of ssm.time_step_rank");
  }
  state.value_dim = inner / state.heads;
  return state;
}

// Heads without keys and values mark a recurrent layer; delta nets attend every few layers.
bool is_recurrent(const Keys& keys, const GgufArchitecture& architecture, std::size_t layer) {
  if (architecture.recurrence.empty()) return false;
  if (architecture.recurrence == "gated-delta-net") {
    const std::int64_t every = std::max<std::int64_t>(1, keys.get("full_attention_interval", 4));
    return (static_cast<std::int64_t>(layer) + 1) % every != 0;
  }
  return keys.get("attention.head_count_kv", 0, layer) == 0;
}

Layer attention_layer(Keys& keys, const GgufArchitecture& architecture, std::int64_t hidden,
                      std::size_t index) {
  Layer layer;
  Attention& attention = layer.attention;
  attention.query_heads = keys.required("attention.head_count", index);
  if (attention.query_heads == 0) throw UsageError("attention.head_count: 0 is no size");
  attention.kv_heads = keys.get("attention.head_count_kv", attention.query_heads, index);
  attention.key_dim = keys.get("attention.key_length", hidden / attention.query_heads);
  attention.value_dim = keys.get("attention.value_length", hidden / attention.query_heads);
  const std::int64_t window = keys.get("attention.sliding_window", architecture.chunked ? 8192 : 0);
  if (window > 0 && (static_cast<std::int64_t>(index) + 1) % architecture.full_every != 0) {
    layer.mixer = architecture.chunked ? Mixer::chunked_local : Mixer::sliding_window;
    attention.window = window;
  }
  return layer;
}

Layer latent_layer(Keys& keys, std::size_t index) {
  Layer layer;
  layer.mixer = Mixer::latent_attention;
  LatentAttention& latent = layer.latent;
  latent.query_heads = keys.required("attention.head_count", index);
  latent.query_rank = keys.get("attention.q_lora_rank", 0);
  latent.latent_rank = keys.required("attention.kv_lora_rank");
  latent.rope_dim = keys.required("rope.dimension_count");
  const std::int64_t key =
      keys.get("attention.key_length_mla", keys.required("attention.key_length"));
  latent.nope_dim = std::max<std::int64_t>(0, key - latent.rope_dim);
  latent.value_dim =
      keys.get("attention.value_length_mla", keys.required("attention.value_length"));
  return layer;
}

FeedForward feed_forward_of(Keys& keys, std::size_t index) {
  FeedForward part;
  const bool dense = static_cast<std::int64_t>(index) < keys.get("leading_dense_block_count", 0);
  part.experts = dense ? 0 : keys.get("expert_count", 0);
  if (part.experts == 0) {
    part.intermediate = keys.get("feed_forward_length", 0, index);
    return part;
  }
  part.experts_per_token = keys.required("expert_used_count");
  part.expert_intermediate =
      keys.get("expert_feed_forward_length", keys.get("feed_forward_length", 1, index));
  part.shared_intermediate =
      keys.get("expert_shared_feed_forward_length",
               keys.get("expert_shared_count", 0) * part.expert_intermediate);
  return part;
}

std::int64_t vocabulary_of(const GgufHeader& header, const Keys& keys) {
  if (const auto stated = keys.find("vocab_size")) return *stated;
  const auto tokens = header.values.find("tokenizer.ggml.tokens");
  if (tokens == header.values.end()) return 0;
  const auto* list = std::get_if<GgufList>(&tokens->second);
  return list ? static_cast<std::int64_t>(list->length) : 0;
}

}  // namespace

ModelDescription model_from_gguf(const GgufHeader& header, const std::string& origin) {
  const auto stated = header.values.find("general.architecture");
  const auto* name =
      stated == header.values.end() ? nullptr : std::get_if<std::string>(&stated->second);
  if (!name) throw UsageError(origin + ": key general.architecture is missing");
  const GgufArchitecture* architecture = nullptr;
  std::vector<std::string> known;
  for (const GgufArchitecture& candidate : architectures) {
    if (candidate.name == *name) architecture = &candidate;
    known.emplace_back(candidate.name);
  }
  if (!architecture) {
    throw UsageError(fmt::format("{}: unknown architecture '{}': its cache layout is not guessed{}",
                                 origin, *name, suggestion(*name, known)));
  }
  Keys keys(header, *name);
  ModelDescription model;
  model.name = std::filesystem::path(origin).stem().string();
  model.architecture = *name;
  model.format = ElementFormat::fp16;
  try {
    model.hidden = keys.required("embedding_length");
    model.longest_context = keys.get("context_length", 0);
    model.rope_dim = keys.get("rope.dimension_count", 0);
    model.vocabulary = vocabulary_of(header, keys);
    const std::int64_t count = keys.required("block_count");
    if (count > most_layers) throw UsageError("block_count: more than 10,000 layers");
    // Multi-token predictors are counted among the blocks.
    const std::int64_t predictors = std::min(count, keys.get("nextn_predict_layers", 0));
    for (std::int64_t i = 0; i < count; ++i) {
      const auto index = static_cast<std::size_t>(i);
      Layer layer;
      if (is_recurrent(keys, *architecture, index)) {
        layer.mixer = Mixer::recurrent_state;
        layer.recurrence = recurrence_of(keys, architecture->recurrence);
        // A block without heads and without a state is feed-forward only (Nemotron).
        if (*name == "nemotron_h" && keys.get("feed_forward_length", 0, index) > 0) {
          layer.mixer = Mixer::none;
        }
      } else if (*name == "deepseek2") {
        layer = latent_layer(keys, index);
      } else {
        layer = attention_layer(keys, *architecture, model.hidden, index);
      }
      layer.feed_forward = feed_forward_of(keys, index);
      (i < count - predictors ? model.layers : model.prediction_layers).push_back(layer);
    }
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", origin, error.what()));
  }
  if (!keys.missing().empty()) {
    throw UsageError(fmt::format("{}: architecture '{}' needs keys that are missing: {}", origin,
                                 *name, fmt::join(keys.missing(), ", ")));
  }
  std::int64_t bytes = 0;
  for (const GgufTensor& tensor : header.tensors) bytes += tensor.bytes;
  if (bytes > 0) {
    model.stated_weight_bytes = bytes;
    model.weight_source = std::filesystem::path(origin).filename().string();
  }
  model.weights_unknown = "the weights of a GGUF file are those that its header states";
  return model;
}

}  // namespace hpclab::kvcache
