// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/low_precision.cuh"

#include "kernels/support.hpp"

using namespace hpclab;
using namespace hpclab::cuda;

TEST_CASE(
    "low precision: does fp16 round to nearest even, overflow and go subnormal as IEEE 754?") {
  CHECK(Half2::round(2049.0) == 2048.0f);
  CHECK(Half2::round(2051.0) == 2052.0f);
  CHECK(Half2::round(65519.0) == 65504.0f);
  CHECK(Half2::round(65520.0) == HUGE_VALF);
  CHECK(Half2::round(-65520.0) == -HUGE_VALF);
  CHECK(Half2::round(std::ldexp(1.0, -24)) == std::ldexp(1.0f, -24));
  CHECK(Half2::round(std::ldexp(1.0, -25)) == 0.0f);
  CHECK(Half2::round(std::ldexp(3.0, -26)) == std::ldexp(1.0f, -24));
  CHECK(Half2::round(0.1) == 0.0999755859375f);
}

TEST_CASE("low precision: does bf16 keep eight significant bits?") {
  CHECK(Bfloat2::round(257.0) == 256.0f);
  CHECK(Bfloat2::round(259.0) == 260.0f);
  CHECK(Bfloat2::round(0.1) == 0.10009765625f);
}

TEST_CASE("low precision: is the multiply-add rounded once?") {
  // (1 + 3u)^2 - 1 = 6u + 9u^2 with u = 2^-10: rounding the product by itself would lose 9u^2.
  const double u = std::ldexp(1.0, -10);
  Half2 a{}, c{};
  set_pair(a, static_cast<float>(1 + 3 * u), 3.0f);
  set_pair(c, -1.0f, -9.0f);
  const Half2 r = fused_multiply_add(a, a, c);
  CHECK(r.low == Half2::round(6 * u + 9 * u * u));
  CHECK(double{r.low} != 6 * u);
  CHECK(r.high == 0.0f);
  CHECK(sum_of(r) == r.low);
}
