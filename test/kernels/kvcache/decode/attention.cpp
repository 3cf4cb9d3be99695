// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/kvcache/decode/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"
#include "kvcache/decode/gpu_decode.hpp"

#include <numeric>
#include <vector>

using namespace hpclab;
using namespace hpclab::kvcache::decode;

namespace {

AttentionShape shape_of(bool latent, int query_heads, int kv_heads, CacheFormat format, int page) {
  AttentionShape shape;
  shape.latent = latent;
  shape.query_heads = query_heads;
  shape.kv_heads = kv_heads;
  shape.key_dim = latent ? 576 : 128;
  shape.value_dim = latent ? 512 : 128;
  shape.format = format;
  shape.page_tokens = page;
  return shape;
}

void check(const AttentionShape& shape, const std::vector<std::int64_t>& lengths,
           Partition partition, int blocks) {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    GpuDecode decode(*runtime, shape, lengths, Placement::shuffled, partition, blocks, 5);
    decode.enqueue(nullptr);
    runtime->synchronize(nullptr);
    std::uint64_t compared = 0;
    const double error = decode.error(compared);
    INFO(describe(shape) << ", " << blocks << " blocks");
    CHECK(compared == lengths.size() * static_cast<std::uint64_t>(shape.query_heads));
    CHECK(error <= GpuDecode::tolerance);
  }
}

}  // namespace

TEST_CASE("decode kernel: is grouped attention equal to its definition, with odd ends and cuts?") {
  check(shape_of(false, 8, 2, CacheFormat::bf16, 16), {1, 37, 5}, Partition::even, 3);
  check(shape_of(false, 8, 2, CacheFormat::fp16, 32), {70}, Partition::even, 4);
}

TEST_CASE("decode kernel: are whole sequences and blocks without work right?") {
  check(shape_of(false, 2, 2, CacheFormat::bf16, 48), {50, 3}, Partition::sequence, 7);
}

TEST_CASE("decode kernel: are groups right that fill no block of queries?") {
  check(shape_of(false, 3, 1, CacheFormat::fp16, 16), {20}, Partition::even, 2);
  check(shape_of(false, 7, 1, CacheFormat::bf16, 16), {20}, Partition::even, 2);
}

TEST_CASE("decode kernel: is latent attention right, where values are parts of keys?") {
  check(shape_of(true, 5, 1, CacheFormat::bf16, 16), {19, 2}, Partition::even, 2);
  check(shape_of(true, 4, 1, CacheFormat::fp16, 16), {9}, Partition::even, 1);
}

TEST_CASE("decode kernel: does the read kernel see every word once?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    std::vector<std::uint32_t> words(1036);
    std::iota(words.begin(), words.end(), 7u);
    cuda::Buffer<std::uint32_t> pool(*runtime, words);
    cuda::Buffer<std::uint32_t> sums(*runtime, 3 * 64);
    cuda::launch(*runtime, kernels::read(), {{3}, {64}},
                 ReadLaunch{pool.data(), words.size(), sums.data()});
    const auto got = sums.download();
    CHECK(std::accumulate(got.begin(), got.end(), 0u) ==
          std::accumulate(words.begin(), words.end(), 0u));
  }
}

TEST_CASE("decode kernel: are sizes without a kernel refused with those that have one?") {
  CHECK_THROWS_WITH(kernels::span(true, 96, 96), Catch::Contains("128 and 128, or 576 and 512"));
  AttentionShape shape = shape_of(false, 8, 2, CacheFormat::q8_0, 16);
  const auto runtime = cuda::make_emulator();
  CHECK_THROWS_AS(GpuDecode(*runtime, shape, {5}, Placement::ordered, Partition::even, 1, 1),
                  UsageError);
}
