// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/request_file.hpp"
#include "kvcache/requests/synthetic_sessions.hpp"
#include "kvcache/requests/write_requests.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"

#include <map>
#include <set>

using namespace hpclab;
using namespace hpclab::kvcache::requests;

namespace {

std::vector<Request> generate(const SessionMix& mix, std::uint64_t seed) {
  SyntheticSessions source(mix, seed);
  std::vector<Request> requests;
  for (Request request; source.next(request);) requests.push_back(request);
  return requests;
}

}  // namespace

TEST_CASE("generated sessions: is a trace the same for a seed and another for another?") {
  SessionMix mix;
  mix.sessions = 50;
  const auto one = generate(mix, 1), again = generate(mix, 1), other = generate(mix, 2);
  REQUIRE(one.size() == again.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    REQUIRE(one[i].time_s == again[i].time_s);
    REQUIRE(one[i].blocks == again[i].blocks);
  }
  CHECK(one.front().time_s != other.front().time_s);
}

TEST_CASE("generated sessions: are times sorted and ids as many as the input fills?") {
  SessionMix mix;
  mix.sessions = 200;
  mix.longest_tokens = 4000;
  double before_s = 0;
  for (const Request& request : generate(mix, 3)) {
    REQUIRE(request.time_s >= before_s);
    REQUIRE(request.input_tokens >= 1);
    REQUIRE(request.input_tokens <= 4000);
    REQUIRE(request.blocks.size() == (request.input_tokens + 63) / 64);
    before_s = request.time_s;
  }
}

TEST_CASE("generated sessions: are means those asked for?") {
  SessionMix mix;
  mix.sessions = 20'000;
  mix.system_tokens = 0;
  mix.longest_tokens = 100'000'000;
  const auto requests = generate(mix, 5);
  double outputs = 0;
  for (const Request& request : requests) outputs += static_cast<double>(request.output_tokens);
  const auto count = static_cast<double>(requests.size());
  CHECK(count / 20'000 == Catch::Approx(mix.turns).epsilon(0.03));
  CHECK(outputs / count == Catch::Approx(mix.output_tokens).epsilon(0.02));
  CHECK(20'000 / requests.back().time_s < mix.sessions_per_s);
}

TEST_CASE("generated sessions: does an id always follow the same id, as hashes of prefixes do?") {
  SessionMix mix;
  mix.sessions = 300;
  std::map<std::uint64_t, std::uint64_t> parent;
  std::set<std::uint64_t> first_blocks;
  for (const Request& request : generate(mix, 7)) {
    for (std::size_t i = 1; i < request.blocks.size(); ++i) {
      REQUIRE(parent.try_emplace(request.blocks[i], request.blocks[i - 1]).first->second ==
              request.blocks[i - 1]);
    }
    first_blocks.insert(request.blocks.front());
  }
  CHECK(first_blocks.size() <= mix.system_prompts);
  CHECK(first_blocks.size() > mix.system_prompts / 2);
}

TEST_CASE("generated sessions: do they survive being written and read as Mooncake lines?") {
  SessionMix mix;
  mix.sessions = 40;
  test::FixtureRoot folder;
  SyntheticSessions source(mix, 9);
  const auto expected = generate(mix, 9);
  CHECK(write_mooncake(source, folder.path() / "t.jsonl") == expected.size());
  ReadingOptions options;
  options.id_tokens = 64;
  RequestFile file(folder.path() / "t.jsonl", options);
  for (const Request& request : expected) {
    Request read;
    REQUIRE(file.next(read));
    CHECK(read.blocks == request.blocks);
    CHECK(read.input_tokens == request.input_tokens);
    CHECK(read.output_tokens == request.output_tokens);
    CHECK(read.time_s == Catch::Approx(request.time_s).margin(0.0005001));
  }
}
