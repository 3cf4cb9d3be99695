// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/instruction_set.hpp"
#include "kvcache/decode/execution.hpp"
#include "kvcache/decode/half.hpp"
#include "kvcache/decode/parameters.hpp"
#include "kvcache/decode/reference.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::kvcache::decode;

namespace {

constexpr CacheFormat formats[] = {CacheFormat::fp32, CacheFormat::fp16, CacheFormat::bf16,
                                   CacheFormat::q8_0};

struct Heads {
  int query, kv;
};

AttentionShape grouped(Heads heads, int dim, CacheFormat format) {
  AttentionShape shape;
  shape.query_heads = heads.query;
  shape.kv_heads = heads.kv;
  shape.key_dim = shape.value_dim = dim;
  shape.format = format;
  return shape;
}

// Largest error of all heads, and whether it is within what the arithmetic allows.
void check(const AttentionShape& shape, const std::vector<std::int64_t>& lengths,
           InstructionSet isa, bool pairs, Partition partition = Partition::even, int threads = 1) {
  machine::ThreadTeam team(host_topology(), threads);
  const PagedCache cache(shape, lengths, Placement::shuffled, 7, team);
  CpuDecode decode(cache, make_queries(shape, lengths.size(), 3), team, isa, pairs, partition);
  decode.run_s(1);
  std::uint64_t compared = 0;
  const double error = decode.error(1e12, compared);
  INFO(describe(shape) << ", " << name(isa) << (pairs ? ", pairs" : "") << ", " << lengths.size()
                       << " sequences");
  CHECK(compared == lengths.size() * static_cast<std::uint64_t>(shape.query_heads));
  CHECK(error <= decode.tolerance());
}

std::vector<InstructionSet> runnable() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet isa : all_instruction_sets) {
    if (supported(isa)) sets.push_back(isa);
  }
  return sets;
}

}  // namespace

TEST_CASE("decode: is attention equal to its definition in every format and instruction set?") {
  // Less than a tile, a tile, odd ends, several rounds of tiles.
  const std::vector<std::int64_t> lengths{1, 16, 77, 205};
  for (const InstructionSet isa : runnable()) {
    for (const CacheFormat format : formats)
      check(grouped({8, 2}, 64, format), lengths, isa, false);
  }
  if (has_pair_products())
    check(grouped({8, 2}, 64, CacheFormat::bf16), lengths, InstructionSet::avx512, true);
}

TEST_CASE("decode: is every number of queries to a head right, from one to sixteen?") {
  for (const InstructionSet isa : runnable()) {
    for (const int group : {1, 2, 3, 5, 7, 8, 11, 16}) {
      check(grouped({2 * group, 2}, 32, CacheFormat::q8_0), {50}, isa, false);
      check(grouped({2 * group, 2}, 32, CacheFormat::bf16), {50}, isa, false);
      if (isa == InstructionSet::avx512 && has_pair_products())
        check(grouped({2 * group, 2}, 32, CacheFormat::bf16), {50}, isa, true);
    }
  }
}

TEST_CASE("decode: are head sizes that fill no registers right?") {
  for (const InstructionSet isa : runnable()) {
    for (const int dim : {16, 48, 80, 112, 256}) {
      check(grouped({4, 4}, dim, CacheFormat::fp16), {70}, isa, false);
      check(grouped({6, 2}, dim, CacheFormat::bf16), {70}, isa,
            isa == InstructionSet::avx512 && has_pair_products());
    }
  }
}

TEST_CASE("decode: is latent attention right, where values are parts of keys?") {
  AttentionShape shape;
  shape.latent = true;
  shape.kv_heads = 1;
  shape.query_heads = 13;
  shape.key_dim = 96;
  shape.value_dim = 64;
  for (const InstructionSet isa : runnable()) {
    for (const CacheFormat format : {CacheFormat::fp32, CacheFormat::fp16, CacheFormat::bf16}) {
      shape.format = format;
      check(shape, {1, 90}, isa, false);
    }
    if (isa == InstructionSet::avx512 && has_pair_products()) check(shape, {1, 90}, isa, true);
  }
}

TEST_CASE("decode: do block size, cuts between threads and whole sequences change nothing?") {
  const int threads = static_cast<int>(host_topology().processing_units.size()) > 1 ? 2 : 1;
  for (const Partition partition : {Partition::even, Partition::sequence}) {
    for (const int page : {16, 48, 256}) {
      AttentionShape shape = grouped({8, 4}, 64, CacheFormat::bf16);
      shape.page_tokens = page;
      check(shape, {1000, 3, 33}, runnable().back(), false, partition, threads);
      check(shape, {777}, runnable().back(), false, partition, threads);
    }
  }
}

TEST_CASE("decode: does the reference weigh as softmax does?") {
  // Two tokens whose scores differ by ln 3: weights 1/4 and 3/4.
  const float query[2] = {1, 0};
  const auto result = reference_attention(
      query, 2, 1, 2, 1.0,
      [](std::int64_t t, int d) { return d == 0 && t == 1 ? std::log(3.0) : 0; },
      [](std::int64_t t, int) { return t == 0 ? 4.0 : 8.0; });
  CHECK(result[0] == Approx(7.0).epsilon(1e-14));
}

TEST_CASE("decode: does an error that is no number stay one?") {
  const float result[2] = {std::numeric_limits<float>::quiet_NaN(), 1};
  CHECK_FALSE(error_ratio(result, {1.0, 1.0}) <= 1e300);
}

TEST_CASE("decode: are halves and bfloats rounded to nearest, ties to even?") {
  CHECK(to_half(1.0f) == 0x3c00);
  CHECK(to_half(-2.5f) == 0xc100);
  CHECK(to_half(65504.0f) == 0x7bff);
  CHECK(to_half(1.0f + 0x1p-11f) == 0x3c00);
  CHECK(to_half(1.0f + 3 * 0x1p-11f) == 0x3c02);
  CHECK(to_half(0x1p-24f) == 0x0001);
  CHECK(to_half(0x1.8p-24f) == 0x0002);
  CHECK(to_bfloat(1.0f + 0x1p-8f) == 0x3f80);
  CHECK(to_bfloat(1.0f + 3 * 0x1p-8f) == 0x3f82);
  for (std::uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    REQUIRE(to_half(from_half(half)) == half);
  }
}
