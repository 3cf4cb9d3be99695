// hpclab: SPDX-License-Identifier: Apache-2.0
//
// 8-bit integer dot products (AVX512-VNNI): each of 16 int32 lanes adds four products of an
// unsigned and a signed byte, 128 operations an instruction.
#include "roofline/ceilings/peak_table.hpp"

#include <immintrin.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr int accumulators = 12;
constexpr int steps = 2;

// The second step subtracts what the first added: sums stay within int32 for any number of trips.
double run(std::size_t iterations) {
  __m512i x[accumulators];
#pragma GCC unroll 12
  for (int i = 0; i < accumulators; ++i) x[i] = _mm512_set1_epi32(i + 1);
  const __m512i a = _mm512_set1_epi32(0x5B2D97C3);     // unsigned bytes C3 97 2D 5B
  const __m512i plus = _mm512_set1_epi32(0x1F6B2A55);  // signed bytes 85 42 107 31
  const __m512i minus = _mm512_set1_epi32(static_cast<int>(0xE195D6ABU));  // their negatives
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i) x[i] = _mm512_dpbusd_epi32(x[i], a, plus);
#pragma GCC unroll 12
    for (int i = 0; i < accumulators; ++i) x[i] = _mm512_dpbusd_epi32(x[i], a, minus);
  }
  double sum = 0;
#pragma GCC unroll 12
  for (int i = 0; i < accumulators; ++i) {
    alignas(64) int lane[16];
    _mm512_store_si512(lane, x[i]);
    sum += sum_of(lane);
  }
  return sum;
}

}  // namespace

const PeakBody peak_avx512_int8 = {run, accumulators, steps* accumulators, 128};

}  // namespace hpclab::roofline::ceilings
