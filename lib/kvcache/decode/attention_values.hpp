// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Sums of weighted values.
// See attention_bodies.hpp for Vector; everything here has internal linkage.
#pragma once

#include "kvcache/decode/attention_scores.hpp"

#include <cstddef>
#include <cstdint>

namespace hpclab::kvcache::decode {
namespace {

/// Weights [tiles][G][16] to [tiles][16][G], those of q8_0 times the scales of dimensions `c` on.
template <typename V, CacheFormat format, int G>
[[gnu::always_inline]] inline void lay_weights(const Round& round, int dim, int c,
                                               const float* plain, float* weights) {
  float scaled[lanes];
  for (int i = 0; i < round.tiles; ++i) {
    typename V::Register scale = V::broadcast(1);
    if constexpr (format == CacheFormat::q8_0) {
      scale = V::from_half(round.values[i] + dim * lanes + c / scale_elements * 2 * lanes);
    }
    for (int g = 0; g < G; ++g) {
      V::store(scaled, V::multiply(V::load(plain + (i * G + g) * lanes), scale));
      for (int t = 0; t < lanes; ++t) weights[(i * lanes + t) * G + g] = scaled[t];
    }
  }
}

/// Dimensions c to c + 16 wide of sums [G][dim]: sums * shrink + weights x values.
template <typename V, CacheFormat format, int G, int wide>
[[gnu::always_inline]] inline void add_some(Round& round, int dim, int c, const float* weights,
                                            const float* shrink, float* sums) {
  constexpr std::size_t size = element_bytes<format>();
  constexpr std::size_t across = (format == CacheFormat::bf16 ? 2 : 1) * lanes * size;
  const std::size_t row = static_cast<std::size_t>(dim) * size;
  typename V::Register sum[wide][G];
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int r = 0; r < wide; ++r)
      sum[r][g] = V::multiply(V::load(sums + g * dim + c + r * lanes), V::broadcast(shrink[g]));
  }
  for (int i = 0; i < round.tiles; ++i) {
    const std::byte* from = round.values[i] + static_cast<std::size_t>(c / lanes) * across;
    const float* w = weights + i * lanes * G;
    for (int t = 0; t < lanes; t += 2, from += 2 * row, w += 2 * G) {
#pragma GCC unroll 4
      for (int r = 0; r < wide; ++r) {
        typename V::Register a, b;
        load_two<V, format>(from + static_cast<std::size_t>(r) * across, row, a, b);
#pragma GCC unroll 8
        for (int g = 0; g < G; ++g) {
          sum[r][g] = V::multiply_add(a, V::broadcast(w[g]), sum[r][g]);
          sum[r][g] = V::multiply_add(b, V::broadcast(w[G + g]), sum[r][g]);
        }
      }
    }
  }
#pragma GCC unroll 8
  for (int g = 0; g < G; ++g) {
#pragma GCC unroll 4
    for (int r = 0; r < wide; ++r) V::store(sums + g * dim + c + r * lanes, sum[r][g]);
  }
}

/// The values of latent attention are keys: turned once a tile, as every query needs them.
template <CacheFormat format>
inline void turn_keys(const std::byte* keys, int value_dim, std::byte* values) {
  if constexpr (format == CacheFormat::bf16) {
    const auto* in = reinterpret_cast<const std::uint32_t*>(keys);
    auto* out = reinterpret_cast<std::uint32_t*>(values);
    for (int d = 0; d < value_dim; d += 2) {
      for (int t = 0; t < lanes; t += 2) {
        const std::uint32_t a = in[d / 2 * lanes + t], b = in[d / 2 * lanes + t + 1];
        out[t / 2 * value_dim + d] = (a & 0xffffu) | b << 16;
        out[t / 2 * value_dim + d + 1] = a >> 16 | (b & 0xffff0000u);
      }
    }
  } else if constexpr (format != CacheFormat::q8_0) {
    constexpr std::size_t size = element_bytes<format>();
    for (int d = 0; d < value_dim; ++d) {
      for (int t = 0; t < lanes; ++t) {
        __builtin_memcpy(values + static_cast<std::size_t>(t * value_dim + d) * size,
                         keys + static_cast<std::size_t>(d * lanes + t) * size, size);
      }
    }
  }
}

}  // namespace
}  // namespace hpclab::kvcache::decode
