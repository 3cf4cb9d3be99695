// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/residency/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"

#include <cmath>
#include <vector>

using namespace hpclab;
using namespace hpclab::roofline::residency;
using cuda::Buffer;

namespace {

// The declared sweep by plain loops; planes outside begin to end keep what `out` holds.
template <class T>
std::vector<T> expected(const StencilSweep<T>& s, const std::vector<T>& in, std::vector<T> out) {
  const std::size_t edge = s.edge;
  const std::size_t plane = s.dimensions == 3 ? edge * edge : edge;
  for (std::size_t i = s.begin * plane; i < s.end * plane; ++i) {
    bool inside = true;
    for (std::size_t stride = 1, d = 0; d < s.dimensions; ++d, stride *= edge) {
      const std::size_t at = i / stride % edge;
      inside = inside && at > 0 && at + 1 < edge;
    }
    out[i] = in[i];
    if (!inside) continue;
    T sum = in[i - 1] + in[i + 1];
    for (std::size_t stride = edge, d = 1; d < s.dimensions; ++d, stride *= edge) {
      sum = sum + in[i - stride];
      sum = sum + in[i + stride];
    }
    out[i] = std::fma(s.neighbour, sum, s.centre * in[i]);
  }
  return out;
}

template <class T>
void check(cuda::Runtime& runtime, StencilSweep<T> s) {
  const std::size_t points = s.dimensions == 3 ? s.edge * s.edge * s.edge : s.edge * s.edge;
  std::vector<T> data(points);
  for (std::size_t i = 0; i < points; ++i) data[i] = static_cast<T>(i * 37 % 101) / 7;
  const std::vector<T> before(points, T{-5});
  const Buffer<T> in(runtime, data);
  Buffer<T> out(runtime, before);
  s.in = in.data();
  s.out = out.data();
  s.centre = T{2} / 5;
  s.neighbour = T{1} / 10;
  for (const unsigned threads : {32u, 96u}) {
    out.upload(before);
    launch(runtime, kernels::stencil<T>(s.dimensions), kernels::stencil_shape(s, threads, nullptr),
           s);
    INFO("edge " << s.edge << ", planes " << s.begin << " to " << s.end);
    REQUIRE(out.download() == expected(s, data, before));
  }
}

}  // namespace

TEST_CASE(
    "stencil: is every point equal to the declared sweep, at every edge and for any planes?") {
  for (const auto& make : test::machines()) {
    const auto runtime = make();
    for (const std::uint32_t dimensions : {2u, 3u}) {
      for (const std::uint32_t edge : {3u, 8u, 11u, 35u}) {
        if (dimensions == 3 && edge == 35) continue;
        for (const auto& [begin, end] : {std::pair{0u, edge}, std::pair{1u, edge - 1},
                                         std::pair{edge / 2, edge}, std::pair{2u, 2u}}) {
          StencilSweep<double> wide;
          wide.dimensions = dimensions;
          wide.edge = edge;
          wide.begin = begin;
          wide.end = end;
          check(*runtime, wide);
          StencilSweep<float> narrow;
          narrow.dimensions = dimensions;
          narrow.edge = edge;
          narrow.begin = begin;
          narrow.end = end;
          check(*runtime, narrow);
        }
      }
    }
  }
}

TEST_CASE("stencil: is a number of dimensions without a kernel refused?") {
  CHECK_THROWS_AS(kernels::stencil<double>(1), UsageError);
  CHECK_THROWS_AS(kernels::stencil<float>(4), UsageError);
}

TEST_CASE("stencil: does the declared work read and write each point once?") {
  StencilSweep<double> s;
  s.edge = 10;
  s.begin = 2;
  s.end = 7;
  CHECK(work::stencil(s).read_bytes == 8 * 500);
  CHECK(work::stencil(s).write_bytes == 8 * 500);
  CHECK(work::stencil(s).flops == 8 * 500);  // 5 additions, 2 products, their sum
  s.dimensions = 2;
  CHECK(work::stencil(s).flops == 6 * 50);
}
