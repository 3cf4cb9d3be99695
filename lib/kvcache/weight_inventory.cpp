// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/weight_inventory.hpp"

#include "kvcache/cache_specification.hpp"

#include <algorithm>
#include <cmath>
#include <regex>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

// Collects the matrices of one layer under its name.
class LayerInventory {
 public:
  LayerInventory(std::vector<WeightMatrix>& all, const ModelDescription& model, std::int64_t layer)
      : all_(all), model_(model), layer_(layer), prefix_(fmt::format("model.layers.{}.", layer)) {}

  void add(const Layer& layer) {
    switch (layer.mixer) {
      case Mixer::full_attention:
      case Mixer::sliding_window:
      case Mixer::chunked_local:
        attention(layer.attention, layer.shares_cache_of.has_value());
        break;
      case Mixer::latent_attention:
        latent(layer.latent);
        break;
      case Mixer::recurrent_state:
        recurrence(layer.recurrence);
        break;
      case Mixer::none:
        break;
    }
    if (layer.also_recurrent) recurrence(layer.recurrence);
    feed_forward(layer.feed_forward);
    // A layer norm with learned positions beside it (OPT) has a bias too.
    const std::int64_t width = model_.learned_positions > 0 ? 2 * model_.hidden : model_.hidden;
    for (std::int64_t i = 0; i < model_.norms_per_layer; ++i) {
      vector(fmt::format("norm{}", i), width, Split::none);
    }
  }

 private:
  WeightMatrix& matrix(const std::string& name, std::int64_t rows, std::int64_t columns,
                       Split split) {
    WeightMatrix& entry = all_.emplace_back();
    entry.name = prefix_ + name;
    entry.rows = rows;
    entry.columns = columns;
    entry.split = split;
    entry.quantizable = true;
    entry.layer = layer_;
    return entry;
  }
  WeightMatrix& vector(const std::string& name, std::int64_t length, Split split) {
    WeightMatrix& entry = matrix(name, length, 1, split);
    entry.quantizable = false;
    return entry;
  }

  void attention(const Attention& a, bool shares_cache) {
    const std::int64_t query = a.query_heads * a.key_dim * (a.output_gate ? 2 : 1);
    matrix("self_attn.q_proj", query, model_.hidden, Split::rows);
    if (!shares_cache) {
      matrix("self_attn.k_proj", a.kv_heads * a.key_dim, model_.hidden, Split::kv_heads).heads =
          a.kv_heads;
      matrix("self_attn.v_proj", a.kv_heads * a.value_dim, model_.hidden, Split::kv_heads).heads =
          a.kv_heads;
    }
    matrix("self_attn.o_proj", model_.hidden, a.query_heads * a.value_dim, Split::columns);
    if (a.input_bias) {
      vector("self_attn.q_proj.bias", query, Split::rows);
      vector("self_attn.k_proj.bias", a.kv_heads * a.key_dim, Split::kv_heads).heads = a.kv_heads;
      vector("self_attn.v_proj.bias", a.kv_heads * a.value_dim, Split::kv_heads).heads = a.kv_heads;
    }
    if (a.output_bias) vector("self_attn.o_proj.bias", model_.hidden, Split::none);
    if (a.query_key_norm) {
      vector("self_attn.q_norm", a.key_dim, Split::none);
      vector("self_attn.k_norm", a.key_dim, Split::none);
    }
    if (a.sinks) vector("self_attn.sinks", a.query_heads, Split::rows);
  }

