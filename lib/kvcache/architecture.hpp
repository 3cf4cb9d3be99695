// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What an architecture fixes and its configuration does not say: biases, normalisations, defaults
// of absent keys, and the rule by which layers differ.
#pragma once

#include <string_view>
#include <vector>

namespace hpclab::kvcache {

enum class LayerRule {
  uniform,            ///< all layers attend alike (all through a window if one is set)
  typed,              ///< layer_types, else a sliding-window pattern
  latent,             ///< MLA
  gemma_shared,       ///< typed, and the last layers read caches of earlier ones
  chunked,            ///< chunked local attention with a full layer every few
  gated_delta,        ///< gated delta net with a full layer every few
  kimi_linear,        ///< delta attention and MLA by lists of layers
  nemotron,           ///< a letter a layer: Mamba-2, attention, feed-forward
  mamba1,             ///< Mamba in every layer
  mamba2,             ///< Mamba-2 in every layer
  jamba,              ///< Mamba with an attention layer every few
  typed_mamba2,       ///< Mamba-2 or attention by layer_types
  parallel_mamba2,    ///< attention and Mamba-2 side by side in each layer
  short_convolution,  ///< short convolutions or attention by layer_types
  lightning           ///< lightning attention with softmax attention at listed layers
};

struct Architecture {
  std::string_view model_type;
  LayerRule rule = LayerRule::uniform;
  bool input_bias = false;      ///< when attention_bias is absent
  bool output_bias = false;     ///< when attention_bias is absent
  bool output_follows = false;  ///< attention_bias holds for the output projection too
  bool query_key_norm = false;
  bool gated = true;
  bool tied = false;  ///< when tie_word_embeddings is absent
  int norms_per_layer = 2;
  bool weights_known = true;  ///< the inventory of weights is complete
  bool learned_positions = false;
  std::string_view window_pattern_key = {};
};

/// The architecture of a model_type, or nullptr.
const Architecture* find_architecture(std::string_view model_type);
const std::vector<Architecture>& architectures();

}  // namespace hpclab::kvcache
