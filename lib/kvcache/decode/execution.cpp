// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/execution.hpp"

#include "core/clock.hpp"
#include "kvcache/decode/reference.hpp"
#include "machine/cpu_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace hpclab::kvcache::decode {
namespace {

const AttentionBodies& bodies_of(InstructionSet isa) {
  switch (isa) {
    case InstructionSet::avx512:
      return attention_bodies_avx512;
    case InstructionSet::avx2:
      return attention_bodies_avx2;
    case InstructionSet::scalar:
      break;
  }
  return attention_bodies_scalar;
}

double scale_of(const AttentionShape& shape) {
  return 1 / std::sqrt(static_cast<double>(shape.key_dim));
}

}  // namespace

bool has_pair_products() {
  return machine::can_run_avx512() && machine::instruction_sets().avx512_bf16;
}

CpuDecode::CpuDecode(const PagedCache& cache, std::vector<float> queries, machine::ThreadTeam& team,
                     InstructionSet isa, bool pair_products, Partition partition)
    : cache_(cache),
      queries_(std::move(queries)),
      team_(team),
      pair_products_(pair_products),
      span_(pair_products ? span_bf16_avx512bf16
                          : bodies_of(isa).span[static_cast<int>(cache.shape().format)]),
      read_(bodies_of(isa).read),
      // All heads of a page are read one after another, so they go together.
      schedule_(make_schedule(cache.lengths(), 1, tile_tokens, team.size(), partition)) {
  const AttentionShape& shape = cache_.shape();
  const std::size_t rows =
      static_cast<std::size_t>(schedule_.slots) * static_cast<std::size_t>(shape.query_heads);
  sums_.resize(rows * static_cast<std::size_t>(shape.value_dim));
  maxima_.resize(rows);
  totals_.resize(rows);
  result_.resize(cache_.lengths().size() * static_cast<std::size_t>(shape.query_heads) *
                 static_cast<std::size_t>(shape.value_dim));
  for (int m = 0; m < team.size(); ++m) {
    scratch_.emplace_back(sizeof(float) * scratch_floats(shape.queries_per_kv_head(), shape.key_dim,
                                                         shape.value_dim));
  }
}

void CpuDecode::one_member(int member) {
  const AttentionShape& shape = cache_.shape();
  const auto heads = static_cast<std::size_t>(shape.query_heads);
  SpanArguments s;
  s.heads = shape.kv_heads;
  s.query_count = shape.queries_per_kv_head();
  s.key_dim = shape.key_dim;
  s.value_dim = shape.value_dim;
  s.latent = shape.latent;
  s.scale = static_cast<float>(scale_of(shape) * std::numbers::log2e);
  s.pool = cache_.pool();
  s.page_bytes = shape.page_bytes();
  s.tile_bytes = shape.tile_bytes();
  s.page_tiles = shape.page_tokens / tile_tokens;
  s.scratch = reinterpret_cast<float*>(scratch_[static_cast<std::size_t>(member)].data());
  for (const Span& span : schedule_.members[static_cast<std::size_t>(member)]) {
    const std::size_t row = static_cast<std::size_t>(span.slot) * heads;
    s.queries = queries_.data() + static_cast<std::size_t>(span.sequence) * heads *
                                      static_cast<std::size_t>(shape.key_dim);
    s.pages = cache_.table(span.sequence).data();
    s.first_tile = span.first_tile;
    s.tiles = span.tiles;
    s.tokens = static_cast<int>(cache_.lengths()[static_cast<std::size_t>(span.sequence)]);
    s.sums = sums_.data() + row * static_cast<std::size_t>(shape.value_dim);
    s.maxima = maxima_.data() + row;
    s.totals = totals_.data() + row;
    span_(s);
  }
}

// Partial softmaxes relative to their own maxima, brought to the common one.
void CpuDecode::merge(const Merge& merge) {
  const AttentionShape& shape = cache_.shape();
  const auto width = static_cast<std::size_t>(shape.value_dim);
  for (int q = 0; q < shape.query_heads; ++q) {
    const auto row_of = [&](int slot) {
      return static_cast<std::size_t>((merge.first_slot + slot) * shape.query_heads + q);
    };
    float highest = maxima_[row_of(0)];
    for (int i = 1; i < merge.slots; ++i) highest = std::max(highest, maxima_[row_of(i)]);
    float total = 0;
    for (int i = 0; i < merge.slots; ++i)
      total += totals_[row_of(i)] * std::exp2(maxima_[row_of(i)] - highest);
    float* const out =
        result_.data() + static_cast<std::size_t>(merge.sequence * shape.query_heads + q) * width;
    for (int i = 0; i < merge.slots; ++i) {
      const float share = std::exp2(maxima_[row_of(i)] - highest) / total;
      const float* const sums = sums_.data() + row_of(i) * width;
      for (std::size_t d = 0; d < width; ++d)
        out[d] = i == 0 ? share * sums[d] : out[d] + share * sums[d];
    }
  }
}

double CpuDecode::run_s(std::size_t repeats) {
  const double begin = now_s();
  for (std::size_t r = 0; r < repeats; ++r) {
    team_.run([&](int member) { one_member(member); });
    team_.run([&](int member) {
      const machine::Share share =
          machine::share_of(schedule_.merges.size(), member, team_.size(), 1);
      for (std::size_t i = share.begin; i < share.end; ++i) merge(schedule_.merges[i]);
    });
  }
  return now_s() - begin;
}

double CpuDecode::read_s(std::size_t repeats) {
  const double begin = now_s();
  for (std::size_t r = 0; r < repeats; ++r) {
    team_.run([&](int member) {
      const machine::Share share =
          machine::share_of(cache_.pool_bytes() / 64, member, team_.size(), 64);
      volatile std::uint64_t sink =
          read_(cache_.pool() + share.begin * 64, (share.end - share.begin) * 64);
      (void)sink;
    });
  }
  return now_s() - begin;
}

double CpuDecode::error(double most_products, std::uint64_t& compared) const {
  const AttentionShape& shape = cache_.shape();
  const int group = shape.queries_per_kv_head();
  const auto heads = cache_.lengths().size() * static_cast<std::size_t>(shape.query_heads);
  double worst = 0;
  double spent = 0;
  // A stride without a common divisor with powers of 2 meets every place of a group.
  const double each = work_of(shape, cache_.lengths()).flops / 2 / static_cast<double>(heads);
  const auto wanted = static_cast<std::size_t>(std::max(1.0, most_products / each));
  const std::size_t stride = heads <= wanted ? 1 : (heads / wanted) | 1;
  for (std::size_t i = 0; i < heads && spent < 2 * most_products; i += stride) {
    const auto sequence = static_cast<int>(i / static_cast<std::size_t>(shape.query_heads));
    const int kv_head = static_cast<int>(i % static_cast<std::size_t>(shape.query_heads)) / group;
    const std::int64_t tokens = cache_.lengths()[static_cast<std::size_t>(sequence)];
    const std::vector<double> expected = reference_attention(
        queries_.data() + i * static_cast<std::size_t>(shape.key_dim), shape.key_dim,
        shape.value_dim, tokens, scale_of(shape),
        [&](std::int64_t t, int d) { return cache_.key(sequence, kv_head, t, d); },
        [&](std::int64_t t, int d) { return cache_.value(sequence, kv_head, t, d); });
    const double error =
        error_ratio(result_.data() + i * static_cast<std::size_t>(shape.value_dim), expected);
    worst = worse_error(worst, error);
    spent += static_cast<double>(tokens) * (shape.key_dim + shape.value_dim);
    ++compared;
  }
  return worst;
}

}  // namespace hpclab::kvcache::decode
