// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/sizing.hpp"

#include "core/error.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/overhead.hpp"
#include "kvcache/overhead/fit.hpp"
#include "kvcache/rank_weights.hpp"
#include "machine/profile.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <cmath>
#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::test;

namespace {

const std::string configs = std::string(HPCLAB_SOURCE_DIR) + "/configs";

ModelDescription shipped(const std::string& name) {
  return read_model(configs + "/models/" + name + ".json");
}

GpuMemory gpu(const std::string& name) {
  return gpu_memory(machine::read_profile(configs + "/machines/" + name + ".json"));
}

Deployment vllm(EngineVersion version, std::int64_t length) {
  Deployment d;
  d.version = version;
  d.max_model_len = length;
  return d;
}

}  // namespace

TEST_CASE("sizing: are weights those that logs print, tables of rotations included?") {
  Deployment d = vllm({0, 10, 2}, 20000);
  const auto weights = [&](const std::string& name) {
    const ModelDescription model = shipped(name);
    const Deployment resolved = resolve(d, model, gpu("h100-sxm"));
    return rank_weights(model, resolved,
                        {0, static_cast<std::int64_t>(model.layers.size()), true, true})
               .total() /
           gib;
  };
  CHECK(weights("llama-3.1-8b") == Catch::Approx(14.9888).margin(6e-5));
  CHECK(weights("qwen3-8b") == Catch::Approx(15.27).margin(0.005));
  CHECK(weights("llama-2-7b") == Catch::Approx(12.55).margin(0.005));
  d.tensor_parallel = 4;
  CHECK(weights("qwen3-235b-a22b-fp8") == Catch::Approx(55.19).epsilon(0.01));
}

TEST_CASE("sizing: does the account add up to the budget?") {
  const Sizing sizing =
      size_deployment(shipped("llama-3.1-8b"), nullptr, gpu("rtx-4090"), vllm({0, 21, 0}, 8192));
  double budget = 0;
  double sum = 0;
  for (const AccountItem& item : sizing.account) {
    if (item.name.starts_with("x ")) budget = item.bytes.value;
    if (item.in_budget) sum += item.bytes.value;
    CHECK(item.bytes.low <= item.bytes.value);
    CHECK(item.bytes.value <= item.bytes.high);
  }
  CHECK(budget == Catch::Approx(25250627584 * 0.92));
  CHECK(sum == Catch::Approx(budget));
  CHECK(sizing.pool_low.blocks <= sizing.pool.blocks);
  CHECK(sizing.pool.blocks <= sizing.pool_high.blocks);
}

TEST_CASE(
    "sizing: is the logged block count of an RTX 4090 within the interval of the prediction?") {
  Deployment d = vllm({0, 19, 0}, 32768);
  d.memory_fraction = 0.9;
  d.max_batched_tokens = 2048;
  d.max_sequences = 256;
  const Sizing sizing = size_deployment(shipped("llama-3.1-8b"), nullptr, gpu("rtx-4090"), d);
  CHECK(static_cast<double>(sizing.pool.blocks) == Catch::Approx(2588).epsilon(0.08));
  CHECK(sizing.pool_low.blocks <= 2588);
  CHECK(2588 <= sizing.pool_high.blocks);
}

TEST_CASE("sizing: is a model that does not fit said to lack so much, with the tp that fits?") {
  const std::string message = error_of([&] {
    size_deployment(shipped("llama-3.1-70b"), nullptr, gpu("a100-80gb"), vllm({0, 11, 0}, 4096));
  });
  CHECK(contains(message, "does not fit"));
  CHECK(contains(message, "lacks"));
  CHECK(contains(message, "smallest tp that fits is 2"));
}

TEST_CASE("sizing: is a length that cannot be served answered by the longest that can?") {
  const std::string message = error_of([&] {
    size_deployment(shipped("llama-3.1-8b"), nullptr, gpu("rtx-4090"), vllm({0, 11, 0}, 131072));
  });
  CHECK(contains(message, "max_model_len = 131072 cannot be served"));
  CHECK(contains(message, "at most"));
}

