// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Exact weight bytes from what checkpoints state of themselves: the header of a safetensors file,
// or the index of a sharded one. Data of tensors is never read.
#pragma once

#include "core/json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::kvcache {

struct TensorEntry {
  std::string name;
  std::string type;  ///< "BF16", "F8_E4M3", "U8", ...
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

/// Tensors of a header. `text` begins with the header's length (8 bytes, little endian) and holds
/// all of the header; data may follow or be absent. UsageError: length beyond the text or above
/// 100 MB, JSON that is none, offsets that run backwards or disagree with shape and type.
std::vector<TensorEntry> parse_safetensors_header(std::string_view text, const std::string& where);

/// Bytes of all tensors of one file, of which only the header is read.
std::int64_t safetensors_weight_bytes(const std::filesystem::path& file);

/// Bytes of all shards of an index: the sum of their headers when all of them lie beside it, else
/// metadata.total_size. UsageError when neither is there.
std::int64_t index_weight_bytes(const std::filesystem::path& file);

}  // namespace hpclab::kvcache
