// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/cache_specification.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/weight_inventory.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;

namespace {

ModelDescription shipped(const std::string& name) {
  return read_model(std::string(HPCLAB_SOURCE_DIR) + "/configs/models/" + name + ".json");
}

struct Published {
  const char* name;
  double parameters;
};

// Parameter counts that the model cards state (number of elements in the safetensors files).
constexpr Published published[] = {
    {"llama-2-7b", 6738415616},        {"llama-3.1-8b", 8030261248},
    {"llama-3.1-70b", 70553706496},    {"mistral-nemo-12b", 12247782400},
    {"mixtral-8x7b", 46702792704},     {"mistral-7b-v0.1", 7241732096},
    {"qwen2.5-1.5b", 1543714304},      {"qwen2.5-7b", 7615616512},
    {"qwen2.5-32b", 32763876352},      {"qwen3-14b", 14768307200},
    {"qwen3-32b", 32762123264},        {"qwen3-30b-a3b", 30532122624},
    {"qwen3-235b-a22b", 235093634560}, {"deepseek-v2-lite", 15706484224},
    {"gemma-2b", 2506172416},          {"tinyllama-1.1b", 1100048384},
    {"gpt-oss-20b", 20914757184},      {"gpt-oss-120b", 116829156672},
    {"falcon-mamba-7b", 7272665088},   {"opt-125m", 125239296},
};

}  // namespace

TEST_CASE("models: does the inventory of weights count what the model cards state?") {
  for (const auto& [name, parameters] : published) {
    CAPTURE(name);
    CHECK(std::fabs(parameter_count(shipped(name)) - parameters) < 0.5);
  }
}

TEST_CASE("models: is every shipped description readable, named after its file, and sourced?") {
  const std::string folder = std::string(HPCLAB_SOURCE_DIR) + "/configs/models";
  const auto files = models_in(folder);
  CHECK(files.size() >= 20);
  for (const auto& file : files) {
    CAPTURE(file.string());
    const ModelDescription model = read_model(file);
    CHECK(model.name == file.stem().string());
    CHECK_FALSE(model.source.empty());
    CHECK(cache_specification(model, {}).sequence_bytes(1) > 0);
  }
}
