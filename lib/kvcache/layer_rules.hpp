// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which layer of a model does what: one function an architecture's rule, and what they share. Used
// by hugging_face_config.cpp alone.
#pragma once

#include "kvcache/architecture.hpp"
#include "kvcache/config_keys.hpp"
#include "kvcache/model_description.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// Softmax attention as the usual keys state it; no window.
Attention attention_of(ConfigKeys& keys, const Architecture& architecture);
LatentAttention latent_attention_of(ConfigKeys& keys);
/// The feed-forward part of layer `index`: dense, experts, or experts with shared ones.
FeedForward feed_forward_of(ConfigKeys& keys, const Architecture& architecture, std::int64_t index);

Recurrence gated_delta_net_of(ConfigKeys& keys);
Recurrence mamba1_of(ConfigKeys& keys);
/// `prefix`: "mamba_" in hybrids, "" in pure Mamba-2 models.
Recurrence mamba2_of(ConfigKeys& keys);

/// All layers, by the architecture's rule.
std::vector<Layer> layers_of(ConfigKeys& keys, const Architecture& architecture,
                             std::int64_t count);
std::vector<Layer> recurrent_layers_of(ConfigKeys& keys, const Architecture& architecture,
                                       std::int64_t count);

/// layer_types of the configuration; its length must be `count`. Empty when absent.
std::vector<std::string> layer_types_of(const ConfigKeys& keys, std::int64_t count);

/// Format of a recurrent state's matrix: what the configuration states, else the model's own.
ElementFormat state_format_of(const ConfigKeys& keys, ElementFormat model_format);

/// dtype or torch_dtype of the configuration, bf16 when it states none.
ElementFormat model_format_of(const ConfigKeys& keys);

}  // namespace hpclab::kvcache
