// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/requests/calendar_time.hpp"
#include "kvcache/requests/request_file.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fixture_root.hpp"
#include "support/outside_data.hpp"
#include "support/packed.hpp"

#include <set>

using namespace hpclab;
using namespace hpclab::kvcache::requests;
using hpclab::test::usage_error_of;

namespace {

std::vector<Request> read_all(RequestSource& source) {
  std::vector<Request> requests;
  for (Request request; source.next(request);) requests.push_back(request);
  return requests;
}

std::vector<Request> read_text(const std::string& text, ReadingOptions options = {}) {
  test::FixtureRoot folder;
  folder.file("trace", text);
  RequestFile file(folder.path() / "trace", options);
  return read_all(file);
}

std::string error_of(const std::string& text, ReadingOptions options = {}) {
  std::string message = usage_error_of([&] { read_text(text, options); });
  return message.substr(message.find("trace:") == std::string::npos ? 0 : message.find("trace:"));
}

const std::string mooncake =
    R"({"timestamp": 1500, "input_length": 1030, "output_length": 52, "hash_ids": [46, 47, 2353]}
{"timestamp": 3000, "input_length": 512, "output_length": 0, "hash_ids": [46]}
)";

const std::string bailian =
    R"({"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 20, "output_length": 16, "type": "text", "turn": 1, "hash_ids": [1089, 1090]}
)";

const std::string weka = R"({
  "id": "a", "models": ["m"], "block_size": 64, "hash_id_scope": "local",
  "requests": [
    {"t": 0.0, "type": "n", "model": "m", "in": 128, "out": 16, "hash_ids": [1, 2], "api_time": 0.1},
    {"t": 5.0, "type": "subagent", "agent_id": "x", "subagent_type": "Explore", "duration_ms": 900,
     "requests": [{"t": 5.5, "type": "n", "model": "m", "in": 64, "out": 3, "hash_ids": [9]}]},
    {"t": 2.0, "type": "n", "model": "m", "in": 192, "out": 16, "hash_ids": [1, 2, 3]}
  ]
}
)";

}  // namespace

TEST_CASE("traces: is a Mooncake line read in its own units?") {
  const auto requests = read_text(mooncake);
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].time_s == 1.5);
  CHECK(requests[0].input_tokens == 1030);
  CHECK(requests[0].output_tokens == 52);
  CHECK(requests[0].blocks == std::vector<std::uint64_t>{46, 47, 2353});
}

TEST_CASE("traces: is a Qwen-Bailian line told from a Mooncake one by its chat_id?") {
  const auto requests = read_text(bailian);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].time_s == 61.114);
  CHECK(requests[0].blocks.size() == 2);
}

TEST_CASE("traces: are an agent's requests ordered by time, its subagents' among them?") {
  const auto requests = read_text(weka);
  REQUIRE(requests.size() == 3);
  CHECK(requests[0].time_s == 0);
  CHECK(requests[1].time_s == 2);
  CHECK(requests[2].time_s == 5.5);
  CHECK(requests[1].blocks.size() == 3);
  CHECK(requests[1].blocks[1] == requests[0].blocks[1]);
}

TEST_CASE("traces: are block ids of two agent sessions different unless their scope is global?") {
  const auto local = read_text(weka + weka);
  REQUIRE(local.size() == 6);
  std::set<std::uint64_t> ids;
  for (const Request& request : local) ids.insert(request.blocks.begin(), request.blocks.end());
  CHECK(ids.size() == 8);

  std::string global = weka;
  global.replace(global.find("local"), 5, "global");
  ids.clear();
  for (const Request& request : read_text(global + global))
    ids.insert(request.blocks.begin(), request.blocks.end());
  CHECK(ids == std::set<std::uint64_t>{1, 2, 3, 9});
}

