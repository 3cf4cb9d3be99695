// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/safetensors.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "kvcache/config_keys.hpp"

#include <array>
#include <fstream>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

constexpr std::array<std::pair<std::string_view, int>, 18> type_bits{{
    {"BOOL", 8},
    {"U8", 8},
    {"I8", 8},
    {"F8_E5M2", 8},
    {"F8_E4M3", 8},
    {"F8_E8M0", 8},
    {"I16", 16},
    {"U16", 16},
    {"F16", 16},
    {"BF16", 16},
    {"I32", 32},
    {"U32", 32},
    {"F32", 32},
    {"F64", 64},
    {"I64", 64},
    {"U64", 64},
    {"F4", 4},
    {"F6_E2M3", 6},
}};

std::uint64_t length_of(std::string_view text, const std::string& where) {
  if (text.size() < 8) {
    throw UsageError(fmt::format("{}: {} bytes are no safetensors file", where, text.size()));
  }
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(text[i]);
  if (length > longest_header) {
    throw UsageError(
        fmt::format("{}: a header of {} bytes is longer than the format allows", where, length));
  }
  return length;
}

TensorEntry entry_of(const std::string& name, const Json& json, const std::string& where) {
  const ConfigKeys keys(json, where, "/" + name);
  TensorEntry entry;
  entry.name = name;
  entry.type = keys.text("dtype", "");
  entry.shape = keys.integers("shape");
  const std::vector<std::int64_t> offsets = keys.integers("data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    keys.fail("data_offsets", "two offsets, the second not below the first, are needed");
  }
  entry.bytes = offsets[1] - offsets[0];
  for (const auto& [type, bits] : type_bits) {
    if (type != entry.type) continue;
    long double stated = static_cast<long double>(bits) / 8;
    for (std::int64_t extent : entry.shape) stated *= static_cast<long double>(extent);
    if (stated != static_cast<long double>(entry.bytes)) {
      keys.fail("data_offsets", fmt::format("{} bytes do not fit shape and type", entry.bytes));
    }
  }
  return entry;
}

}  // namespace

std::vector<TensorEntry> parse_safetensors_header(std::string_view text, const std::string& where) {
  const std::uint64_t length = length_of(text, where);
  if (length > text.size() - 8) {
    throw UsageError(
        fmt::format("{}: the header of {} bytes is cut after {}", where, length, text.size() - 8));
  }
  const Json header = parse_json(text.substr(8, length), where);
  if (!header.is_object()) throw UsageError(where + ": the header is no JSON object");
  std::vector<TensorEntry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name != "__metadata__") entries.push_back(entry_of(name, json, where));
  }
  return entries;
}

std::int64_t safetensors_weight_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(8, '\0');
  if (!in.read(text.data(), 8)) {
    throw UsageError(fmt::format("{}: cannot be read as a safetensors file", file.string()));
  }
  const std::uint64_t length = length_of(text, file.string());
  text.resize(8 + length);
  in.read(text.data() + 8, static_cast<std::streamsize>(length));
  text.resize(8 + static_cast<std::size_t>(in.gcount()));
  std::int64_t sum = 0;
  for (const TensorEntry& entry : parse_safetensors_header(text, file.string())) sum += entry.bytes;
  return sum;
}

std::int64_t index_weight_bytes(const std::filesystem::path& file) {
  const Json json = read_json_file(file);
  const ConfigKeys keys(json, file.string(), "");
  std::set<std::string> shards;
  if (const auto map = keys.object("weight_map")) {
    for (const auto& [tensor, shard] : map->json().items()) {
      if (!shard.is_string()) map->fail(tensor, "the name of a file is needed");
      shards.insert(shard.get<std::string>());
    }
  }
  std::int64_t sum = 0;
  bool complete = !shards.empty();
  for (const std::string& shard : shards) {
    const std::filesystem::path path = file.parent_path() / std::filesystem::path(shard).filename();
    std::error_code ignored;
    complete = complete && std::filesystem::is_regular_file(path, ignored);
    if (!complete) break;
    sum += safetensors_weight_bytes(path);
  }
  if (complete) return sum;
  const auto metadata = keys.object("metadata");
  const std::int64_t total = metadata ? metadata->integer("total_size", 0) : 0;
  if (total == 0) {
    throw UsageError(
        fmt::format("{}: /metadata/total_size is missing and not all shards lie beside the index",
                    file.string()));
  }
  return total;
}

}  // namespace hpclab::kvcache
