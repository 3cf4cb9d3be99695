// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Small valid model files that the tests of the readers start from.
#pragma once

#include <cstdint>
#include <string>

namespace hpclab::test {

/// A configuration of four layers with one key set; `value` may carry further ones.
inline std::string small_config(const std::string& key, const std::string& value,
                                const std::string& architecture = "llama") {
  std::string text = R"({"model_type": ")" + architecture + R"(", "hidden_size": 64,
    "vocab_size": 1000, "intermediate_size": 128, "max_position_embeddings": 4096,
    "tie_word_embeddings": false)";
  for (const auto& [name, fallback] :
       {std::pair{"num_hidden_layers", "4"}, std::pair{"num_attention_heads", "4"},
        std::pair{"num_key_value_heads", "2"}}) {
    if (key != name) text += std::string(", \"") + name + "\": " + fallback;
  }
  return text + ", \"" + key + "\": " + value + "}";
}

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

/// A safetensors header with its length before it.
inline std::string with_length(const std::string& header) {
  return little_endian(header.size(), 8) + header;
}

/// Two tensors: 2 x 3 of bf16 and one of fp32.
inline std::string safetensors_sample() {
  return with_length(R"({"__metadata__":{"format":"pt"},
    "a":{"dtype":"BF16","shape":[2,3],"data_offsets":[0,12]},
    "b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}})");
}

/// A GGUF header of two layers with one q8_0 tensor of 64 x 2 elements.
inline std::string gguf_sample() {
  const auto text = [](const std::string& value) { return little_endian(value.size(), 8) + value; };
  const auto number = [&](const std::string& key, std::uint32_t value) {
    return text(key) + little_endian(4, 4) + little_endian(value, 4);
  };
  std::string values =
      text("general.architecture") + little_endian(8, 4) + text("llama") +
      number("llama.block_count", 2) + number("llama.embedding_length", 64) +
      number("llama.attention.head_count", 4) + number("llama.attention.head_count_kv", 2) +
      number("llama.context_length", 4096) + number("llama.feed_forward_length", 128);
  // A list of words and one of numbers.
  values += text("tokenizer.ggml.tokens") + little_endian(9, 4) + little_endian(8, 4) +
            little_endian(2, 8) + text("a") + text("b");
  values += text("tokenizer.ggml.types") + little_endian(9, 4) + little_endian(5, 4) +
            little_endian(2, 8) + little_endian(1, 4) + little_endian(3, 4);
  const std::string tensor = text("blk.0.weight") + little_endian(2, 4) + little_endian(64, 8) +
                             little_endian(2, 8) + little_endian(8, 4) + little_endian(0, 8);
  return "GGUF" + little_endian(3, 4) + little_endian(1, 8) + little_endian(9, 8) + values + tensor;
}

}  // namespace hpclab::test