TEST_CASE("sizing: are ranks that do not divide, and flags without meaning, refused?") {
  Deployment d = vllm({0, 11, 0}, 4096);
  d.tensor_parallel = 3;
  CHECK(
      contains(error_of([&] { size_deployment(shipped("llama-3.1-8b"), nullptr, gpu("h200"), d); }),
               "tp = 3"));
  d.tensor_parallel = 1;
  d.expert_parallel = 8;
  CHECK(
      contains(error_of([&] { size_deployment(shipped("llama-3.1-8b"), nullptr, gpu("h200"), d); }),
               "has no experts"));
  CHECK(contains(
      error_of([&] {
        size_deployment(shipped("gemma-3n-e4b"), nullptr, gpu("h200"), vllm({0, 11, 0}, 4096));
      }),
      "give weights="));
}

TEST_CASE("sizing: do 8-bit caches double the tokens, and is that the flag that buys the most?") {
  const ModelDescription model = shipped("llama-3.1-8b");
  const Sizing sizing = size_deployment(model, nullptr, gpu("rtx-4090"), vllm({0, 11, 0}, 8192));
  const auto gains = flag_gains(model, nullptr, gpu("rtx-4090"), sizing);
  REQUIRE(gains.size() > 3);
  for (std::size_t i = 1; i < gains.size(); ++i) CHECK(gains[i - 1].gain >= gains[i].gain);
  bool found = false;
  for (const FlagGain& gain : gains) {
    if (gain.flag != "--kv-cache-dtype fp8") continue;
    found = true;
    CHECK(std::abs(gain.tokens - 2 * sizing.pool.tokens) <= 16);
  }
  CHECK(found);
}

TEST_CASE("sizing: does a drafter take its weights and its layers' blocks?") {
  const ModelDescription model = shipped("llama-3.1-8b");
  const ModelDescription draft = shipped("tinyllama-1.1b");
  const Deployment d = vllm({0, 11, 0}, 2048);
  const Sizing alone = size_deployment(model, nullptr, gpu("h200"), d);
  const Sizing with = size_deployment(model, &draft, gpu("h200"), d);
  CHECK(with.weight_bytes - alone.weight_bytes == Catch::Approx(2 * 1100048384.0));
  CHECK(with.pool.bytes_per_token == alone.pool.bytes_per_token + 22 * 2 * 4 * 64 * 2);
}

TEST_CASE("overhead: are the constants of the program those that the shipped logs give?") {
  const auto logs = overhead::read_start_up_logs(configs + "/kvcache/logs/start-up-logs.json");
  const OverheadConstants fit = overhead::fit_constants(logs, logs.size()).constants;
  const OverheadConstants used;
  CHECK(used.sampling_by_sorting == Catch::Approx(fit.sampling_by_sorting).epsilon(0.02));
  CHECK(used.sampling_by_flashinfer == Catch::Approx(fit.sampling_by_flashinfer).epsilon(0.02));
  CHECK(used.graph_layer_bytes == Catch::Approx(fit.graph_layer_bytes).epsilon(0.02));
  CHECK(used.graph_layer_bytes_before_012 ==
        Catch::Approx(fit.graph_layer_bytes_before_012).epsilon(0.02));
  CHECK(used.library_alone == Catch::Approx(fit.library_alone).epsilon(0.02));
  CHECK(used.library_alone_rehearsed == Catch::Approx(fit.library_alone_rehearsed).epsilon(0.02));
  CHECK(used.library_alone_consumed == Catch::Approx(fit.library_alone_consumed).epsilon(0.02));
  CHECK(used.library_nvlink_pair == Catch::Approx(fit.library_nvlink_pair).epsilon(0.02));
  CHECK(used.library_nvlink_doubling == Catch::Approx(fit.library_nvlink_doubling).epsilon(0.02));
  CHECK(used.library_pcie == Catch::Approx(fit.library_pcie).epsilon(0.02));
  CHECK(used.library_pcie_consumed == Catch::Approx(fit.library_pcie_consumed).epsilon(0.02));
  CHECK(used.delta_rule_elements == Catch::Approx(fit.delta_rule_elements).epsilon(0.02));
}
