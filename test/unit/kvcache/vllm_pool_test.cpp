// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/pool.hpp"
#include "support/catch.hpp"

#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;

namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

ModelDescription shipped(const std::string& name) {
  return read_model(std::string(HPCLAB_SOURCE_DIR) + "/configs/models/" + name + ".json");
}

Deployment flags(const ModelDescription& model, EngineVersion version = {0, 11, 0}) {
  Deployment d;
  d.version = version;
  d.available_bytes = 1;
  return resolve(d, model, {});
}

PoolSize pool_of(const ModelDescription& model, const Deployment& d, double bytes) {
  CacheOptions options;
  options.key_format = *d.key_format;
  options.value_format = *d.value_format;
  options.tensor_parallel = d.tensor_parallel;
  std::vector<Stage> stages;
  std::int64_t first = 0;
  for (std::int64_t layers :
       stage_layers(static_cast<std::int64_t>(model.layers.size()), d.pipeline_parallel)) {
    stages.push_back({first, layers, bytes});
    first += layers;
  }
  return vllm_pool(cache_specification(model, options), d, stages);
}

}  // namespace

TEST_CASE("vllm pool: are blocks the bytes over pages of all layers, and tokens blocks of 16?") {
  const ModelDescription model = shipped("llama-3.1-8b");
  Deployment d = flags(model);
  d.max_model_len = 32768;
  const PoolSize pool = pool_of(model, d, 2588.0 * 16 * 131072 + 100);
  CHECK(pool.blocks == 2588);
  CHECK(pool.tokens == 41408);
  CHECK(pool.concurrency == Catch::Approx(2588.0 / 2048));
  CHECK(pool.unused_bytes == Catch::Approx(100));
  CHECK(pool.longest_request == 41408);
  CHECK(pool.padding_bytes == 0);
}

TEST_CASE("vllm pool: do 18 full and 18 windowed layers share one pool of two groups?") {
  const ModelDescription model = shipped("gpt-oss-120b");
  const Deployment d = flags(model);
  const PoolSize pool = pool_of(model, d, 5.38 * gib);
  // hf-mem#60 logs 78,384 tokens for 5.38 GiB.
  CHECK(static_cast<double>(pool.tokens) == Catch::Approx(78384).epsilon(0.002));
  CHECK(pool.parts.size() == 2);
  CHECK(pool.blocks / 2 * 16 == pool.tokens);
  // A request of all 131,072 tokens: every block of the full group, a window of the other.
  const std::int64_t windowed = (127 + 2048 + 15) / 16 + 1;
  const double needed = 131072.0 / 16 + static_cast<double>(windowed);
  CHECK(pool.concurrency == Catch::Approx(static_cast<double>(pool.blocks) / needed));
}

TEST_CASE("vllm pool: is a token count by concurrency from the version that prints it so?") {
  const ModelDescription model = shipped("gpt-oss-20b");
  const PoolSize before = pool_of(model, flags(model, {0, 20, 2}), 4 * gib);
  const PoolSize since = pool_of(model, flags(model, {0, 21, 0}), 4 * gib);
  CHECK(before.blocks == since.blocks);
  CHECK(before.tokens == before.blocks / 2 * 16);
  CHECK(since.tokens == static_cast<std::int64_t>(since.concurrency * 131072));
}

TEST_CASE("vllm pool: does a page hold a recurrent state, and do padding layers fill groups?") {
  ModelDescription model = shipped("qwen3.6-27b");
  const PoolSize pool = pool_of(model, flags(model), 20 * gib);
  // State: 48 x 128 x 128 x 4 B and 3 x 10,240 x 2 B; a token of a layer: 4,096 B; steps of 16.
  const std::int64_t state = 48 * 128 * 128 * 4 + 3 * 10240 * 2;
  CHECK(pool.block_tokens == (state + 16 * 4096 - 1) / (16 * 4096) * 16);
  CHECK(pool.block_tokens == 784);
  CHECK(pool.parts.size() == 4);  // 16 full and three times 16 recurrent layers
  CHECK(pool.padding_bytes > 0);  // a state leaves some of its page free
  for (const PoolPart& part : pool.parts) CHECK(part.padding_layers == 0);
  // A predictor makes 17 full layers: 48 recurrent ones fill three groups of 17 but for three.
  model.layers.push_back(model.prediction_layers.front());
  std::int64_t padding = 0;
  for (const PoolPart& part : pool_of(model, flags(model), 20 * gib).parts) {
    padding += part.padding_layers;
  }
  CHECK(padding == 3);
}

TEST_CASE("vllm pool: is the larger kind's count the size of groups when kinds are nearly equal?") {
  ModelDescription model = shipped("gpt-oss-20b");
  Layer full = model.layers[1];
  REQUIRE(full.mixer == Mixer::full_attention);
  model.layers.push_back(full);  // 13 full and 12 windowed, as with a drafter
  const PoolSize pool = pool_of(model, flags(model), 4 * gib);
  CHECK(pool.parts.size() == 2);
  CHECK(pool.parts[0].padding_layers + pool.parts[1].padding_layers == 1);
}

TEST_CASE("vllm pool: does the scarcest stage decide, and do its layers make its blocks?") {
  const ModelDescription model = shipped("llama-3.1-8b");
  Deployment d = flags(model);
  d.max_model_len = 1024;
  d.pipeline_parallel = 3;
  CHECK(stage_layers(32, 3) == std::vector<std::int64_t>{11, 11, 10});
  const PoolSize pool = pool_of(model, d, 1.0 * gib);
  CHECK(pool.blocks == static_cast<std::int64_t>(gib / (11 * 16 * 4096)));
}

TEST_CASE("vllm pool: are latent rows and those of an indexer pages of their own in one group?") {
  const ModelDescription model = shipped("deepseek-v3.2");
  Deployment d = flags(model);
  d.key_format = d.value_format = ElementFormat::fp8_ds_mla;
  d.block_tokens = 64;
  const PoolSize pool = pool_of(model, d, 10 * gib);
  CHECK(pool.blocks == static_cast<std::int64_t>(10 * gib / (61.0 * 64 * (656 + 132))));
}

TEST_CASE("vllm pool: is one state a request all that a pure Mamba model needs?") {
  const ModelDescription model = shipped("falcon-mamba-7b");
  Deployment d;
  d.version = {0, 11, 0};
  d.max_model_len = 4096;
  d.available_bytes = 1;
  d = resolve(d, model, {});
  const PoolSize pool = pool_of(model, d, 1 * gib);
  const std::int64_t state = 64 * (8192 * 16 + 3 * 8192) * 2;
  CHECK(pool.blocks == static_cast<std::int64_t>(gib) / state);
  CHECK(pool.concurrency == Catch::Approx(static_cast<double>(pool.blocks)));
}

TEST_CASE("vllm pool: are windows that are kept whole sized like full layers?") {
  const ModelDescription model = shipped("gpt-oss-20b");
  Deployment d = flags(model);
  d.full_windows = true;
  const PoolSize pool = pool_of(model, d, 4 * gib);
  CHECK(pool.parts.size() == 1);
  CHECK(pool.tokens == static_cast<std::int64_t>(4 * gib / (24.0 * 16 * 2048)) * 16);
}