  void latent(const LatentAttention& a) {
    const std::int64_t query = a.query_heads * (a.nope_dim + a.rope_dim);
    if (a.query_rank > 0) {
      matrix("self_attn.q_a_proj", a.query_rank, model_.hidden, Split::none);
      vector("self_attn.q_a_layernorm", a.query_rank, Split::none);
      matrix("self_attn.q_b_proj", query, a.query_rank, Split::rows);
    } else {
      matrix("self_attn.q_proj", query, model_.hidden, Split::rows);
    }
    matrix("self_attn.kv_a_proj_with_mqa", a.latent_rank + a.rope_dim, model_.hidden, Split::none);
    vector("self_attn.kv_a_layernorm", a.latent_rank, Split::none);
    matrix("self_attn.kv_b_proj", a.query_heads * (a.nope_dim + a.value_dim), a.latent_rank,
           Split::rows);
    matrix("self_attn.o_proj", model_.hidden, a.query_heads * a.value_dim, Split::columns);
    if (a.indexer_dim > 0) {
      matrix("self_attn.indexer.wq_b", a.indexer_heads * a.indexer_dim, a.query_rank, Split::none);
      matrix("self_attn.indexer.wk", a.indexer_dim, model_.hidden, Split::none);
      matrix("self_attn.indexer.weights_proj", a.indexer_heads, model_.hidden, Split::none)
          .quantizable = false;
      vector("self_attn.indexer.k_norm", 2 * a.indexer_dim, Split::none);
    }
  }

  void recurrence(const Recurrence& r) {
    const std::int64_t inner = r.heads * r.value_dim;
    const std::int64_t channels = r.convolution_channels();
    if (r.kind == "mamba1") {
      // Input and gate; time step, B and C from the convolved input.
      const std::int64_t rank = (model_.hidden + 15) / 16;
      matrix("mixer.in_proj", 2 * inner, model_.hidden, Split::rows);
      matrix("mixer.x_proj", rank + 2 * r.key_dim, inner, Split::columns);
      matrix("mixer.dt_proj", inner, rank, Split::rows);
      vector("mixer.dt_proj.bias", inner, Split::rows);
      vector("mixer.A_log", inner * r.key_dim, Split::rows).fp32 = true;
      vector("mixer.D", inner, Split::rows).fp32 = true;
      matrix("mixer.out_proj", model_.hidden, inner, Split::columns);
      convolution("mixer.conv1d", channels, r.convolution_width);
      vector("mixer.conv1d.bias", channels, Split::rows);
      return;
    }
    if (r.kind == "short-convolution") {
      matrix("conv.in_proj", 3 * inner, model_.hidden, Split::rows);
      matrix("conv.out_proj", model_.hidden, inner, Split::columns);
      convolution("conv.conv", channels, r.convolution_width);
      return;
    }
    if (r.kind == "lightning") {
      matrix("self_attn.qkv_proj", 3 * inner, model_.hidden, Split::rows);
      matrix("self_attn.output_gate", inner, model_.hidden, Split::rows);
      matrix("self_attn.o_proj", model_.hidden, inner, Split::columns);
      return;
    }
    const std::string block = r.kind == "mamba2" ? "mixer" : "linear_attn";
    matrix(block + (r.kind == "mamba2" ? ".in_proj" : ".in_proj_qkvz"), channels + inner,
           model_.hidden, Split::rows);
    // A step (Mamba-2) or a decay and a strength (delta net) a head.
    matrix(block + ".in_proj_ba", r.kind == "mamba2" ? r.heads : 2 * r.heads, model_.hidden,
           Split::rows)
        .quantizable = false;
    vector(block + ".A_log", r.heads, Split::rows).fp32 = true;
    vector(block + ".dt_bias", r.heads, Split::rows);
    if (r.kind == "mamba2") vector(block + ".D", r.heads, Split::rows);
    vector(block + ".norm", r.kind == "mamba2" ? inner : r.value_dim,
           r.kind == "mamba2" ? Split::rows : Split::none);
    matrix(block + ".out_proj", model_.hidden, inner, Split::columns);
    convolution(block + ".conv1d", channels, r.convolution_width);
    if (r.kind == "mamba2") vector(block + ".conv1d.bias", channels, Split::rows);
  }

  void convolution(const std::string& name, std::int64_t channels, std::int64_t width) {
    matrix(name, channels, width, Split::rows).quantizable = false;
  }

