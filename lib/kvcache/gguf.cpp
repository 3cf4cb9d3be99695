// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/gguf.hpp"

#include "core/error.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

constexpr std::size_t longest_header = std::size_t{256} << 20;
constexpr std::uint64_t most_entries = 1'000'000;
constexpr std::int64_t most_elements = std::int64_t{1} << 48;

// Elements and bytes of a block by ggml's type number (ggml.h); {0, 0}: not in use.
struct Block {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
};
constexpr std::array<Block, 41> blocks{{
    {1, 4},     {1, 2},     {32, 18},   {32, 20},  {0, 0},     {0, 0},     {32, 22},
    {32, 24},   {32, 34},   {32, 36},   {256, 84}, {256, 110}, {256, 144}, {256, 176},
    {256, 210}, {256, 292}, {256, 66},  {256, 74}, {256, 98},  {256, 50},  {32, 18},
    {256, 110}, {256, 82},  {256, 136}, {1, 1},    {1, 2},     {1, 4},     {1, 8},
    {1, 8},     {256, 56},  {1, 2},     {0, 0},    {0, 0},     {0, 0},     {256, 54},
    {256, 66},  {0, 0},     {0, 0},     {0, 0},    {32, 17},   {64, 36},
}};

enum ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  text,
  list,
  u64,
  i64,
  f64
};

class Cursor {
 public:
  Cursor(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  template <class T>
  T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, text_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  std::string string() {
    const auto length = number<std::uint64_t>();
    need(length);
    std::string value(text_.substr(at_, length));
    at_ += length;
    return value;
  }

  void skip(std::uint64_t bytes) {
    need(bytes);
    at_ += bytes;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError(fmt::format("{}: byte {}: {}", where_, at_, why));
  }

 private:
  void need(std::uint64_t bytes) const {
    if (bytes > text_.size() - at_) fail("the header is cut, or no GGUF header");
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

std::int64_t whole(Cursor& cursor, std::uint32_t type) {
  switch (type) {
    case u8:
      return cursor.number<std::uint8_t>();
    case i8:
      return cursor.number<std::int8_t>();
    case u16:
      return cursor.number<std::uint16_t>();
    case i16:
      return cursor.number<std::int16_t>();
    case u32:
      return cursor.number<std::uint32_t>();
    case i32:
      return cursor.number<std::int32_t>();
    case boolean:
      return cursor.number<std::uint8_t>() != 0;
    case u64:
    case i64:
      return cursor.number<std::int64_t>();
    default:
      cursor.fail("a type that is no whole number");
  }
}

GgufList read_list(Cursor& cursor) {
  const auto type = cursor.number<std::uint32_t>();
  GgufList values;
  values.length = cursor.number<std::uint64_t>();
  switch (type) {
    case text:
      for (std::uint64_t i = 0; i < values.length; ++i) cursor.string();
      break;
    case f32:
      if (values.length > longest_header) cursor.fail("a list longer than any header");
      cursor.skip(values.length * 4);
      break;
    case f64:
      if (values.length > longest_header) cursor.fail("a list longer than any header");
      cursor.skip(values.length * 8);
      break;
    case list:
      cursor.fail("lists of lists are not read");
    default:
      for (std::uint64_t i = 0; i < values.length; ++i) {
        const std::int64_t value = whole(cursor, type);
        if (values.length <= most_entries) values.numbers.push_back(value);
      }
  }
  return values;
}

GgufValue read_value(Cursor& cursor) {
  const auto type = cursor.number<std::uint32_t>();
  switch (type) {
    case f32:
      return static_cast<double>(cursor.number<float>());
    case f64:
      return cursor.number<double>();
    case boolean:
      return cursor.number<std::uint8_t>() != 0;
    case text:
      return cursor.string();
    case list:
      return read_list(cursor);
    default:
      return whole(cursor, type);
  }
}

GgufTensor read_tensor(Cursor& cursor) {
  GgufTensor tensor;
  tensor.name = cursor.string();
  const auto dimensions = cursor.number<std::uint32_t>();
  if (dimensions > 8) cursor.fail(fmt::format("a tensor of {} dimensions", dimensions));
  std::int64_t elements = 1;
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const auto extent = cursor.number<std::int64_t>();
    if (extent < 0 || extent > most_elements || (extent > 0 && elements > most_elements / extent)) {
      cursor.fail(fmt::format("tensor '{}' has more elements than any model", tensor.name));
    }
    elements *= extent;
    tensor.shape.push_back(extent);
  }
  tensor.type = cursor.number<std::uint32_t>();
  cursor.number<std::uint64_t>();  // offset of its data
  const Block block = tensor.type < blocks.size() ? blocks[tensor.type] : Block{};
  if (block.elements == 0) {
    cursor.fail(fmt::format("tensor '{}' has the unknown type {}", tensor.name, tensor.type));
  }
  tensor.bytes = (elements + block.elements - 1) / block.elements * block.bytes;
  return tensor;
}

}  // namespace

GgufHeader parse_gguf_header(std::string_view text, const std::string& where) {
  static_assert(std::endian::native == std::endian::little);
  Cursor cursor(text, where);
  if (!text.starts_with("GGUF")) cursor.fail("this is no GGUF file");
  cursor.skip(4);
  GgufHeader header;
  header.version = cursor.number<std::uint32_t>();
  if (header.version != 2 && header.version != 3) {
    cursor.fail(fmt::format("version {} is not read (2 and 3 are)", header.version));
  }
  const auto tensors = cursor.number<std::uint64_t>();
  const auto values = cursor.number<std::uint64_t>();
  if (tensors > most_entries || values > most_entries) {
    cursor.fail(fmt::format("{} tensors and {} keys are more than any model has", tensors, values));
  }
  for (std::uint64_t i = 0; i < values; ++i) {
    std::string key = cursor.string();
    header.values.insert_or_assign(std::move(key), read_value(cursor));
  }
  for (std::uint64_t i = 0; i < tensors; ++i) header.tensors.push_back(read_tensor(cursor));
  return header;
}

ModelDescription read_gguf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UsageError(fmt::format("{}: cannot be read", file.string()));
  std::string text;
  // Vocabularies make headers of a few MiB; more is read while what was read ends too early.
  for (std::size_t size = std::size_t{16} << 20;; size *= 4) {
    const std::size_t had = text.size();
    text.resize(std::min(size, longest_header));
    in.read(text.data() + had, static_cast<std::streamsize>(text.size() - had));
    const auto got = static_cast<std::size_t>(in.gcount());
    const bool whole_file = got < text.size() - had;
    text.resize(had + got);
    try {
      return model_from_gguf(parse_gguf_header(text, file.string()), file.string());
    } catch (const UsageError&) {
      if (whole_file || text.size() >= longest_header) throw;
    }
  }
}

}  // namespace hpclab::kvcache
