// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"

#include <cstring>
#include <random>
#include <vector>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
using cuda::Buffer;

namespace {

// Vectors: none, fewer than a block, whole tiles, and odd ends; grids that do and do not divide
// them.
constexpr std::uint64_t sizes[] = {0, 1, 37, 1024, 1536, 2051};
struct Grid {
  unsigned blocks, threads;
};
constexpr Grid grids[] = {{1, 32}, {3, 64}, {5, 96}};

std::vector<Words4> random_vectors(std::uint64_t size) {
  std::mt19937 engine(42);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  std::vector<Words4> v(size);
  for (Words4& w : v) {
    w = {random(), random(), random(), random()};
  }
  return v;
}

std::uint32_t sum_of(const Words4& w) {
  return w.x + w.y + w.z + w.w;
}
bool equal(const Words4& a, const Words4& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

std::uint32_t total(const Buffer<std::uint32_t>& sums) {
  std::uint32_t t = 0;
  for (const std::uint32_t s : sums.download()) {
    t += s;
  }
  return t;
}

template <class Visit>
void for_all(Visit visit) {
  for (const auto& make : test::machines()) {
    for (const std::uint64_t size : sizes) {
      for (const Grid grid : grids) {
        const auto runtime = make();
        visit(*runtime, size, grid);
      }
    }
  }
}

}  // namespace

TEST_CASE("streams: does read sum every word once in each pass, at every size?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    const auto data = random_vectors(size);
    std::uint32_t expected = 0;
    for (const Words4& w : data) {
      expected += 3 * sum_of(w);
    }
    const Buffer<Words4> in(runtime, data);
    Buffer<std::uint32_t> sums(runtime, grid.blocks);
    WordStream s;
    s.in = in.data();
    s.sums = sums.data();
    s.vectors = size;
    s.passes = 3;
    for (const int unroll : {1, 2, 4, 8}) {
      launch(runtime, kernels::stream(StreamKind::read, unroll), {{grid.blocks}, {grid.threads}},
             s);
      REQUIRE(total(sums) == expected);
    }
  });
}

TEST_CASE("streams: does the staged read sum every word once in each pass, at every size?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    const auto data = random_vectors(size);
    std::uint32_t expected = 0;
    for (const Words4& w : data) {
      expected += 2 * sum_of(w);
    }
    const Buffer<Words4> in(runtime, data);
    Buffer<std::uint32_t> sums(runtime, grid.blocks);
    WordStream s;
    s.in = in.data();
    s.sums = sums.data();
    s.vectors = size;
    s.passes = 2;
    for (const int stages : {2, 4, 8}) {
      const cuda::LaunchShape shape{
          {grid.blocks}, {grid.threads}, kernels::staged_read_shared_bytes(stages, grid.threads)};
      launch(runtime, kernels::staged_read(stages), shape, s);
      REQUIRE(total(sums) == expected);
    }
  });
}

TEST_CASE("streams: does write store the generated vectors, all of them and no more?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    for (const int unroll : {1, 2, 4, 8}) {
      Buffer<Words4> out(runtime, size + 1);
      runtime.fill(out.data(), 0xcd, out.bytes(), nullptr);
      WordStream s;
      s.out = out.data();
      s.vectors = size;
      s.seed = 99;
      launch(runtime, kernels::stream(StreamKind::write, unroll), {{grid.blocks}, {grid.threads}},
             s);
      const auto result = out.download();
      for (std::uint64_t i = 0; i < size; ++i) {
        REQUIRE(equal(result[i], generated(i, 99)));
      }
      REQUIRE(result[size].x == 0xcdcdcdcdu);
    }
  });
}

TEST_CASE("streams: does copy copy every vector at every size?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    const auto data = random_vectors(size);
    const Buffer<Words4> in(runtime, data);
    for (const int unroll : {1, 2, 4, 8}) {
      Buffer<Words4> out(runtime, size);
      WordStream s;
      s.in = in.data();
      s.out = out.data();
      s.vectors = size;
      launch(runtime, kernels::stream(StreamKind::copy, unroll), {{grid.blocks}, {grid.threads}},
             s);
      const auto result = out.download();
      for (std::uint64_t i = 0; i < size; ++i) {
        REQUIRE(equal(result[i], data[i]));
      }
    }
  });
}

