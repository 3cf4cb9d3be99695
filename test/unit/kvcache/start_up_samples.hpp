// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Start-up logs and configurations that the tests of their readers start from.
#pragma once

#include "core/json_file.hpp"
#include "unit/kvcache/model_samples.hpp"

#include <string>
#include <vector>

namespace hpclab::test {

/// A log of configs/kvcache/logs: figures of public logs in the engines' wording.
inline std::string shipped_log(const std::string& name) {
  return read_text_file(std::string(HPCLAB_SOURCE_DIR) + "/configs/kvcache/logs/" + name + ".log");
}

inline std::vector<std::string> start_up_samples() {
  return {shipped_log("vllm-h100-llama-3.1-8b"),
          shipped_log("vllm-h100-gpt-oss-20b-tp2"),
          shipped_log("vllm-rtx-5090-qwen3.6-27b-fp8-tp2"),
          shipped_log("vllm-rtx-3090-llama-3.1-8b"),
          shipped_log("sglang-qwen3-30b-a3b"),
          shipped_log("tensorrt-llm-rtx-5090-llama-3.1-8b"),
          shipped_log("llama.cpp-gpt-oss-20b")};
}

inline std::vector<std::string> config_samples() {
  return {
      small_config("head_dim", "16"),
      small_config("sliding_window", "128, \"use_sliding_window\": true", "qwen2"),
      R"({"model_type": "qwen3_next", "hidden_size": 64, "vocab_size": 100, "intermediate_size": 32,
          "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
          "full_attention_interval": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
          "linear_key_head_dim": 8, "linear_value_head_dim": 8, "linear_conv_kernel_dim": 4,
          "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16})",
      R"({"model_type": "deepseek_v3", "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 3,
          "intermediate_size": 32, "num_attention_heads": 4, "kv_lora_rank": 16,
          "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 8, "n_routed_experts": 4,
          "num_experts_per_tok": 2, "moe_intermediate_size": 16, "first_k_dense_replace": 1,
          "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})",
      R"({"model_type": "nemotron_h", "hidden_size": 64, "vocab_size": 100, "num_hidden_layers": 3,
          "hybrid_override_pattern": "M*-", "intermediate_size": 32, "num_attention_heads": 4,
          "num_key_value_heads": 2, "mamba_num_heads": 4, "mamba_head_dim": 8, "n_groups": 2,
          "ssm_state_size": 8, "conv_kernel": 4})"};
}

}  // namespace hpclab::test
