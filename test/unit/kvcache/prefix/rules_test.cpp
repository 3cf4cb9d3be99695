// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/prefix/prefill_cost.hpp"
#include "kvcache/requests/request_cutter.hpp"
#include "support/catch.hpp"

#include <array>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::kvcache::prefix;
using namespace hpclab::kvcache::requests;

namespace {

requests::Request request_with(std::uint64_t input_tokens, std::vector<std::uint64_t> blocks) {
  requests::Request request;
  request.input_tokens = input_tokens;
  request.blocks = std::move(blocks);
  return request;
}

requests::Request tokens_with(std::vector<std::uint32_t> tokens, std::uint64_t space = 0) {
  requests::Request request;
  request.tokens = std::move(tokens);
  request.input_tokens = request.tokens.size();
  request.space = space;
  return request;
}

const requests::TraceFacts hashed{"mooncake", requests::Content::block_ids, 16};
const requests::TraceFacts spelt{"tokens", requests::Content::token_ids, 16};

const PrefillCost llama3_70b_on_8_a800{80, 8192, 8, 2, 8 * 312e12};

}  // namespace

TEST_CASE("prefix rules: as recorded, does the partly filled last block count with its tokens?") {
  RequestCutter cutter(hashed, Semantics::recorded, 0);
  const CacheableRequest cut = cutter.cut(request_with(40, {1, 2, 3}));
  CHECK(cut.blocks.size() == 3);
  CHECK(cut.hit_blocks(3) == 3);
  CHECK(cut.tokens(3) == 40);
  CHECK(cut.tokens(2) == 32);
}

TEST_CASE("prefix rules: does vLLM cache full blocks only and recompute the last token?") {
  RequestCutter cutter(hashed, Semantics::block_hash, 0);
  const CacheableRequest part = cutter.cut(request_with(40, {1, 2, 3}));
  CHECK(part.blocks.size() == 2);
  CHECK(part.tokens(part.hit_blocks(2)) == 32);
  // Full to the last block: its last token must be computed, so that its block is.
  const CacheableRequest full = cutter.cut(request_with(48, {1, 2, 3}));
  CHECK(full.blocks.size() == 3);
  CHECK(full.hit_blocks(3) == 2);
  CHECK(full.tokens(full.hit_blocks(3)) == 32);
  const CacheableRequest one = cutter.cut(request_with(1, {1}));
  CHECK(one.blocks.empty());
  CHECK(one.hit_blocks(0) == 0);
}

TEST_CASE("prefix rules: does a radix tree over tokens compute the last token alone?") {
  RequestCutter cutter(spelt, Semantics::radix, 0);
  CHECK(cutter.block_tokens() == 1);
  const CacheableRequest cut = cutter.cut(tokens_with({7, 8, 9}));
  CHECK(cut.blocks.size() == 3);
  CHECK(cut.tokens(3) == 2);
}

TEST_CASE("prefix rules: are blocks of larger size equal exactly where all before them is?") {
  RequestCutter cutter(hashed, Semantics::recorded, 32);
  const auto first = cutter.cut(request_with(64, {1, 2, 3, 4}));
  const std::vector<std::uint64_t> one(first.blocks.begin(), first.blocks.end());
  const auto second = cutter.cut(request_with(64, {1, 2, 5, 4}));
  const std::vector<std::uint64_t> two(second.blocks.begin(), second.blocks.end());
  REQUIRE(one.size() == 2);
  CHECK(one[0] == two[0]);
  CHECK(one[1] != two[1]);
  CHECK_THROWS_AS(RequestCutter(hashed, Semantics::recorded, 24), CaseFailed);
  CHECK_THROWS_AS(RequestCutter(hashed, Semantics::recorded, 8), CaseFailed);
}