TEST_CASE("streams: is triad exact on integers at every size?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    std::vector<Doubles2> b(size), c(size);
    for (std::uint64_t i = 0; i < size; ++i) {
      const auto d = static_cast<double>(i);
      b[i] = {d, 2 * d + 1};
      c[i] = {1000 - d, 7 * d};
    }
    const Buffer<Doubles2> b_in(runtime, b);
    const Buffer<Doubles2> c_in(runtime, c);
    for (const int unroll : {1, 2, 4}) {
      Buffer<Doubles2> a(runtime, size);
      TriadStream s;
      s.b = b_in.data();
      s.c = c_in.data();
      s.a = a.data();
      s.scale = 3;
      s.vectors = size;
      launch(runtime, kernels::triad(unroll), {{grid.blocks}, {grid.threads}}, s);
      const auto result = a.download();
      for (std::uint64_t i = 0; i < size; ++i) {
        REQUIRE(result[i].x == b[i].x + 3 * c[i].x);
        REQUIRE(result[i].y == b[i].y + 3 * c[i].y);
      }
    }
  });
}

TEST_CASE("streams: does mix read k of 8 and write the others, as its declared work says?") {
  for_all([](cuda::Runtime& runtime, std::uint64_t size, Grid grid) {
    const auto data = random_vectors(size);
    const Buffer<Words4> in(runtime, data);
    for (int reads = 0; reads <= mix_vectors; ++reads) {
      Buffer<Words4> out(runtime, size);
      runtime.fill(out.data(), 0xcd, out.bytes(), nullptr);
      Buffer<std::uint32_t> sums(runtime, grid.blocks);
      WordStream s;
      s.in = in.data();
      s.out = out.data();
      s.sums = sums.data();
      s.vectors = size;
      s.seed = 5;
      launch(runtime, kernels::mix(reads), {{grid.blocks}, {grid.threads}}, s);
      const auto result = out.download();
      std::uint32_t expected = 0;
      std::uint64_t read = 0;
      for (std::uint64_t i = 0; i < size; ++i) {
        const bool is_read = static_cast<int>(i / grid.threads % mix_vectors) < reads;
        read += is_read;
        if (is_read) {
          expected += sum_of(data[i]);
          REQUIRE(result[i].x == 0xcdcdcdcdu);
        } else {
          REQUIRE(equal(result[i], generated(i, 5)));
        }
      }
      REQUIRE(total(sums) == expected);
      const auto work = work::mix(reads, s, grid.threads);
      REQUIRE(work.read_bytes == 16.0 * static_cast<double>(read));
      REQUIRE(work.write_bytes == 16.0 * static_cast<double>(size - read));
    }
  });
}

TEST_CASE("streams: is the declared work that of the stream convention?") {
  WordStream s;
  s.vectors = 1000;
  s.passes = 2;
  CHECK(work::stream(StreamKind::read, s).read_bytes == 32000);
  CHECK(work::stream(StreamKind::read, s).write_bytes == 0);
  CHECK(work::stream(StreamKind::write, s).write_bytes == 32000);
  CHECK(work::stream(StreamKind::copy, s).read_bytes == 32000);
  TriadStream t;
  t.vectors = 10;
  CHECK(work::triad(t).flops == 40);  // 20 doubles, a multiplication and an addition each
  CHECK(work::triad(t).read_bytes == 320);
  CHECK(work::triad(t).write_bytes == 160);
}

TEST_CASE("streams: does a variant that does not exist say which do?") {
  CHECK_THROWS_AS(kernels::stream(StreamKind::copy, 3), UsageError);
  CHECK_THROWS_AS(kernels::triad(8), UsageError);
  CHECK_THROWS_AS(kernels::mix(9), UsageError);
  CHECK_THROWS_AS(kernels::staged_read(3), UsageError);
}