  void feed_forward(const FeedForward& f) {
    if (f.intermediate > 0) dense("mlp", f.intermediate, f.gated, f.bias);
    if (f.experts == 0) return;
    router(f);
    const auto expert = [&](const std::string& name, std::int64_t rows, std::int64_t columns,
                            Split split) {
      WeightMatrix& entry = matrix("mlp.experts." + name, rows, columns, split);
      entry.count = f.experts;
      entry.expert = true;
      if (columns == 1) entry.quantizable = false;
    };
    const std::int64_t width = f.expert_intermediate;
    if (f.gated) expert("gate_proj", width, model_.hidden, Split::expert_rows);
    expert("up_proj", width, model_.hidden, Split::expert_rows);
    expert("down_proj", model_.hidden, width, Split::expert_columns);
    if (f.bias) {
      expert("gate_up_proj.bias", 2 * width, 1, Split::expert_rows);
      expert("down_proj.bias", model_.hidden, 1, Split::none);
    }
    if (f.shared_intermediate > 0) {
      dense("mlp.shared_experts", f.shared_intermediate, f.gated, false);
      if (f.shared_gate) {
        matrix("mlp.shared_expert_gate", 1, model_.hidden, Split::none).quantizable = false;
      }
    }
  }

  void router(const FeedForward& f) {
    matrix("mlp.gate", f.experts, model_.hidden, Split::none).quantizable = false;
    if (f.router_bias) vector("mlp.router.bias", f.experts, Split::none);
  }

  void dense(const std::string& block, std::int64_t width, bool gated, bool bias) {
    if (gated) matrix(block + ".gate_proj", width, model_.hidden, Split::rows);
    matrix(block + ".up_proj", width, model_.hidden, Split::rows);
    matrix(block + ".down_proj", model_.hidden, width, Split::columns);
    if (bias) {
      vector(block + ".up_proj.bias", (gated ? 2 : 1) * width, Split::rows);
      vector(block + ".down_proj.bias", model_.hidden, Split::none);
    }
  }

  std::vector<WeightMatrix>& all_;
  const ModelDescription& model_;
  std::int64_t layer_;
  std::string prefix_;
};

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// A module stays unquantised when an entry names it, a module above it, or is an expression that
// matches it. Lists name what the checkpoint's authors saw: with or without "model.".
bool names_module(const std::string& entry, const std::string& module) {
  if (entry.starts_with("re:")) {
    try {
      return std::regex_search(module, std::regex(entry.substr(3)));
    } catch (const std::regex_error&) {
      return false;
    }
  }
  if (entry.find('*') != std::string::npos) {
    std::string pattern;
    for (char c : entry) {
      if (c == '*') {
        pattern += ".*";
      } else if (std::string_view("\\^$.|?+()[]{}").find(c) != std::string_view::npos) {
        pattern += std::string("\\") + c;
      } else {
        pattern += c;
      }
    }
    return std::regex_search(module, std::regex(pattern));
  }
  const std::size_t at = module.find(entry);
  if (at == std::string::npos || entry.empty()) return false;
  const std::size_t end = at + entry.size();
  return (at == 0 || module[at - 1] == '.') && (end == module.size() || module[end] == '.');
}

struct Shape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t count = 0;
};

Shape shape_of_rank(const WeightMatrix& matrix, const WeightRanks& ranks) {
  Shape shape{matrix.rows, matrix.columns, matrix.count};
  const std::int64_t tp = ranks.tensor_parallel;
  const std::int64_t width_ranks = ranks.expert_width_ranks > 0 ? ranks.expert_width_ranks : tp;
  switch (matrix.split) {
    case Split::none:
      break;
    case Split::rows:
      shape.rows = ceil_divide(matrix.rows, tp);
      break;
    case Split::columns:
      shape.columns = ceil_divide(matrix.columns, tp);
      break;
    case Split::vocabulary:
      shape.rows = ceil_divide(
          ceil_divide(matrix.rows, ranks.vocabulary_padding) * ranks.vocabulary_padding, tp);
      break;
    case Split::kv_heads:
      shape.rows = matrix.rows / matrix.heads * kv_heads_of_rank(matrix.heads, tp);
      break;
    case Split::expert_rows:
      if (ranks.expert_parallel == 1) shape.rows = ceil_divide(matrix.rows, width_ranks);
      break;
    case Split::expert_columns:
      if (ranks.expert_parallel == 1) {
        shape.columns = ceil_divide(matrix.columns, width_ranks);
      }
      break;
  }
  if (matrix.expert && ranks.expert_parallel > 1) {
    shape.count = ceil_divide(matrix.count, ranks.expert_parallel);
  }
  return shape;
}

}  // namespace

