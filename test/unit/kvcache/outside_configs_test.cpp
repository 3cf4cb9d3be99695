// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Configurations of public checkpoints as their repositories hold them, where the data is there.
#include "kvcache/cache_specification.hpp"
#include "kvcache/hugging_face_config.hpp"
#include "support/catch.hpp"
#include "support/outside_data.hpp"

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::test;

TEST_CASE("outside configs: is each read, with the bytes a token that its keys multiply to?") {
  const auto file = outside_data("kvcache/hf_configs.jsonl");
  if (!file) return;
  std::ifstream in(*file);
  std::size_t multiplied = 0;
  for (std::string line; std::getline(in, line);) {
    const Json entry = Json::parse(line);
    const std::string name = entry["path"].get<std::string>();
    INFO(name);
    const Json& config = entry["config"];
    const ModelDescription model = model_from_config(config, name);
    const CacheSpecification cache = cache_specification(model.layers, {});
    CHECK(cache.sequence_bytes(1) > 0);
    const bool windowed = config.contains("sliding_window") && config["sliding_window"].is_number();
    if (windowed || !config.contains("num_hidden_layers") || config.contains("kv_lora_rank")) {
      continue;
    }
    const auto number = [&](const char* key, std::int64_t fallback) {
      return config.contains(key) && config[key].is_number() ? config[key].get<std::int64_t>()
                                                             : fallback;
    };
    const std::int64_t heads = number("num_attention_heads", 1);
    const std::int64_t dim = number("head_dim", number("hidden_size", 0) / heads);
    CHECK(cache.bytes_per_token() ==
          2 * 2 * number("num_key_value_heads", heads) * dim * number("num_hidden_layers", 0));
    ++multiplied;
  }
  CHECK(multiplied >= 14);
}
