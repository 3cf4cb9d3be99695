// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the translation units of each instruction set export, and the layout of a tile. No standard
// header beyond these: this is included where wider instructions than the caller's CPU may be
// generated.
//
// A tile holds 16 tokens of one key-value head, keys first, values behind them (none in latent
// attention, where the first value_dim elements of a key row are the value). Lanes of a register
// are tokens in keys and dimensions in values, so that no sum crosses lanes:
//   fp32, fp16   keys [dim][16],            values [16][dim]
//   bf16         keys [dim/2][16][2],       values [8][dim][2]: pairs for dot products
//   q8_0         keys int8 [dim][16] and fp16 scales [dim/32][16]; values int8 [16][dim], scales
//   alike
#pragma once

#include <cstddef>
#include <cstdint>

namespace hpclab::kvcache::decode {

inline constexpr int tile_tokens = 16;
/// Elements that share a scale in q8_0.
inline constexpr int scale_elements = 32;

enum class CacheFormat { fp32, fp16, bf16, q8_0 };
inline constexpr int format_count = 4;

/// Bytes of the keys, or of the values, of a tile; `dim` is even, for q8_0 a multiple of 32.
constexpr std::size_t tile_part_bytes(CacheFormat format, int dim) {
  const auto elements = static_cast<std::size_t>(dim) * tile_tokens;
  switch (format) {
    case CacheFormat::fp32:
      return elements * 4;
    case CacheFormat::fp16:
    case CacheFormat::bf16:
      return elements * 2;
    case CacheFormat::q8_0:
      return elements + elements / scale_elements * 2;
  }
  return 0;
}

/// A span of tiles of one sequence, for all its key-value heads and the queries of each, and where
/// the results go.
struct SpanArguments {
  const float* queries = nullptr;  ///< [heads][query_count][key_dim]
  int heads = 1;
  int query_count = 0;  ///< of one key-value head
  int key_dim = 0;      ///< a multiple of 2 (q8_0: 32)
  int value_dim = 0;    ///< a multiple of 16 (q8_0: 32)
  bool latent = false;
  float scale = 1;  ///< of scores, times log2 e: weights are powers of 2
  const std::byte* pool = nullptr;
  std::size_t page_bytes = 0;  ///< a page is [heads][page_tiles] tiles
  std::size_t tile_bytes = 0;
  int page_tiles = 1;
  const std::int32_t* pages = nullptr;  ///< the sequence's block table
  int first_tile = 0;
  int tiles = 0;
  int tokens = 0;  ///< of the sequence: those of the last tile beyond it are left out
  // Of [heads][query_count] rows:
  float* sums = nullptr;     ///< [rows][value_dim], sums of weighted values
  float* maxima = nullptr;   ///< [rows], largest score (times log2 e)
  float* totals = nullptr;   ///< [rows], sum of weights
  float* scratch = nullptr;  ///< scratch_floats(), aligned to 64 B
};

/// Floats of scratch memory for a span of so many rows.
constexpr std::size_t scratch_floats(int rows, int key_dim, int value_dim) {
  return static_cast<std::size_t>(rows * key_dim + 4 * tile_tokens * value_dim);
}

using SpanBody = void (*)(const SpanArguments& span);
/// Reads `bytes`, a multiple of 64, line by line; returns something that depends on all of them.
using ReadBody = std::uint64_t (*)(const std::byte* memory, std::size_t bytes);

struct AttentionBodies {
  SpanBody span[format_count];
  ReadBody read;
};

extern const AttentionBodies attention_bodies_scalar;
extern const AttentionBodies attention_bodies_avx2;
extern const AttentionBodies attention_bodies_avx512;
/// Keys and values of bf16 by dot products of pairs (AVX512-BF16).
extern const SpanBody span_bf16_avx512bf16;

}  // namespace hpclab::kvcache::decode
