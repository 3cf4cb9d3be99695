// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/cache_specification.hpp"

#include "core/error.hpp"
#include "kvcache/model_file.hpp"
#include "support/catch.hpp"

#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;

namespace {

ModelDescription shipped(const std::string& name) {
  return read_model(std::string(HPCLAB_SOURCE_DIR) + "/configs/models/" + name + ".json");
}

CacheSpecification cache_of(const std::string& name, ElementFormat format, std::int64_t ranks = 1) {
  CacheOptions options;
  options.key_format = options.value_format = format;
  options.tensor_parallel = ranks;
  return cache_specification(shipped(name), options);
}

}  // namespace

TEST_CASE("cache: is a token of MHA, MQA and GQA 2 x heads x width x bytes a layer?") {
  CHECK(cache_of("llama-2-7b", ElementFormat::fp16).bytes_per_token() == 32 * 2 * 32 * 128 * 2);
  CHECK(cache_of("llama-3.1-8b", ElementFormat::bf16).bytes_per_token() == 131072);
  CHECK(cache_of("gemma-2b", ElementFormat::bf16).bytes_per_token() == 18 * 2 * 1 * 256 * 2);
  // head_dim is stated: 128, not 5120 / 64.
  CHECK(cache_of("qwen3-32b", ElementFormat::bf16).bytes_per_token() == 64 * 2 * 8 * 128 * 2);
}

TEST_CASE("cache: does a latent row take 1,152 bytes in bf16 and 656 in fp8_ds_mla?") {
  CHECK(cache_of("deepseek-v3", ElementFormat::bf16).bytes_per_token() == 61 * 1152);
  // The indexer of sparse attention keeps 128 fp8 elements and a scale beside it.
  CHECK(cache_of("deepseek-v3.2", ElementFormat::fp8_ds_mla).bytes_per_token() == 61 * (656 + 132));
  CHECK(cache_of("deepseek-v3", ElementFormat::bf16, 8).bytes_per_token() == 61 * 1152);
  CHECK(cache_of("deepseek-v3", ElementFormat::bf16, 8).copies == 8);
}

TEST_CASE("cache: are heads split over ranks until each has one, then copied?") {
  CHECK(cache_of("qwen3-235b-a22b", ElementFormat::bf16, 2).bytes_per_token() == 94 * 2 * 2 * 256);
  CHECK(cache_of("qwen3-235b-a22b", ElementFormat::bf16, 4).bytes_per_token() == 94 * 2 * 256);
  CHECK(cache_of("qwen3-235b-a22b", ElementFormat::bf16, 8).bytes_per_token() == 94 * 2 * 256);
  CHECK(cache_of("qwen3-235b-a22b", ElementFormat::bf16, 8).copies == 2);
  CHECK(kv_heads_of_rank(8, 4) == 2);
  CHECK(kv_heads_of_rank(2, 8) == 1);
  CHECK_THROWS_AS(kv_heads_of_rank(8, 3), CaseFailed);
  CHECK_THROWS_AS(cache_of("llama-3.1-8b", ElementFormat::bf16, 6), CaseFailed);
}

TEST_CASE("cache: do block formats of ggml take their scales along?") {
  CHECK(row_bytes(ElementFormat::q8_0, 128) == 136);
  CHECK(row_bytes(ElementFormat::q4_0, 128) == 72);
  CHECK(row_bytes(ElementFormat::q4_1, 128) == 80);
  CHECK(row_bytes(ElementFormat::q5_0, 128) == 88);
  CHECK(row_bytes(ElementFormat::nvfp4, 128) == 72);
  CHECK(row_bytes(ElementFormat::int8_per_token_head, 128) == 132);
  CHECK_THROWS_AS(row_bytes(ElementFormat::q8_0, 80), CaseFailed);
  CHECK_THROWS_AS(row_bytes(ElementFormat::fp8_ds_mla, 128), CaseFailed);
}

TEST_CASE("cache: do windows and states stop growing while full layers go on?") {
  const CacheSpecification oss = cache_of("gpt-oss-20b", ElementFormat::bf16);
  CHECK(oss.bytes_per_token() == 12 * 2 * 8 * 64 * 2);
  CHECK(oss.sequence_bytes(1000) == 12 * 2048 * (1000 + 128));
  const CacheSpecification net = cache_of("qwen3.6-27b", ElementFormat::bf16);
  CHECK(net.bytes_per_token() == 16 * 2 * 4 * 256 * 2);
  // 48 heads of 128 x 128 in fp32; three inputs of 48 x 128 + 2 x 16 x 128 channels in bf16.
  const std::int64_t state = 48 * (48 * 128 * 128 * 4 + 3 * (48 * 128 + 2 * 16 * 128) * 2);
  CHECK(net.state_bytes() == state);
  CHECK(net.sequence_bytes(10) == 10 * net.bytes_per_token() + state);
  const CacheSpecification mamba = cache_of("falcon-mamba-7b", ElementFormat::bf16);
  CHECK(mamba.bytes_per_token() == 0);
  CHECK(mamba.state_bytes() == 64 * (8192 * 16 + 3 * 8192) * 2);
}

TEST_CASE("cache: do layers that share a cache keep none?") {
  const ModelDescription model = shipped("gemma-3n-e4b");
  const CacheSpecification cache = cache_specification(model, {});
  CHECK(model.layers.size() == 35);
  CHECK(cache.layers.size() == 20);
  CHECK(cache.bytes_per_token() == 4 * 2 * 2 * 256 * 2);
  // Of layers 20 to 34 the sliding ones read layer 18, the full ones layer 19.
  CHECK(model.layers[20].shares_cache_of == 18);
  CHECK(model.layers[24].shares_cache_of == 19);
}

TEST_CASE("cache: does a rank hold whole groups of Mamba-2 with its heads?") {
  // 8 groups over 4 ranks: two each; over 16 ranks: one each, held by two.
  const auto channels = [](std::int64_t ranks) {
    CacheOptions options;
    options.tensor_parallel = ranks;
    for (const LayerCache& layer :
         cache_specification(shipped("nemotron-nano-9b-v2").layers, options).layers) {
      if (layer.mixer == Mixer::recurrent_state) return layer.convolution_bytes / 2 / 3;
    }
    return std::int64_t{0};
  };
  CHECK(channels(1) == 128 * 80 + 2 * 8 * 128);
  CHECK(channels(4) == (128 * 80 + 2 * 8 * 128) / 4);
  CHECK(channels(8) == 16 * 80 + 2 * 1 * 128);
}
