// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"

#include <numeric>
#include <vector>

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
using cuda::Buffer;

TEST_CASE("fma: are the chains exact in all four types, for even and odd numbers of steps?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const Precision precision :
         {Precision::fp64, Precision::fp32, Precision::fp16, Precision::bf16}) {
      const bool pairs = precision == Precision::fp16 || precision == Precision::bf16;
      for (const std::uint32_t loops : {0u, 1u, 3u}) {
        const unsigned threads = 2 * 37;
        Buffer<double> out(*runtime, threads);
        FmaChains s;
        s.out = out.data();
        s.loops = loops;
        launch(*runtime, kernels::fma(precision), {{2}, {37}}, s);
        const auto result = out.download();
        for (unsigned t = 0; t < threads; ++t) {
          double expected = 0;  // 32 rounds of x -> 1 - x bring every chain back
          for (unsigned c = 0; c < (pairs ? 2u : 1u) * fma_chains; ++c) {
            expected += static_cast<double>(fma_start(t, c));
          }
          REQUIRE(result[t] == expected);
        }
        REQUIRE(work::fma(precision, s, threads).flops == 74.0 * loops * 32 * 8 * (pairs ? 4 : 2));
      }
    }
  }
}

TEST_CASE("fma: does a multiply-add with other factors give the closed form of its recurrence?") {
  // x -> 0 * x + c ends at c in every chain: a kernel that skipped the arithmetic would not.
  const auto runtime = test::machines().front()();
  for (const Precision precision :
       {Precision::fp64, Precision::fp32, Precision::fp16, Precision::bf16}) {
    const bool pairs = precision == Precision::fp16 || precision == Precision::bf16;
    Buffer<double> out(*runtime, 5);
    FmaChains s;
    s.out = out.data();
    s.multiplier = 0;
    s.addend = 3;
    s.loops = 1;
    launch(*runtime, kernels::fma(precision), {{1}, {5}}, s);
    CHECK(out.download() == std::vector<double>(5, 3.0 * fma_chains * (pairs ? 2 : 1)));
  }
}

TEST_CASE("pointer chase: does every chain end where walking on the host ends?") {
  const std::uint32_t n = 1009;
  std::vector<std::uint32_t> next(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    next[i] = (i * 5 + 3) % n;
  }
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    const Buffer<std::uint32_t> table(*runtime, next);
    for (const int chains : {1, 2, 4, 8}) {
      const unsigned threads = 3 * 33;
      std::vector<std::uint32_t> starts(threads * static_cast<unsigned>(chains));
      std::iota(starts.begin(), starts.end(), 1u);
      const Buffer<std::uint32_t> start(*runtime, starts);
      Buffer<std::uint32_t> end(*runtime, starts.size());
      const PointerChase s{table.data(), start.data(), end.data(), 50};
      launch(*runtime, kernels::pointer_chase(chains), {{3}, {33}}, s);
      const auto result = end.download();
      for (std::size_t i = 0; i < starts.size(); ++i) {
        std::uint32_t at = starts[i];
        for (int step = 0; step < 50; ++step) {
          at = next[at];
        }
        REQUIRE(result[i] == at);
      }
      CHECK(work::pointer_chase(chains, s, threads).read_bytes == 32.0 * threads * chains * 50);
    }
  }
}

TEST_CASE("grid exchange: does every step see all of the step before, at odd sizes?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const std::uint32_t size : {1u, 97u, 640u, 1001u}) {
      for (const std::uint32_t steps : {1u, 4u, 7u}) {
        std::vector<std::uint32_t> host(size);
        for (std::uint32_t i = 0; i < size; ++i) {
          host[i] = i * i + 1;
        }
        Buffer<std::uint32_t> a(*runtime, host);
        Buffer<std::uint32_t> b(*runtime, size);
        cuda::LaunchShape shape{{5}, {64}};
        shape.cooperative = true;
        launch(*runtime, kernels::grid_exchange(), shape,
               GridExchange{a.data(), b.data(), size, steps});
        for (std::uint32_t step = 0; step < steps; ++step) {
          std::vector<std::uint32_t> after(size);
          for (std::uint32_t i = 0; i < size; ++i) {
            after[i] = host[(i + size - 1) % size] + host[(i + 1) % size];
          }
          host = after;
        }
        REQUIRE((steps % 2 == 0 ? a : b).download() == host);
      }
    }
  }
}

TEST_CASE("empty: does a kernel without parameters launch?") {
  const auto runtime = test::machines().front()();
  CHECK_NOTHROW(launch(*runtime, kernels::empty(), {{3}, {65}}));
}
