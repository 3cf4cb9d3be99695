// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/gpu_decode.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/kvcache/decode/kernels.hpp"
#include "kvcache/decode/half.hpp"
#include "kvcache/decode/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hpclab::kvcache::decode {
namespace {

constexpr unsigned read_blocks = 1056;
constexpr unsigned read_threads = 512;

bool is_bfloat(const AttentionShape& shape) {
  if (shape.format != CacheFormat::bf16 && shape.format != CacheFormat::fp16)
    throw UsageError("decode kernels of the GPU read bf16 and fp16");
  return shape.format == CacheFormat::bf16;
}

// Magnitudes 1/2 to 1 with both signs, two to a word; 16 MiB of them, repeated.
void fill(cuda::Runtime& runtime, cuda::Buffer<std::uint32_t>& pool, bool bfloat,
          std::uint64_t seed) {
  const std::size_t first = std::min<std::size_t>(pool.size(), (std::size_t{1} << 22) - 3);
  RandomStream random(seed, "pool");
  std::vector<std::uint32_t> host(first);
  for (std::uint32_t& word : host) {
    const auto bits = static_cast<std::uint32_t>(random.bits64());
    word = bfloat ? (bits & 0x807f807fu) | 0x3f003f00u : (bits & 0x83ff83ffu) | 0x38003800u;
  }
  pool.upload(host);
  for (std::size_t filled = first; filled < pool.size();) {
    const std::size_t more = std::min(filled, pool.size() - filled);
    runtime.copy(pool.data() + filled, pool.data(), more * 4, cuda::Direction::on_device, nullptr);
    filled += more;
  }
  runtime.synchronize(nullptr);
}

int groups_of(const AttentionShape& shape) {
  return (shape.queries_per_kv_head() + block_queries - 1) / block_queries;
}

}  // namespace

int persistent_blocks(cuda::Runtime& runtime, const AttentionShape& shape) {
  if (runtime.backend() == cuda::Backend::emulator) return 3;
  const auto kernel = kernels::span(is_bfloat(shape), shape.key_dim, shape.value_dim);
  const int resident = runtime.resident_blocks(kernel.device_function, block_threads, 0);
  return runtime.facts().multiprocessors * std::max(1, resident);
}

GpuDecode::GpuDecode(cuda::Runtime& runtime, const AttentionShape& shape,
                     const std::vector<std::int64_t>& lengths, Placement placement,
                     Partition partition, int blocks, std::uint64_t seed)
    : runtime_(runtime),
      shape_(shape),
      lengths_(lengths),
      block_tables_(make_block_tables(lengths, shape.page_tokens, placement, seed)),
      queries_(make_queries(shape, lengths.size(), seed)),
      blocks_(blocks) {
  kernels::span(is_bfloat(shape), shape.key_dim, shape.value_dim);  // throws where there is none
  const auto rows = static_cast<std::size_t>(block_tables_.pages) *
                    static_cast<std::size_t>(shape.kv_heads * shape.page_tokens);
  keys_ = {runtime, rows * static_cast<std::size_t>(shape.key_dim / 2)};
  fill(runtime, keys_, is_bfloat(shape), seed);
  if (!shape.latent) {
    values_ = {runtime, rows * static_cast<std::size_t>(shape.value_dim / 2)};
    fill(runtime, values_, is_bfloat(shape), seed + 1);
  }
  queries_on_device_ = {runtime, std::span<const float>(queries_)};
  std::vector<std::int32_t> tables, begins;
  for (const auto& table : block_tables_.tables) {
    begins.push_back(static_cast<std::int32_t>(tables.size()));
    tables.insert(tables.end(), table.begin(), table.end());
  }
  tables_ = {runtime, std::span<const std::int32_t>(tables)};
  table_begin_ = {runtime, std::span<const std::int32_t>(begins)};
  schedule(partition, blocks);
  const auto slot_rows = static_cast<std::size_t>(slots_) * block_queries;
  sums_ = {runtime, slot_rows * static_cast<std::size_t>(shape.value_dim)};
  maxima_ = {runtime, slot_rows};
  totals_ = {runtime, slot_rows};
  result_ = {runtime, lengths.size() * static_cast<std::size_t>(shape.query_heads) *
                          static_cast<std::size_t>(shape.value_dim)};
  read_sums_ = {runtime, std::size_t{read_blocks} * read_threads};
}