TEST_CASE("traces: does the next agent session begin when one has ended?") {
  ReadingOptions options;
  options.sessions_at_once = 1;
  std::vector<double> times;
  for (const Request& request : read_text(weka + weka, options)) times.push_back(request.time_s);
  CHECK(times == std::vector<double>{0, 2, 5.5, 5.5, 7.5, 11});
  options.sessions_at_once = 2;
  times.clear();
  for (const Request& request : read_text(weka + weka, options)) times.push_back(request.time_s);
  CHECK(times == std::vector<double>{0, 0, 2, 2, 5.5, 5.5});
}

TEST_CASE("traces: are token ids read under each of their names, salts kept apart?") {
  for (const char* key : {"token_ids", "prompt_token_ids", "input_tok_ids", "tokens"}) {
    const auto requests = read_text(std::string("{\"") + key +
                                    "\": [5, 6, 7], \"timestamp\": 2.5, \"output_length\": 4}");
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].tokens == std::vector<std::uint32_t>{5, 6, 7});
    CHECK(requests[0].input_tokens == 3);
    CHECK(requests[0].time_s == 2.5);
  }
  const auto salted = read_text(R"({"tokens": [1]}
{"tokens": [1], "cache_salt": "a"}
{"tokens": [1], "lora": "a"}
{"tokens": [1], "cache_salt": "a"})");
  REQUIRE(salted.size() == 4);
  CHECK(salted[0].space != salted[1].space);
  CHECK(salted[1].space != salted[2].space);
  CHECK(salted[1].space == salted[3].space);
}

TEST_CASE("traces: are Azure tables read with times from their first row?") {
  const auto requests = read_text(
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n"
      "2023-11-17 00:00:00.0000000,1,0\n");
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].time_s == 0);
  CHECK(requests[1].time_s == Catch::Approx(5 * 3600 + 42 * 60 + 56.02004).epsilon(1e-9));
  CHECK(requests[1].input_tokens == 1);
}

TEST_CASE("traces: are calendar times those of the Gregorian calendar?") {
  CHECK(calendar_seconds("1970-01-01 00:00:00", "") == 0);
  CHECK(calendar_seconds("2000-02-29T12:00:00.5Z", "") == 951825600.5);
  CHECK(calendar_seconds("2023-11-16 18:17:03+00:00", "") == 1700158623);
  for (const char* wrong : {"", "2023-02-29 00:00:00", "2023-11-16", "2023-11-16 24:00:00",
                            "2023-11-16 18:17:03.", "2023-11-16 18:17:03.x", "yesterday"}) {
    CHECK(usage_error_of([&] { calendar_seconds(wrong, "f:3"); }).find("f:3: ") == 0);
  }
}

TEST_CASE(
    "traces: are gz and zst read as the plain text, and is a cut one refused with its place?") {
  for (const std::string& packed : {test::as_gz(mooncake), test::as_zst(mooncake)}) {
    CHECK(read_text(packed).size() == 2);
    const std::string cut = packed.substr(0, packed.size() - 9);
    const std::string message = error_of(cut);
    INFO(message);
    CHECK(message.find("trace:") == 0);
    ReadingOptions skip;
    skip.skip_bad = true;
    skip.format = TraceFormat::mooncake;
    CHECK_FALSE(error_of(cut, skip).empty());  // no line is at fault: nothing to skip
  }
}

TEST_CASE("traces: is each fault of a line named with file, line and what is wrong?") {
  const std::string good =
      R"({"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1]})";
  const auto second = [&](const std::string& line) { return error_of(good + "\n" + line + "\n"); };
  CHECK(second("{").find("trace:2: no JSON") == 0);
  CHECK(second("[1]").find("trace:2: ") == 0);
  CHECK(second(R"({"timestamp": 0})").find("trace:2: missing key 'input_length'") == 0);
  CHECK(second(R"({"timestamp": 0, "input_length": 0, "output_length": 1, "hash_ids": []})")
            .find("trace:2: 'input_length' is 0, valid: 1 to") == 0);
  CHECK(second(R"({"timestamp": 0, "input_length": 5, "output_length": -1, "hash_ids": []})")
            .find("trace:2: 'output_length' is -1") == 0);
  CHECK(second(R"({"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1, 2]})")
            .find("trace:2: 2 hash ids of 512 tokens for an input of 5: at most 1 fit") == 0);
  CHECK(second(R"({"timestamp": "x", "input_length": 5, "output_length": 1, "hash_ids": [1]})")
            .find("trace:2: 'timestamp'") == 0);
  CHECK(second(R"({"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1.5]})")
            .find("trace:2: 'hash_ids'") == 0);
  CHECK(error_of(R"({"tokens": [-1]})").find("trace:1: 'tokens' holds -1") == 0);
  CHECK(error_of(R"({"tokens": []})").find("trace:1: 'tokens' is empty") == 0);
}