std::vector<WeightMatrix> layer_weights(const ModelDescription& model,
                                        const std::vector<Layer>& layers,
                                        std::int64_t first_layer) {
  std::vector<WeightMatrix> all;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerInventory(all, model, first_layer + static_cast<std::int64_t>(i)).add(layers[i]);
  }
  return all;
}

std::vector<WeightMatrix> outer_weights(const ModelDescription& model) {
  std::vector<WeightMatrix> all;
  all.push_back({.name = "model.embed_tokens",
                 .rows = model.vocabulary,
                 .columns = model.hidden,
                 .split = Split::vocabulary,
                 .quantizable = model.quantization.embeddings});
  if (model.learned_positions > 0) {
    // OPT keeps two rows before the first position, and a bias in its last norm.
    all.push_back({.name = "model.embed_positions",
                   .rows = model.learned_positions + 2,
                   .columns = model.hidden});
    all.push_back({.name = "model.norm.bias", .rows = model.hidden});
  }
  all.push_back({.name = "model.norm", .rows = model.hidden});
  if (!model.tied_embeddings) {
    all.push_back({.name = "lm_head",
                   .rows = model.vocabulary,
                   .columns = model.hidden,
                   .split = Split::vocabulary,
                   .quantizable = model.quantization.embeddings});
  }
  return all;
}

double elements_of_rank(const WeightMatrix& matrix, const WeightRanks& ranks) {
  const Shape shape = shape_of_rank(matrix, ranks);
  return static_cast<double>(shape.rows) * static_cast<double>(shape.columns) *
         static_cast<double>(shape.count);
}

bool is_quantized(const WeightMatrix& matrix, const Quantization& quantization) {
  if (!matrix.quantizable || quantization.method.empty()) return false;
  if (quantization.experts_only && !matrix.expert) return false;
  return std::none_of(quantization.unquantized.begin(), quantization.unquantized.end(),
                      [&](const std::string& entry) { return names_module(entry, matrix.name); });
}

double bytes_of_rank(const WeightMatrix& matrix, const ModelDescription& model,
                     const WeightRanks& ranks) {
  const Shape shape = shape_of_rank(matrix, ranks);
  const double elements = elements_of_rank(matrix, ranks);
  const Quantization& q = model.quantization;
  if (!is_quantized(matrix, q)) {
    return elements * (matrix.fp32 ? 4 : bytes_per_element(model.format));
  }
  const std::int64_t along = q.group_elements > 0 ? q.group_elements : shape.columns;
  const double groups = static_cast<double>(ceil_divide(shape.columns, along)) *
                        static_cast<double>(ceil_divide(shape.rows, q.group_rows)) *
                        static_cast<double>(shape.count);
  const bool grouped = q.group_elements > 0 || q.scale_bytes > 0;
  return elements * q.bits / 8 + (grouped ? groups * (q.scale_bytes + q.zero_point_bits / 8) : 4.0);
}

WeightTotals totals_of(const std::vector<WeightMatrix>& matrices, const ModelDescription& model,
                       const WeightRanks& ranks) {
  WeightTotals totals;
  for (const WeightMatrix& matrix : matrices) {
    const double bytes = bytes_of_rank(matrix, model, ranks);
    const double elements = elements_of_rank(matrix, ranks);
    totals.bytes += bytes;
    totals.elements += elements;
    if (is_quantized(matrix, model.quantization)) totals.quantized_elements += elements;
    if (matrix.expert) totals.expert_bytes += bytes;
  }
  return totals;
}

double parameter_count(const ModelDescription& model) {
  return totals_of(layer_weights(model, model.layers), model, {}).elements +
         totals_of(outer_weights(model), model, {}).elements;
}

}  // namespace hpclab::kvcache