// A head of the schedule is up to block_queries queries of a key-value head; those of one lie side
// by side, so that their rows are read again while L2 still has them.
void GpuDecode::schedule(Partition partition, int blocks) {
  const int groups = groups_of(shape_);
  const int per_head = shape_.queries_per_kv_head();
  const Schedule made =
      make_schedule(lengths_, shape_.kv_heads * groups, gpu_tile_tokens, blocks, partition);
  const auto queries_of = [&](int group) {
    return std::min(block_queries, per_head - group * block_queries);
  };
  std::vector<GpuSpan> spans;
  std::vector<std::int32_t> begins{0};
  for (const auto& member : made.members) {
    for (const Span& span : member) {
      const int head = span.kv_head / groups, group = span.kv_head % groups;
      const std::int64_t length = lengths_[static_cast<std::size_t>(span.sequence)];
      GpuSpan out;
      out.sequence = span.sequence;
      out.kv_head = head;
      out.first_query = head * per_head + group * block_queries;
      out.queries = queries_of(group);
      out.first_token = span.first_tile * gpu_tile_tokens;
      out.tokens = static_cast<std::int32_t>(std::min<std::int64_t>(
          std::int64_t{span.tiles} * gpu_tile_tokens, length - out.first_token));
      out.slot = span.slot;
      spans.push_back(out);
    }
    begins.push_back(static_cast<std::int32_t>(spans.size()));
  }
  std::vector<GpuMerge> merges;
  for (const Merge& merge : made.merges) {
    const int head = merge.kv_head / groups, group = merge.kv_head % groups;
    merges.push_back({merge.first_slot, merge.slots,
                      merge.sequence * shape_.query_heads + head * per_head + group * block_queries,
                      queries_of(group)});
  }
  slots_ = made.slots;
  spans_ = {runtime_, std::span<const GpuSpan>(spans)};
  span_begin_ = {runtime_, std::span<const std::int32_t>(begins)};
  merges_ = {runtime_, std::span<const GpuMerge>(merges)};
}

void GpuDecode::enqueue(cuda::StreamHandle stream) {
  SpanLaunch s;
  s.keys = keys_.data();
  s.values = shape_.latent ? keys_.data() : values_.data();
  s.queries = queries_on_device_.data();
  s.tables = tables_.data();
  s.table_begin = table_begin_.data();
  s.spans = spans_.data();
  s.span_begin = span_begin_.data();
  s.query_heads = shape_.query_heads;
  s.kv_heads = shape_.kv_heads;
  s.page_tokens = shape_.page_tokens;
  s.value_row_words = (shape_.latent ? shape_.key_dim : shape_.value_dim) / 2;
  s.scale =
      static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(shape_.key_dim)));
  s.sums = sums_.data();
  s.maxima = maxima_.data();
  s.totals = totals_.data();
  cuda::launch(runtime_, kernels::span(is_bfloat(shape_), shape_.key_dim, shape_.value_dim),
               {{static_cast<unsigned>(blocks_)}, {block_threads}, 0, stream}, s);
  MergeLaunch m;
  m.merges = merges_.data();
  m.sums = sums_.data();
  m.maxima = maxima_.data();
  m.totals = totals_.data();
  m.value_dim = shape_.value_dim;
  m.result = result_.data();
  cuda::launch(runtime_, kernels::merge(),
               {{static_cast<unsigned>(merges_.size())}, {block_threads}, 0, stream}, m);
}

void GpuDecode::enqueue_read(cuda::StreamHandle stream) {
  for (const auto* pool : {&keys_, &values_}) {
    if (pool->size() == 0) continue;
    ReadLaunch r{pool->data(), pool->size() / 4 * 4, read_sums_.data()};
    cuda::launch(runtime_, kernels::read(), {{read_blocks}, {read_threads}, 0, stream}, r);
  }
}

double GpuDecode::pool_bytes() const {
  return static_cast<double>(keys_.bytes() + values_.bytes());
}

double GpuDecode::error(std::uint64_t& compared) const {
  const std::vector<std::uint32_t> keys = keys_.download();
  const std::vector<std::uint32_t> values = shape_.latent ? keys : values_.download();
  const std::vector<float> result = result_.download();
  const int value_row = shape_.latent ? shape_.key_dim : shape_.value_dim;
  const auto element = [&](const std::vector<std::uint32_t>& pool, int width, std::size_t sequence,
                           int head, std::int64_t token, int d) -> double {
    const std::int64_t page =
        block_tables_.tables[sequence][static_cast<std::size_t>(token / shape_.page_tokens)];
    const std::int64_t row =
        (page * shape_.kv_heads + head) * shape_.page_tokens + token % shape_.page_tokens;
    const std::uint32_t word = pool[static_cast<std::size_t>(row * (width / 2) + d / 2)];
    const auto bits = static_cast<std::uint16_t>(d % 2 == 0 ? word & 0xffffu : word >> 16);
    return shape_.format == CacheFormat::bf16 ? from_bfloat(bits) : from_half(bits);
  };
  double worst = 0;
  for (std::size_t s = 0; s < lengths_.size(); ++s) {
    for (int q = 0; q < shape_.query_heads; ++q) {
      const int head = q / shape_.queries_per_kv_head();
      const std::size_t row =
          s * static_cast<std::size_t>(shape_.query_heads) + static_cast<std::size_t>(q);
      const auto expected = reference_attention(
          queries_.data() + row * static_cast<std::size_t>(shape_.key_dim), shape_.key_dim,
          shape_.value_dim, lengths_[s], 1 / std::sqrt(static_cast<double>(shape_.key_dim)),
          [&](std::int64_t t, int d) { return element(keys, shape_.key_dim, s, head, t, d); },
          [&](std::int64_t t, int d) { return element(values, value_row, s, head, t, d); });
      const double error =
          error_ratio(result.data() + row * static_cast<std::size_t>(shape_.value_dim), expected);
      worst = worse_error(worst, error);
      ++compared;
    }
  }
  return worst;
}

}  // namespace hpclab::kvcache::decode
