// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/json_file.hpp"
#include "kvcache/explain/explanation.hpp"
#include "kvcache/explain/log_text.hpp"
#include "kvcache/explain/model.hpp"
#include "kvcache/explain/read_log.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"
#include "unit/kvcache/start_up_samples.hpp"

#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::kvcache::explain;
using namespace hpclab::test;

namespace {

const std::string configs = std::string(HPCLAB_SOURCE_DIR) + "/configs";

std::string log_file(const std::string& name) {
  return configs + "/kvcache/logs/" + name + ".log";
}

Result explained(const std::string& log, const std::string& model = "",
                 const std::string& gpu = "") {
  Parameters p;
  p.log = log;
  if (!model.empty()) p.model = configs + "/models/" + model + ".json";
  if (!gpu.empty()) p.gpu = configs + "/machines/" + gpu + ".json";
  Context context;
  return hpclab::kvcache::explain::model(p, context);
}

bool notes_contain(const Result& result, const std::string& part) {
  for (const std::string& note : result.notes()) {
    if (contains(note, part)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("log: are numbers found with separators, units and signs?") {
  CHECK(leading_number("621,392 tokens") == 621392);
  CHECK(leading_number("0.92, 72.91") == 0.92);
  CHECK(leading_number("1,2,3") == 1);
  CHECK_FALSE(leading_number("tokens"));
  CHECK_FALSE(leading_number("999999999999999999999999"));
  CHECK(leading_size("30.71GiB;")->bytes == Catch::Approx(30.71 * 1073741824));
  CHECK(leading_size("6.9 GiB")->decimals == 2);
  CHECK(size_before("is 14.99 GiB for weight", " for weight")->bytes ==
        Catch::Approx(14.99 * 1073741824));
  CHECK(word_after("model='a/b', x", "model=") == "a/b");
  CHECK(word_after("dtype=torch.bfloat16, y", "dtype=") == "torch.bfloat16");
}

TEST_CASE("log: is what each engine prints read, whichever engine it is?") {
  const LogFacts h100 = read_log(log_file("vllm-h100-llama-3.1-8b"));
  CHECK(h100.engine == Engine::vllm);
  CHECK(h100.version == EngineVersion{0, 19, 0});
  CHECK(h100.model == "meta-llama/Llama-3.1-8B-Instruct");
  CHECK(h100.number("tokens") == 476016);
  CHECK(h100.number("gpu_memory_utilization") == 0.95);
  CHECK(h100.number("max_num_batched_tokens") == 8192);
  CHECK(h100.size("total")->bytes == Catch::Approx(79.19 * 1073741824));
  CHECK(h100.size("weights")->bytes == Catch::Approx(14.99 * 1073741824));
  CHECK(h100.size("graphs_actual")->bytes == Catch::Approx(0.91 * 1073741824));
  const LogFacts rtx_5090 = read_log(log_file("vllm-rtx-5090-qwen3.6-27b-fp8-tp2"));
  CHECK(rtx_5090.version == EngineVersion{0, 27, 1});
  CHECK(rtx_5090.size("consumed")->bytes == Catch::Approx(15.03 * 1073741824));
  CHECK(rtx_5090.least_available->bytes == Catch::Approx(12.24 * 1073741824));
  CHECK(read_log(log_file("vllm-rtx-3090-llama-3.1-8b")).number("blocks") == 1952);
  const LogFacts sglang = read_log(log_file("sglang-qwen3-30b-a3b"));
  CHECK(sglang.engine == Engine::sglang);
  CHECK(sglang.number("tokens") == 1669816);
  CHECK(sglang.number("gpu_memory_utilization") == 0.911);
  const LogFacts tensorrt = read_log(log_file("tensorrt-llm-rtx-5090-llama-3.1-8b"));
  CHECK(tensorrt.engine == Engine::tensorrt_llm);
  CHECK(tensorrt.number("block") == 32);
  const LogFacts llama = read_log(log_file("llama.cpp-gpt-oss-20b"));
  CHECK(llama.engine == Engine::llama_cpp);
  REQUIRE(llama.caches.size() == 2);
  CHECK(llama.caches[1].cells == 768);
}

TEST_CASE("explain: is at most one per cent of the card left unexplained in real logs?") {
  for (const auto& [name, model] : {std::pair{"vllm-h100-llama-3.1-8b", "llama-3.1-8b"},
                                    std::pair{"vllm-h100-gpt-oss-20b-tp2", "gpt-oss-20b"},
                                    std::pair{"vllm-rtx-3090-llama-3.1-8b", "llama-3.1-8b"}}) {
    CAPTURE(name);
    const bool two = std::string(name).ends_with("tp2");  // whose link matters
    const Result result = explained(log_file(name), model, two ? "h100-sxm" : "");
    CHECK(*result.value("residual_of_card_ratio") <= 0.01);
    CHECK_FALSE(result.text().value("verdict", "").empty());
  }
}

TEST_CASE("explain: do the rules make of the log's own bytes the tokens that it states?") {
  const Result h100 = explained(log_file("vllm-h100-llama-3.1-8b"), "llama-3.1-8b");
  CHECK(*h100.value("expected_tokens") == Catch::Approx(476016).epsilon(2e-4));
  const Result tensorrt = explained(log_file("tensorrt-llm-rtx-5090-llama-3.1-8b"), "llama-3.1-8b");
  // The cache is in fp8, which that engine does not print: bf16 would hold half as many.
  CHECK(*tensorrt.value("expected_tokens") == Catch::Approx(263008 / 2.0).epsilon(1e-3));
  const Result llama = explained(log_file("llama.cpp-gpt-oss-20b"), "gpt-oss-20b");
  CHECK(*llama.value("residual_bytes") == 0);
  const Result sglang = explained(log_file("sglang-qwen3-30b-a3b"), "qwen3-30b-a3b");
  CHECK(*sglang.value("residual_bytes") < 0.5 * 1073741824);
}

TEST_CASE("explain: is a log without version, cut, or of nobody said to be so?") {
  FixtureRoot root;
  const std::string whole = shipped_log("vllm-h100-llama-3.1-8b");
  root.file("/cut.log", whole.substr(0, whole.find("INFO GPU KV cache size")));
  const Result cut = explained((root.path() / "cut.log").string(), "llama-3.1-8b", "h100-sxm");
  CHECK(notes_contain(cut, "tokens or blocks"));
  root.file("/half.log", whole.substr(0, whole.size() - 40));
  CHECK(notes_contain(explained((root.path() / "half.log").string(), "llama-3.1-8b"),
                      "the log may be cut"));
  std::string unknown = whole;
  unknown.replace(unknown.find("(v0.19.0)"), 9, "(vnext)");
  root.file("/unknown.log", unknown);
  CHECK(notes_contain(explained((root.path() / "unknown.log").string(), "llama-3.1-8b"),
                      "does not say its version"));
  std::string future = whole;
  future.replace(future.find("(v0.19.0)"), 9, "(v9.0.0)");
  root.file("/future.log", future);
  CHECK(notes_contain(explained((root.path() / "future.log").string(), "llama-3.1-8b"),
                      "is newer than"));
  root.file("/other.log", "GET /v1/models 200\n");
  CHECK(contains(error_of([&] { explained((root.path() / "other.log").string()); }),
                 "none of its 1 lines"));
}

TEST_CASE("explain: are GB that are 10 to the 9 bytes found out, and the smallest rank named?") {
  FixtureRoot root;
  // 131,072 tokens of 131,072 bytes are 16 GiB or 17.18 x 10^9 bytes.
  root.file("/units.log",
            "INFO Initializing a V1 LLM engine (v0.11.0) with config: model='x', max_seq_len=1024\n"
            "INFO Available KV cache memory: 17.18 GB\nINFO GPU KV cache size: 131,072 tokens\n");
  CHECK(notes_contain(explained((root.path() / "units.log").string(), "llama-3.1-8b"),
                      "mixes GB and GiB"));
  root.file("/ranks.log",
            "INFO Initializing a V1 LLM engine (v0.10.2) with config: model='x', "
            "tensor_parallel_size=2, max_seq_len=1024\n"
            "(TP0) INFO Available KV cache memory: 8.69 GiB\n"
            "(TP1) INFO Available KV cache memory: 7.46 GiB\n"
            "INFO GPU KV cache size: 122,224 tokens\n");
  const Result ranks = explained((root.path() / "ranks.log").string(), "llama-3.1-8b", "rtx-3090");
  CHECK(notes_contain(ranks, "ranks have from 7.46 to 8.69 GiB"));
  CHECK(*ranks.value("expected_tokens") == Catch::Approx(122224).epsilon(1e-3));
}
