// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Trace readers under random damage. HPCLAB_FUZZ sets how many mutations of each sample are read.
#include "core/error.hpp"
#include "formats/byte_source.hpp"
#include "kvcache/prefix/lru_stack.hpp"
#include "kvcache/requests/request_cutter.hpp"
#include "kvcache/requests/request_file.hpp"
#include "support/catch.hpp"
#include "support/mutation.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::kvcache::requests;

namespace {

void replay(const std::string& text, TraceFormat format, bool skip_bad) {
  ReadingOptions options;
  options.format = format;
  options.skip_bad = skip_bad;
  RequestFile file(formats::LineReader(formats::bytes_of(text), "f"), options);
  std::optional<RequestCutter> cutter;
  if (file.facts().content != Content::lengths) {
    cutter.emplace(file.facts(), Semantics::block_hash, 0);
  }
  prefix::LruStack stack(1000);
  for (Request request; file.next(request);) {
    REQUIRE(request.input_tokens > 0);
    REQUIRE(std::isfinite(request.time_s));
    if (cutter) stack.access(cutter->cut(request).blocks);
  }
}

void damage(const std::string& sample, TraceFormat format, unsigned seed) {
  replay(sample, format, false);
  test::Mutator mutator(seed);
  const int count = test::mutation_count(1500);
  for (int i = 0; i < count; ++i) {
    const std::string text = mutator.mutated(sample);
    for (const bool skip_bad : {false, true}) {
      try {
        replay(text, format, skip_bad);
      } catch (const UsageError& error) {
        const std::string message = error.what();
        if (message.rfind("f:", 0) != 0) FAIL("no place in: " << message);
      } catch (const std::exception& error) {
        FAIL("mutation " << i << ": " << error.what() << "\n" << text);
      }
    }
  }
}

}  // namespace

TEST_CASE("traces: do readers of hash ids answer damage with a result or a place?") {
  damage(R"({"timestamp": 0, "input_length": 1030, "output_length": 52, "hash_ids": [46, 47, 2353]}
{"timestamp": 27000, "input_length": 9000, "output_length": 1, "hash_ids": [46, 48]}
)",
         TraceFormat::mooncake, 1);
  damage(
      R"({"chat_id": 9, "parent_chat_id": -1, "timestamp": 61.1, "input_length": 20, "output_length": 16, "type": "text", "turn": 1, "hash_ids": [1089, 1090]}
{"chat_id": 10, "parent_chat_id": 9, "timestamp": 62, "input_length": 40, "output_length": 1, "type": "text", "turn": 2, "hash_ids": [1089, 1091, 1092]}
)",
      TraceFormat::bailian, 2);
}

TEST_CASE("traces: does the reader of agent sessions answer damage with a result or a place?") {
  damage(R"({"id": "a", "block_size": 64, "hash_id_scope": "local", "requests": [
    {"t": 0.0, "type": "n", "model": "m", "in": 128, "out": 16, "hash_ids": [1, 2], "api_time": 0.1},
    {"t": 5.0, "type": "subagent", "requests": [{"t": 5.5, "type": "n", "in": 64, "out": 3, "hash_ids": [9]}]}]}
{"id": "b", "block_size": 64, "requests": [{"t": 1e3, "type": "n", "in": 64, "out": 3, "hash_ids": [9]}]}
)",
         TraceFormat::weka, 3);
}

TEST_CASE("traces: does the reader of token ids answer damage with a result or a place?") {
  damage(
      R"({"tokens": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17], "timestamp": 1.5}
{"tokens": [1, 2], "cache_salt": "a\u00e9", "lora": "x", "output_length": 7}
)",
      TraceFormat::tokens, 4);
}

TEST_CASE("traces: does the reader of length tables answer damage with a result or a place?") {
  damage(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
      "2023-11-16 18:17:04.0319600,3180,8\n",
      TraceFormat::azure, 5);
}
