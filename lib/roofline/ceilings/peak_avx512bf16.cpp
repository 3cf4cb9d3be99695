// hpclab: SPDX-License-Identifier: Apache-2.0
//
// bf16 dot products (AVX512-BF16): each of 16 fp32 lanes adds two products of bf16 pairs, 64 flops
// an instruction.
#include "roofline/ceilings/peak_table.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr int accumulators = 12;
constexpr int steps = 2;

__m512bh pair_of(float low, float high) {
  return _mm512_cvtne2ps_pbh(_mm512_set1_ps(high), _mm512_set1_ps(low));
}

// The second step subtracts what the first added, so sums stay bounded for any number of trips; the
// products are exact in fp32 (8-bit significands), so there is no drift either.
double run(std::size_t iterations) {
  __m512 x[accumulators];
#pragma GCC unroll 12
  for (int i = 0; i < accumulators; ++i) x[i] = _mm512_set1_ps(0.125F * static_cast<float>(i + 1));
  const __m512bh a = pair_of(1.2343750F, 0.8046875F);
  const __m512bh plus = pair_of(1.5078125F, 1.3984375F);
  const __m512bh minus = pair_of(-1.5078125F, -1.3984375F);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i) x[i] = _mm512_dpbf16_ps(x[i], a, plus);
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i) x[i] = _mm512_dpbf16_ps(x[i], a, minus);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int i = 0; i < accumulators; ++i) {
    alignas(64) float lane[16];
    _mm512_store_ps(lane, x[i]);
    sum += sum_of(lane);
  }
  return sum;
}

}  // namespace

const PeakBody peak_avx512_bf16 = {run, accumulators, steps* accumulators, 64};

}  // namespace hpclab::roofline::ceilings
