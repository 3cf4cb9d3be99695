// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/architecture.hpp"

#include <algorithm>

namespace hpclab::kvcache {

// Sources: the configuration classes of Hugging Face Transformers and the models of vLLM.
const std::vector<Architecture>& architectures() {
  static const std::vector<Architecture> all{
      {.model_type = "llama", .output_follows = true},
      {.model_type = "mistral"},
      {.model_type = "ministral3"},
      {.model_type = "mistral3"},
      {.model_type = "qwen2", .input_bias = true},
      {.model_type = "qwen2_moe", .input_bias = true},
      {.model_type = "qwen2_vl", .input_bias = true},
      {.model_type = "qwen2_5_vl", .input_bias = true},
      {.model_type = "qwen3", .output_follows = true, .query_key_norm = true},
      {.model_type = "qwen3_moe", .output_follows = true, .query_key_norm = true},
      {.model_type = "qwen3_vl", .output_follows = true, .query_key_norm = true},
      {.model_type = "qwen3_vl_moe", .output_follows = true, .query_key_norm = true},
      {.model_type = "mixtral"},
      {.model_type = "phi3"},
      {.model_type = "phimoe", .input_bias = true, .output_bias = true, .output_follows = true},
      {.model_type = "gemma", .tied = true},
      {.model_type = "gemma2", .rule = LayerRule::typed, .tied = true, .norms_per_layer = 4},
      {.model_type = "gemma3",
       .rule = LayerRule::typed,
       .query_key_norm = true,
       .tied = true,
       .norms_per_layer = 4},
      {.model_type = "gemma3n",
       .rule = LayerRule::gemma_shared,
       .query_key_norm = true,
       .tied = true,
       .norms_per_layer = 4,
       .weights_known = false},
      {.model_type = "gemma4",
       .rule = LayerRule::gemma_shared,
       .query_key_norm = true,
       .tied = true,
       .norms_per_layer = 4,
       .weights_known = false},
      {.model_type = "cohere2", .rule = LayerRule::typed, .tied = true, .norms_per_layer = 1},
      {.model_type = "olmo2", .query_key_norm = true},
      {.model_type = "granite"},
      {.model_type = "glm4", .input_bias = true, .norms_per_layer = 4},
      {.model_type = "glm4_moe", .input_bias = true},
      {.model_type = "minimax_m2", .query_key_norm = true},
      {.model_type = "gpt_oss",
       .rule = LayerRule::typed,
       .input_bias = true,
       .output_bias = true,
       .output_follows = true},
      {.model_type = "llama4", .rule = LayerRule::chunked},
      {.model_type = "deepseek_v2", .rule = LayerRule::latent},
      {.model_type = "deepseek_v3", .rule = LayerRule::latent},
      {.model_type = "deepseek_v32", .rule = LayerRule::latent},
      {.model_type = "kimi_k2", .rule = LayerRule::latent},
      {.model_type = "glm_moe_dsa", .rule = LayerRule::latent},
      {.model_type = "glm4_moe_lite", .rule = LayerRule::latent},
      {.model_type = "minicpm3", .rule = LayerRule::latent},
      {.model_type = "qwen3_next", .rule = LayerRule::gated_delta, .query_key_norm = true},
      {.model_type = "qwen3_5", .rule = LayerRule::gated_delta, .query_key_norm = true},
      {.model_type = "qwen3_5_moe", .rule = LayerRule::gated_delta, .query_key_norm = true},
      {.model_type = "kimi_linear", .rule = LayerRule::kimi_linear, .weights_known = false},
      {.model_type = "nemotron_h",
       .rule = LayerRule::nemotron,
       .gated = false,
       .norms_per_layer = 1},
      {.model_type = "mamba", .rule = LayerRule::mamba1, .tied = true, .norms_per_layer = 1},
      {.model_type = "falcon_mamba", .rule = LayerRule::mamba1, .norms_per_layer = 1},
      {.model_type = "mamba2", .rule = LayerRule::mamba2, .norms_per_layer = 1},
      {.model_type = "jamba", .rule = LayerRule::jamba},
      {.model_type = "bamba", .rule = LayerRule::typed_mamba2},
      {.model_type = "granitemoehybrid", .rule = LayerRule::typed_mamba2},
      {.model_type = "falcon_h1", .rule = LayerRule::parallel_mamba2},
      {.model_type = "lfm2", .rule = LayerRule::short_convolution},
      {.model_type = "lfm2_moe", .rule = LayerRule::short_convolution},
      {.model_type = "minimax", .rule = LayerRule::lightning, .weights_known = false},
      {.model_type = "minimax_text_01", .rule = LayerRule::lightning, .weights_known = false},
      {.model_type = "opt",
       .input_bias = true,
       .output_bias = true,
       .output_follows = true,
       .gated = false,
       .tied = true,
       .learned_positions = true},
  };
  return all;
}

const Architecture* find_architecture(std::string_view model_type) {
  // A multimodal model names its language part with this suffix.
  if (model_type.ends_with("_text")) model_type.remove_suffix(5);
  const auto& all = architectures();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Architecture& architecture) {
    return architecture.model_type == model_type;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace hpclab::kvcache
