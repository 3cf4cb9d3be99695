// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"

#include <vector>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
using cuda::Buffer;

namespace {

/// What one thread must sum: the word it reads in load k of an iteration, by definition.
std::uint32_t expected_sum(unsigned thread, unsigned ways, unsigned iterations, unsigned words) {
  std::uint32_t sum = 0;
  for (unsigned iteration = 0; iteration < iterations; ++iteration) {
    for (unsigned k = 0; k < shared_read_unroll; ++k) {
      const unsigned row = (iteration + thread / 32) % shared_read_rows + k;
      const unsigned index = thread % 32 * ways + 32 * row;
      for (unsigned w = 0; w < words; ++w) {
        sum += shared_word(words * index + w);
      }
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("shared read: does every thread sum the words of its lane in every order?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const unsigned threads : {32u, 96u, 200u}) {
      for (const unsigned ways : {1u, 2u, 8u, 32u}) {
        for (const int bytes : {4, 16}) {
          if (bytes == 16 && ways > 1) {
            continue;
          }
          Buffer<std::uint32_t> out(*runtime, 2 * threads);
          SharedRead s;
          s.out = out.data();
          s.ways = ways;
          s.iterations = 19;
          launch(*runtime, kernels::shared_read(bytes), {{2}, {threads}}, s);
          const auto result = out.download();
          for (unsigned t = 0; t < 2 * threads; ++t) {
            REQUIRE(result[t] ==
                    expected_sum(t % threads, ways, 19, static_cast<unsigned>(bytes) / 4));
          }
        }
      }
    }
  }
}

TEST_CASE("shared read: do the declared wavefronts follow from the banks?") {
  for (const unsigned ways : {1u, 2u, 4u, 8u, 16u, 32u}) {
    // Oracle: distinct words of one warp's load in the fullest of 32 banks.
    unsigned in_bank[32] = {};
    unsigned most = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      most = std::max(most, ++in_bank[lane * ways % 32]);
    }
    SharedRead s;
    s.ways = ways;
    s.iterations = 1;
    CHECK(work::shared_read(4, s, 64).shared_wavefronts == 2.0 * shared_read_unroll * most);
  }
  SharedRead s;
  s.iterations = 10;
  CHECK(work::shared_read(16, s, 32).shared_wavefronts == 10.0 * shared_read_unroll * 4);
}

TEST_CASE("transpose: is every word in its place for odd shapes, by block and by warp?") {
  struct Shape {
    unsigned rows, columns;
  };
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const Shape shape : {Shape{1, 1}, Shape{33, 65}, Shape{96, 64}, Shape{31, 100}}) {
      std::vector<std::uint32_t> values(shape.rows * shape.columns);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::uint32_t>(3 * i + 1);
      }
      const Buffer<std::uint32_t> in(*runtime, values);
      for (const bool padded : {false, true}) {
        for (const bool by_warp : {false, true}) {
          Buffer<std::uint32_t> out(*runtime, values.size());
          const Transpose t{in.data(), out.data(), shape.rows, shape.columns};
          if (by_warp) {
            const cuda::LaunchShape launch_shape{
                {2}, {64}, kernels::warp_transpose_shared_bytes(padded, 64)};
            launch(*runtime, kernels::warp_transpose(padded), launch_shape, t);
          } else {
            launch(*runtime, kernels::block_transpose(padded),
                   {{2}, {transpose_tile, transpose_block_rows}}, t);
          }
          const auto result = out.download();
          for (unsigned i = 0; i < shape.rows; ++i) {
            for (unsigned j = 0; j < shape.columns; ++j) {
              REQUIRE(result[j * shape.rows + i] == values[i * shape.columns + j]);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("transpose: does the declared work count a 32-way conflict only without padding?") {
  Transpose t;
  t.rows = 64;
  t.columns = 32;
  CHECK(work::transpose(true, t).shared_wavefronts == 128);
  CHECK(work::transpose(false, t).shared_wavefronts == 64 + 64 * 32);
  CHECK(work::transpose(true, t).read_bytes == 8192);
}
