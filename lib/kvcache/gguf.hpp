// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A model description and exact weight bytes from the header of a GGUF file (ggml's format,
// versions 2 and 3): key-value pairs and tensor shapes; data of tensors is never read.
#pragma once

#include "kvcache/model_description.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hpclab::kvcache {

/// A value of a header. Whole numbers of any width, numbers, flags, text, and lists of whole
/// numbers; of other lists (tokens) only the length is kept, as a list without numbers.
struct GgufList {
  std::uint64_t length = 0;
  std::vector<std::int64_t> numbers;
};
using GgufValue = std::variant<std::int64_t, double, bool, std::string, GgufList>;

struct GgufTensor {
  std::string name;
  std::uint32_t type = 0;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

struct GgufHeader {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue> values;
  std::vector<GgufTensor> tensors;
};

/// UsageError: no GGUF file, unknown version, counts or lengths beyond the text, unknown types.
GgufHeader parse_gguf_header(std::string_view text, const std::string& where);

/// UsageError for an architecture whose layers are not known, and for missing keys (all of them).
ModelDescription model_from_gguf(const GgufHeader& header, const std::string& origin);

/// Reads as much of the file as the header needs (at most 256 MiB).
ModelDescription read_gguf(const std::filesystem::path& file);

}  // namespace hpclab::kvcache