TEST_CASE(
    "prefix rules: do hashes of tokens depend on every token before, on salt and on length?") {
  RequestCutter cutter(spelt, Semantics::recorded, 2);
  const auto blocks_of = [&](const requests::Request& request) {
    const auto cut = cutter.cut(request);
    return std::vector<std::uint64_t>(cut.blocks.begin(), cut.blocks.end());
  };
  const auto base = blocks_of(tokens_with({1, 2, 3, 4, 5}));
  REQUIRE(base.size() == 3);
  CHECK(blocks_of(tokens_with({1, 2, 3, 4, 6}))[1] == base[1]);
  CHECK(blocks_of(tokens_with({1, 2, 3, 4, 6}))[2] != base[2]);
  CHECK(blocks_of(tokens_with({9, 2, 3, 4, 5}))[1] != base[1]);
  CHECK(blocks_of(tokens_with({1, 2, 3, 4, 5}, 77))[0] != base[0]);
  CHECK(blocks_of(tokens_with({1, 2, 3, 4, 5, 6}))[2] != base[2]);
}

TEST_CASE("prefix rules: is a trace of lengths refused with what to do instead?") {
  const requests::TraceFacts lengths{"azure", requests::Content::lengths, 0};
  CHECK_THROWS_AS(RequestCutter(lengths, Semantics::recorded, 0), CaseFailed);
}

TEST_CASE("prefill cost: does loading break even at 6 GB/s on 8 A800 and at 19 GB/s on 8 H800?") {
  // Qin et al., FAST 2025, section 4: LLaMA3-70B, a prefix of 8192 tokens.
  PrefillCost cost = llama3_70b_on_8_a800;
  CHECK(cost.bytes_per_token() == 320 * 1024);
  CHECK(cost.break_even_bytes_per_s(8192) == Catch::Approx(6e9).margin(0.5e9));
  cost.flops_per_s = 8 * 989e12;
  CHECK(cost.break_even_bytes_per_s(8192) == Catch::Approx(19e9).margin(0.5e9));
}

TEST_CASE("prefill cost: at the break-even length, do loading and computing take the same time?") {
  const PrefillCost cost = llama3_70b_on_8_a800;
  for (const double bytes_per_s : {1e9, 3e9, 6e9}) {
    const double tokens = cost.break_even_tokens(bytes_per_s);
    REQUIRE(tokens > 0);
    CHECK(cost.bytes_per_token() * tokens / bytes_per_s ==
          Catch::Approx(cost.seconds(0, tokens)).epsilon(1e-12));
    CHECK(cost.break_even_bytes_per_s(tokens) == Catch::Approx(bytes_per_s).epsilon(1e-12));
  }
  CHECK(cost.break_even_tokens(1e12) == 0);
}

TEST_CASE("prefill cost: is the cheapest prefix no dearer than any other prefix?") {
  const PrefillCost cost = llama3_70b_on_8_a800;
  const std::uint64_t input = 9000;
  for (const double load_s_per_token : {1e-6, 5e-5, 8e-5, 2e-4}) {
    const std::array runs{TierRun{1000, 0}, TierRun{3000, load_s_per_token},
                          TierRun{4000, load_s_per_token / 10}};
    const PrefixUse best = use_of_prefix(cost, Transfer::cheaper, runs, input);
    for (std::uint64_t used = 0; used <= 8000; used += 50) {
      const double middle = static_cast<double>(
          std::clamp<std::int64_t>(static_cast<std::int64_t>(used) - 1000, 0, 3000));
      const double last = static_cast<double>(used > 4000 ? used - 4000 : 0);
      const double time_s = middle * load_s_per_token + last * load_s_per_token / 10 +
                            cost.seconds(static_cast<double>(used), static_cast<double>(input));
      CHECK(best.load_s + best.compute_s <= time_s * (1 + 1e-12));
    }
    CHECK(use_of_prefix(cost, Transfer::always, runs, input).used_tokens == 8000);
    CHECK(use_of_prefix(cost, Transfer::never, runs, input).used_tokens == 1000);
  }
}
