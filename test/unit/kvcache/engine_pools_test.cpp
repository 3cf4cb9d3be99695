// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/pool.hpp"
#include "support/catch.hpp"

#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;

namespace {

constexpr double mib = 1024.0 * 1024;
constexpr double gib = 1024 * mib;

ModelDescription shipped(const std::string& name) {
  return read_model(std::string(HPCLAB_SOURCE_DIR) + "/configs/models/" + name + ".json");
}

Deployment flags(Engine engine, const ModelDescription& model, ElementFormat format) {
  Deployment d;
  d.engine = engine;
  d.version = newest_known(engine);
  d.key_format = format;
  return resolve(d, model, {});
}

CacheSpecification cache_of(const ModelDescription& model, const Deployment& d) {
  CacheOptions options;
  options.key_format = *d.key_format;
  options.value_format = *d.value_format;
  if (d.engine == Engine::llama_cpp) {
    options.recurrent_format = ElementFormat::fp32;
    options.indexer = false;
  }
  return cache_specification(model, options);
}

PoolSize llama_cpp(const std::string& name, ElementFormat format, std::int64_t context,
                   std::int64_t sequences = 1, bool unified = false) {
  const ModelDescription model = shipped(name);
  Deployment d = flags(Engine::llama_cpp, model, format);
  d.context = context;
  d.max_sequences = sequences;
  d.unified_cache = unified;
  return llama_cpp_pool(cache_of(model, d), d);
}

}  // namespace

TEST_CASE("llama.cpp pool: are logged sizes reproduced to the byte?") {
  CHECK(llama_cpp("qwen2.5-32b", ElementFormat::q8_0, 32768).kv_bytes == 4352 * mib);
  CHECK(llama_cpp("deepseek-v3", ElementFormat::q8_0, 32768).kv_bytes == 61.0 * 32768 * 612);
  const PoolSize oss = llama_cpp("gpt-oss-20b", ElementFormat::fp16, 16384);
  CHECK(oss.parts[0].bytes == 384 * mib);
  CHECK(oss.parts[1].bytes == 18 * mib);
  CHECK(oss.kv_bytes == 402 * mib);
  const PoolSize net = llama_cpp("qwen3.6-27b", ElementFormat::fp16, 262144);
  CHECK(net.parts[0].bytes == 16384 * mib);
  // 48 layers of 48 x 128 x 128 and 3 x 10,240 in fp32.
  CHECK(net.parts[1].bytes == 48.0 * 4 * (48 * 128 * 128 + 3 * 10240));
}

TEST_CASE("llama.cpp pool: is a context divided into streams that are padded each?") {
  const PoolSize three = llama_cpp("llama-3.1-8b", ElementFormat::fp16, 1024, 3);
  CHECK(three.tokens == 1536);
  CHECK(three.longest_request == 512);
  CHECK(llama_cpp("llama-3.1-8b", ElementFormat::fp16, 1024, 3, true).tokens == 1024);
  CHECK(llama_cpp("llama-3.1-8b", ElementFormat::fp16, 1000).tokens == 1024);
}

TEST_CASE("llama.cpp pool: do windows have room for all sequences only when they share a stream?") {
  // PAD(128 x 4 + 512) = 1,024 cells unified; PAD(128 + 512) = 768 in each of four streams.
  CHECK(llama_cpp("gpt-oss-20b", ElementFormat::fp16, 65536, 4, true).parts[1].tokens == 1024);
  CHECK(llama_cpp("gpt-oss-20b", ElementFormat::fp16, 65536, 4, false).parts[1].tokens == 4 * 768);
  // A window never has more cells than the context.
  CHECK(llama_cpp("gpt-oss-20b", ElementFormat::fp16, 512).parts[1].tokens == 512);
}

TEST_CASE("sglang pool: are tokens the bytes over all layers, in whole pages?") {
  const ModelDescription model = shipped("deepseek-v3");
  Deployment d = flags(Engine::sglang, model, ElementFormat::fp8_ds_mla);
  d.block_tokens = 64;
  const PoolSize pool = sglang_pool(cache_of(model, d), d, 54.52 * gib);
  CHECK(pool.bytes_per_token == 61 * 656);
  CHECK(pool.tokens % 64 == 0);
  // sglang#11309 logs 54.52 GB (GiB) for 1,462,784 tokens.
  CHECK(static_cast<double>(pool.tokens) == Catch::Approx(1462784).epsilon(2e-4));
}

TEST_CASE("sglang pool: do windows get 0.8 slots for each slot of full layers?") {
  const ModelDescription model = shipped("gpt-oss-20b");
  const Deployment d = flags(Engine::sglang, model, ElementFormat::bf16);
  const PoolSize pool = sglang_pool(cache_of(model, d), d, 10 * gib);
  const double cell = 12 * 2048 * (1 + 0.8);
  CHECK(pool.tokens == static_cast<std::int64_t>(10 * gib / cell));
  CHECK(pool.parts[1].tokens == static_cast<std::int64_t>(0.8 * static_cast<double>(pool.tokens)));
}

TEST_CASE("tensorrt-llm pool: is it a fraction of free memory in whole blocks?") {
  const ModelDescription model = shipped("llama-3.1-8b");
  const Deployment d = flags(Engine::tensorrt_llm, model, ElementFormat::fp8);
  const PoolSize pool = tensorrt_llm_pool(cache_of(model, d), d, 17.83 * gib);
  CHECK(d.block_tokens == 32);
  CHECK(pool.tokens % 32 == 0);
  CHECK(static_cast<double>(pool.tokens) == Catch::Approx(263008).epsilon(0.001));
  Deployment older;
  older.engine = Engine::tensorrt_llm;
  older.version = {0, 12, 0};
  CHECK(resolve(older, model, {}).block_tokens == 64);
}
