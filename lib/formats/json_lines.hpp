// hpclab: SPDX-License-Identifier: Apache-2.0
//
// JSON lines: one object a line, read fast (traces have ten million of them). For documents that
// people write, and for values that are kept, there is core/json_file.hpp.
#pragma once

#include "formats/line_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::formats {

/// A value of the line at hand, valid until the next line is read. Every accessor throws UsageError
/// "file:line: 'key' ..." when the value is absent or of another type; `find` says absent instead.
class JsonValue {
 public:
  /// The member of an object; nullopt when it has none of that name or it is null.
  std::optional<JsonValue> find(std::string_view key) const;
  JsonValue require(std::string_view key) const;

  /// A finite number; integers beyond 2^53 are rounded.
  double number() const;
  std::int64_t integer() const;
  bool flag() const;
  std::string_view text() const;
  bool is_number() const;
  /// The value as compact JSON text, members in the order of the file.
  std::string json() const;
  /// Calls `take` with name and value of each member of an object, null ones included; the views
  /// end with the line.
  void for_each_member(
      const std::function<void(std::string_view name, const JsonValue& value)>& take) const;
  /// Calls `take` with each element of a list.
  void for_each(const std::function<void(const JsonValue&)>& take) const;
  /// The elements of a list of 64-bit integers, signed or not, by their bits; replaces the content
  /// of `to`. Much faster than for_each.
  void integers(std::vector<std::uint64_t>& to) const;

  /// The elements of a list of finite numbers; replaces the content of `to`.
  void numbers(std::vector<double>& to) const;

  double number(std::string_view key) const { return require(key).number(); }
  std::int64_t integer(std::string_view key) const { return require(key).integer(); }
  std::string_view text(std::string_view key) const { return require(key).text(); }

 private:
  friend class JsonLineReader;
  JsonValue() = default;

  // A simdjson::dom::element, whose header only the source file includes.
  alignas(8) unsigned char element_[16] = {};
  const LineReader* lines_ = nullptr;
  std::string_view key_;  // by which the value was reached; a literal or the caller's own text
};

class JsonLineReader {
 public:
  /// `lines` outlives the reader.
  explicit JsonLineReader(LineReader& lines);
  ~JsonLineReader();
  JsonLineReader(const JsonLineReader&) = delete;
  JsonLineReader& operator=(const JsonLineReader&) = delete;

  /// The object of the next line that is not blank; nullopt at the end. UsageError "file:line: ..."
  /// for a line that is no JSON or no object.
  std::optional<JsonValue> next();

  /// The next object even when it stretches over lines, as people and pretty-printers write them;
  /// line numbers in messages are those of its last line. UsageError also above `most_bytes`.
  std::optional<JsonValue> next_document(std::size_t most_bytes = std::size_t{256} << 20);

 private:
  struct Parser;
  JsonValue parse(std::string_view text);
  LineReader& lines_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace hpclab::formats