TEST_CASE("traces: are malformed lines counted and passed over when asked to?") {
  test::FixtureRoot folder;
  std::string text =
      "{\n" + mooncake + "{\"timestamp\": 1}\n" + std::string(1, '\0') + "\n" + mooncake;
  folder.file("trace", text);
  ReadingOptions options;
  options.skip_bad = true;
  options.format = TraceFormat::mooncake;
  RequestFile file(folder.path() / "trace", options);
  CHECK(read_all(file).size() == 4);
  CHECK(file.report().skipped == 3);
  CHECK(file.report().first_skipped.find("trace:1: ") != std::string::npos);
  const auto notes = file.report().notes(false);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].find("3 malformed lines were skipped; the first: ") == 0);
  CHECK(notes[1].find("1 request is earlier than the one above") == 0);
}

TEST_CASE("traces: are partial hash lists and doubled lines told?") {
  test::FixtureRoot folder;
  folder.file("trace",
              R"({"timestamp": 0, "input_length": 1600, "output_length": 1, "hash_ids": [1, 2]}
{"timestamp": 0, "input_length": 1600, "output_length": 1, "hash_ids": [1, 2]}
{"timestamp": 0, "input_length": 1030, "output_length": 1, "hash_ids": [1, 2]}
)");
  RequestFile file(folder.path() / "trace", {});
  CHECK(read_all(file).size() == 3);
  CHECK(file.report().partial_lists == 2);  // the third lacks only the partly filled last block
  CHECK(file.report().repeated == 1);
  CHECK(file.report().notes(false).size() == 2);
}

TEST_CASE("traces: are empty, blank and unknown files refused, saying what would be right?") {
  CHECK(error_of("").find("trace: the file is empty") == 0);
  CHECK(error_of("\n \n").find("trace: the file is empty") == 0);
  CHECK(error_of("a,b,c\n1,2,3\n").find("trace: of no known format; it begins with 'a,b,c'") == 0);
  CHECK(error_of("TIMESTAMP,ContextTokens,GeneratedTokens\n") == "trace: it holds no request");
  ReadingOptions options;
  options.skip_bad = true;
  options.format = TraceFormat::mooncake;
  CHECK(error_of("{}\n{}\n", options).find("trace: it holds no request, only 2 malformed lines") ==
        0);
  CHECK_FALSE(usage_error_of([] { RequestFile("/no/such/file", {}); }).empty());
}

TEST_CASE("traces: do the public traces have the requests and blocks that their owners state?") {
  struct Expected {
    const char* file;
    std::size_t requests, blocks;
  };
  for (const auto& [name, requests, blocks] :
       {Expected{"mooncake_conversation_trace.jsonl.gz", 12'031, 288'500},
        Expected{"mooncake_synthetic_trace.jsonl.gz", 3'993, 121'877},
        Expected{"azure2023_code.csv.gz", 8'819, 0},
        Expected{"azure2023_conv.csv.gz", 19'366, 0}}) {
    const auto path = test::outside_data(std::string("kvcache/") + name);
    if (!path) return;
    RequestFile file(*path, {});
    std::size_t count = 0, ids = 0;
    for (Request request; file.next(request); ++count) ids += request.blocks.size();
    CHECK(count == requests);
    CHECK(ids == blocks);
    CHECK(file.report().notes(false).empty());
  }
}
