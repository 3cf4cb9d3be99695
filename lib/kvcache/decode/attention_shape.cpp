// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/attention_shape.hpp"

#include "core/random_stream.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace hpclab::kvcache::decode {

std::size_t AttentionShape::tile_bytes() const {
  return tile_part_bytes(format, key_dim) + (latent ? 0 : tile_part_bytes(format, value_dim));
}

std::size_t AttentionShape::page_bytes() const {
  return tile_bytes() * static_cast<std::size_t>(page_tokens / tile_tokens * kv_heads);
}

std::string describe(const AttentionShape& shape) {
  const char* format = name_of(element_format(shape.format));
  if (shape.latent) {
    return fmt::format("MLA {} x {}+{} {}", shape.query_heads, shape.value_dim,
                       shape.key_dim - shape.value_dim, format);
  }
  const char* kind = shape.kv_heads == shape.query_heads ? "MHA"
                     : shape.kv_heads == 1               ? "MQA"
                                                         : "GQA";
  return fmt::format("{} {}:{} x {} {}", kind, shape.query_heads, shape.kv_heads, shape.key_dim,
                     format);
}

DecodeWork work_of(const AttentionShape& shape, const std::vector<std::int64_t>& lengths) {
  double tokens = 0;
  for (const std::int64_t length : lengths) tokens += static_cast<double>(length);
  const ElementFormat format = element_format(shape.format);
  const auto row =
      row_bytes(format, shape.key_dim) + (shape.latent ? 0 : row_bytes(format, shape.value_dim));
  return {tokens * static_cast<double>(shape.kv_heads * row),
          2 * tokens * shape.query_heads * (shape.key_dim + shape.value_dim)};
}

ElementFormat element_format(CacheFormat format) {
  switch (format) {
    case CacheFormat::fp32:
      return ElementFormat::fp32;
    case CacheFormat::fp16:
      return ElementFormat::fp16;
    case CacheFormat::bf16:
      return ElementFormat::bf16;
    case CacheFormat::q8_0:
      return ElementFormat::q8_0;
  }
  return ElementFormat::bf16;
}

std::vector<std::int64_t> make_lengths(Lengths kind, std::int64_t batch, std::int64_t context,
                                       std::uint64_t seed) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(batch), context);
  if (batch == 1) return lengths;
  if (kind == Lengths::skewed) {
    const std::int64_t all = batch * context;
    lengths[0] = all / 2;
    const std::int64_t rest = all - lengths[0];
    for (std::int64_t i = 1; i < batch; ++i) {
      lengths[static_cast<std::size_t>(i)] =
          std::max<std::int64_t>(1, rest * i / (batch - 1) - rest * (i - 1) / (batch - 1));
    }
  } else if (kind == Lengths::ragged) {
    RandomStream random(seed, "lengths");
    // Pairs whose mean is the context.
    for (std::size_t i = 0; i + 1 < lengths.size(); i += 2) {
      const auto away =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(context)));
      lengths[i] = context - away;
      lengths[i + 1] = context + away;
    }
  }
  return lengths;
}

}  // namespace hpclab::kvcache::decode
