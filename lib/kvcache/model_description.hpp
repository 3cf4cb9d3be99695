// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a transformer's configuration says about its size: one entry a layer, so that hybrids
// (sliding windows, linear attention, shared caches, dense and expert layers) need no special case.
// Read from a Hugging Face config.json or a GGUF header by the readers beside this file; cache and
// weight sizes follow in cache_specification.hpp and weight_inventory.hpp.
#pragma once

#include "kvcache/element_format.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// What mixes tokens in a layer. A layer of `none` has a feed-forward part only.
enum class Mixer {
  full_attention,
  sliding_window,    ///< attends to the last `window` tokens
  chunked_local,     ///< attends within its own chunk of `window` tokens
  latent_attention,  ///< MLA: one compressed row a token, shared by all heads
  recurrent_state,   ///< linear attention, Mamba, short convolution: a state of fixed size
  none
};
const char* name_of(Mixer mixer);

/// Softmax attention with one key and one value row a head. kv_heads == query_heads is MHA, 1 is
/// MQA, anything between GQA.
struct Attention {
  std::int64_t query_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_dim = 0;    ///< elements of one key row
  std::int64_t value_dim = 0;  ///< elements of one value row; 0 when the key row serves as value
  std::int64_t window = 0;     ///< tokens, for sliding_window and chunked_local
  bool input_bias = false;
  bool output_bias = false;
  bool query_key_norm = false;  ///< normalises each head's query and key
  bool output_gate = false;     ///< queries carry a gate as wide as themselves
  bool sinks = false;           ///< one learned logit a head
};

/// Multi-head latent attention: the cache keeps `latent_rank + rope_dim` elements a token.
struct LatentAttention {
  std::int64_t query_heads = 0;
  std::int64_t query_rank = 0;  ///< 0: queries are not compressed
  std::int64_t latent_rank = 0;
  std::int64_t rope_dim = 0;
  std::int64_t nope_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t indexer_heads = 0;  ///< sparse attention that picks tokens by an indexer; 0: none
  std::int64_t indexer_dim = 0;
  std::int64_t indexer_tokens = 0;  ///< tokens that it picks for each query; 0: not stated
};

/// A recurrence with a matrix state of heads x key_dim x value_dim and the last inputs of a causal
/// convolution over heads*value_dim + 2*groups*key_dim channels (Mamba-2 keeps B and C, a delta net
/// queries and keys in the second term). Mamba-1: heads = inner size, value_dim = 1, groups = 0.
struct Recurrence {
  std::string kind;  ///< mamba1, mamba2, gated-delta-net, kimi-delta, lightning, short-convolution
  std::int64_t heads = 0;
  std::int64_t key_dim = 0;  ///< state size; 0: only the convolution remembers
  std::int64_t value_dim = 0;
  std::int64_t groups = 0;
  std::int64_t convolution_width = 0;  ///< taps; 0: no convolution
  ElementFormat matrix_format = ElementFormat::fp32;
  ElementFormat convolution_format = ElementFormat::bf16;

  std::int64_t convolution_channels() const;
  std::int64_t convolution_elements() const;  ///< kept for one sequence: (width - 1) x channels
  std::int64_t matrix_elements() const;       ///< kept for one sequence
};

/// The part after the mixer. Dense when experts == 0; intermediate == 0 and experts == 0: none.
struct FeedForward {
  std::int64_t intermediate = 0;  ///< dense width
  bool gated = true;              ///< gate, up and down; false: up and down
  bool bias = false;
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;
  std::int64_t expert_intermediate = 0;
  std::int64_t shared_intermediate = 0;  ///< width of all shared experts together
  bool shared_gate = false;
  bool router_bias = false;
};

struct Layer {
  Mixer mixer = Mixer::full_attention;
  Attention attention;
  LatentAttention latent;
  Recurrence recurrence;
  /// A second mixer that runs beside the first one (attention and Mamba heads in one layer).
  bool also_recurrent = false;
  /// Layer whose cache this one reads instead of keeping its own.
  std::optional<std::int64_t> shares_cache_of;
  FeedForward feed_forward;
};

/// How weights that are quantised are stored; everything else is in the model's own format.
struct Quantization {
  std::string method;  ///< as the configuration names it; empty: none
  double bits = 0;     ///< of one quantised element
  /// Elements that share one scale, along the row and along the column; 0: the whole length.
  std::int64_t group_elements = 0;
  std::int64_t group_rows = 1;
  double scale_bytes = 0;      ///< of one group
  double zero_point_bits = 0;  ///< of one group
  /// Modules that stay unquantised: names as in the checkpoint, or "re:" and an expression.
  std::vector<std::string> unquantized;
  bool embeddings = false;    ///< the embedding is quantised too
  bool experts_only = false;  ///< attention and dense layers stay unquantised
};

struct ModelDescription {
  std::string name;
  std::string architecture;  ///< model_type of the configuration
  std::string source;        ///< where the facts come from; may be empty
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  std::int64_t longest_context = 0;  ///< max_position_embeddings; 0: not stated
  std::int64_t rope_positions = 0;   ///< rows of the table of rotations that engines precompute
  std::int64_t rope_dim = 0;         ///< elements of a head that are rotated; 0: no rotation
  std::int64_t learned_positions = 0;
  bool tied_embeddings = false;
  std::int64_t norms_per_layer = 2;
  ElementFormat format = ElementFormat::bf16;  ///< of weights and activations
  Quantization quantization;
  std::vector<Layer> layers;
  std::vector<Layer> prediction_layers;  ///< multi-token prediction, used by a drafter only
  /// Why weights cannot be computed from the configuration; empty when they can.
  std::string weights_unknown;
  /// Bytes of all weight tensors as a checkpoint's index or header states them.
  std::optional<std::int64_t> stated_weight_bytes;
  std::string weight_source;  ///< the file that states them
  /// Parts of the checkpoint that the description leaves out ("vision encoder").
  std::vector<std::string> left_out;

  /// How many layers have this mixer.
  std::int64_t count(Mixer mixer) const;
  /// "GQA 32:8x128", "MLA 512+64", "18 full + 18 sliding (128)": one phrase for people.
  std::string cache_kind() const;
};

}  // namespace hpclab::kvcache
