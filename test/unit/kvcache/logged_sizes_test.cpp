// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sizes that logs of four engines state for well-known models (kvcache/sizing_handover.csv): every
// row whose model and settings its source names, within the tolerance of the row.
#include "formats/line_reader.hpp"
#include "formats/table_reader.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/overhead_constants.hpp"
#include "kvcache/sizing.hpp"
#include "machine/profile.hpp"
#include "support/catch.hpp"
#include "support/outside_data.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <string>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::test;

namespace {

const std::string configs = std::string(HPCLAB_SOURCE_DIR) + "/configs";

Sizing sized(const std::string& model, const Deployment& d, const std::string& gpu = "") {
  GpuMemory memory;
  if (!gpu.empty()) {
    memory = gpu_memory(machine::read_profile(configs + "/machines/" + gpu + ".json"));
  }
  return size_unchecked(read_model(configs + "/models/" + model + ".json"), nullptr, memory, d);
}

Deployment deployment(Engine engine, EngineVersion version, double available_gib) {
  Deployment d;
  d.engine = engine;
  d.version = version;
  d.available_bytes = static_cast<std::int64_t>(std::llround(available_gib * gib));
  return d;
}

double vllm_blocks_3090() {
  Deployment d = deployment(Engine::vllm, {0, 6, 4}, 23.58 * 0.9 - 17.06 - 0.35);
  d.max_model_len = 20000;
  return static_cast<double>(sized("llama-3.1-8b", d).pool.blocks);
}

double vllm_blocks_l40s() {
  Deployment d = deployment(Engine::vllm, {0, 7, 3}, 44.42 * 0.9 - 30.71 - 0.30 - 1.26);
  d.max_model_len = 10000;
  d.tensor_parallel = 2;
  return static_cast<double>(sized("qwen2.5-32b", d).pool.blocks);
}

double vllm_tokens_h100() {
  Deployment d = deployment(Engine::vllm, {0, 9, 2}, 8.11);
  d.tensor_parallel = 4;
  return static_cast<double>(sized("qwen3-235b-a22b-fp8", d).pool.tokens);
}

double vllm_tokens_hybrid() {
  return static_cast<double>(
      sized("gpt-oss-120b", deployment(Engine::vllm, {0, 11, 0}, 5.38)).pool.tokens);
}

// Bytes of so many tokens, from the bytes of one.
double sglang_gib(const std::string& model, ElementFormat format, double tokens) {
  Deployment d = deployment(Engine::sglang, newest_known(Engine::sglang), 1);
  d.key_format = d.value_format = format;
  return tokens * static_cast<double>(sized(model, d).pool.bytes_per_token) / gib;
}

double tensorrt_llm_tokens(const std::string& model, ElementFormat format, double free_gib,
                           double fraction) {
  Deployment d = deployment(Engine::tensorrt_llm, newest_known(Engine::tensorrt_llm), free_gib);
  d.key_format = d.value_format = format;
  d.memory_fraction = fraction;
  return static_cast<double>(sized(model, d).pool.tokens);
}

double llama_cpp_mib(const std::string& model, ElementFormat format, std::int64_t context) {
  Deployment d = deployment(Engine::llama_cpp, newest_known(Engine::llama_cpp), 0);
  d.key_format = d.value_format = format;
  d.context = context;
  return sized(model, d).pool.kv_bytes / 1048576;
}

// What we make of the `given` of a row, in the unit of its `quantity`.
const std::map<std::string, std::function<double()>>& answers() {
  static const std::map<std::string, std::function<double()>> made{
      {"1", vllm_blocks_3090},
      {"4", vllm_blocks_l40s},
      {"14", vllm_tokens_h100},
      // Keys are half of the bytes.
      {"16", [] { return sglang_gib("qwen3-30b-a3b", ElementFormat::bf16, 1669816) / 2; }},
      // The log leaves the indexer out: V3 has the same rows and none.
      {"18", [] { return sglang_gib("deepseek-v3", ElementFormat::fp8_ds_mla, 1462784); }},
      {"21", vllm_tokens_hybrid},
      {"24", [] { return tensorrt_llm_tokens("llama-3.1-8b", ElementFormat::fp8, 17.83, 0.9); }},
      {"28", [] { return tensorrt_llm_tokens("qwen2.5-1.5b", ElementFormat::bf16, 16.25, 0.45); }},
      {"32", [] { return llama_cpp_mib("deepseek-v3", ElementFormat::q8_0, 32768); }},
      {"34", [] { return llama_cpp_mib("gpt-oss-20b", ElementFormat::fp16, 16384); }},
      // Sizes of the model from memory, or a context inferred from the bytes: exact nonetheless.
      {"30", [] { return llama_cpp_mib("qwen2.5-32b", ElementFormat::q8_0, 32768); }},
      {"38", [] { return llama_cpp_mib("qwen2.5-7b", ElementFormat::fp16, 2048); }}};
  return made;
}

}  // namespace

TEST_CASE("logged sizes: is each that names its model and settings met within its rounding?") {
  const auto file = outside_data("kvcache/sizing_handover.csv");
  if (!file) return;
  formats::LineReader lines(*file);
  formats::TableReader table(lines);
  const auto column = [&](const char* name) { return table.columns().require(name); };
  int independent = 0;
  int checked = 0;
  while (table.next()) {
    const std::string id(table.text(column("id")));
    const bool named = table.text(column("status")) == "independent";
    independent += named ? 1 : 0;
    const auto answer = answers().find(id);
    INFO("row " << id << ": " << table.text(column("ref")));
    if (named) CHECK(answer != answers().end());
    if (answer == answers().end()) continue;
    const double logged = table.number(column("logged"));
    const double tolerance = table.number(column("tol_rel"));
    CHECK(std::abs(answer->second() / logged - 1) <= std::max(tolerance, 1e-12));
    ++checked;
  }
  CHECK(independent == 10);
  CHECK(checked == 12);
}
