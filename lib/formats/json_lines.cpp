// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/json_lines.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "formats/fields.hpp"

#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

namespace hpclab::formats {
namespace {

using Element = simdjson::dom::element;

// An element is a pointer into the parser's document and an index.
template <class Bytes>
Element element_of(const Bytes& bytes) {
  static_assert(sizeof(Element) == sizeof(Bytes) && std::is_trivially_copyable_v<Element>);
  Element element;
  std::memcpy(static_cast<void*>(&element), &bytes, sizeof element);
  return element;
}

template <class Bytes>
void keep(Bytes& bytes, const Element& element) {
  std::memcpy(&bytes, static_cast<const void*>(&element), sizeof element);
}

const char* name_of(simdjson::dom::element_type type) {
  using simdjson::dom::element_type;
  switch (type) {
    case element_type::ARRAY:
      return "a list";
    case element_type::OBJECT:
      return "an object";
    case element_type::INT64:
    case element_type::UINT64:
    case element_type::DOUBLE:
      return "a number";
    case element_type::STRING:
      return "text";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "?";
}

[[noreturn]] void wrong_type(const LineReader& lines, std::string_view key, const Element& element,
                             const char* expected) {
  throw UsageError(fmt::format("{}: {} is {}, not {}", lines.where(),
                               key.empty() ? "the value" : fmt::format("'{}'", printable(key)),
                               name_of(element.type()), expected));
}

}  // namespace

std::optional<JsonValue> JsonValue::find(std::string_view key) const {
  const Element element = element_of(element_);
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "an object");
  Element member;
  if (object.at_key(key).get(member) != simdjson::SUCCESS || member.is_null()) return std::nullopt;
  JsonValue value;
  keep(value.element_, member);
  value.lines_ = lines_;
  value.key_ = key;
  return value;
}

JsonValue JsonValue::require(std::string_view key) const {
  if (const auto value = find(key)) return *value;
  std::vector<std::string> names;
  for (const auto& [name, member] : simdjson::dom::object(element_of(element_))) {
    if (names.size() < 20) names.emplace_back(name);
  }
  std::string found;
  for (const std::string& name : names) found += (found.empty() ? "" : ", ") + printable(name);
  const auto nearest = nearest_name(key, names);
  throw UsageError(fmt::format("{}: missing key '{}', found {}{}", lines_->where(), key,
                               found.empty() ? "none" : found,
                               nearest ? fmt::format("; nearest '{}'", printable(*nearest)) : ""));
}

double JsonValue::number() const {
  const Element element = element_of(element_);
  double value = 0;
  if (element.get(value) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "a number");
  return value;
}

std::int64_t JsonValue::integer() const {
  const Element element = element_of(element_);
  std::int64_t value = 0;
  if (element.get(value) != simdjson::SUCCESS) {
    wrong_type(*lines_, key_, element, "an integer of 64 bits");
  }
  return value;
}

bool JsonValue::flag() const {
  const Element element = element_of(element_);
  bool value = false;
  if (element.get(value) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "true or false");
  return value;
}

std::string_view JsonValue::text() const {
  const Element element = element_of(element_);
  std::string_view value;
  if (element.get(value) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "text");
  return value;
}

bool JsonValue::is_number() const {
  const Element element = element_of(element_);
  return element.is_number();
}

std::string JsonValue::json() const {
  const Element element = element_of(element_);
  return simdjson::minify(element);
}

void JsonValue::for_each_member(
    const std::function<void(std::string_view, const JsonValue&)>& take) const {
  const Element element = element_of(element_);
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "an object");
  JsonValue value;
  value.lines_ = lines_;
  for (const auto& [name, member] : object) {
    keep(value.element_, member);
    value.key_ = name;
    take(name, value);
  }
}

void JsonValue::numbers(std::vector<double>& to) const {
  const Element element = element_of(element_);
  simdjson::dom::array list;
  if (element.get(list) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "a list");
  to.clear();
  for (const Element item : list) {
    double number = 0;
    if (item.get(number) != simdjson::SUCCESS) wrong_type(*lines_, key_, item, "a list of numbers");
    to.push_back(number);
  }
}

void JsonValue::for_each(const std::function<void(const JsonValue&)>& take) const {
  const Element element = element_of(element_);
  simdjson::dom::array list;
  if (element.get(list) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "a list");
  JsonValue value;
  value.lines_ = lines_;
  value.key_ = key_;
  for (const Element item : list) {
    keep(value.element_, item);
    take(value);
  }
}

void JsonValue::integers(std::vector<std::uint64_t>& to) const {
  const Element element = element_of(element_);
  simdjson::dom::array list;
  if (element.get(list) != simdjson::SUCCESS) wrong_type(*lines_, key_, element, "a list");
  to.clear();
  for (const Element item : list) {
    std::uint64_t natural = 0;
    std::int64_t integer = 0;
    if (item.get(natural) == simdjson::SUCCESS) {
      to.push_back(natural);
    } else if (item.get(integer) == simdjson::SUCCESS) {
      to.push_back(static_cast<std::uint64_t>(integer));
    } else {
      wrong_type(*lines_, key_, item, "a list of integers");
    }
  }
}

struct JsonLineReader::Parser {
  simdjson::dom::parser parser;
  std::vector<char> padded;  // the line and the bytes behind it that simdjson may read
  std::string document;
};

namespace {

// Follows the brackets of a JSON text piece by piece.
class Nesting {
 public:
  void follow(std::string_view text) {
    for (const char c : text) {
      if (escaped_) {
        escaped_ = false;
      } else if (in_text_) {
        escaped_ = c == '\\';
        in_text_ = c != '"';
      } else if (c == '"') {
        in_text_ = true;
      } else if (c == '{' || c == '[') {
        ++depth_;
      } else if (c == '}' || c == ']') {
        --depth_;
      }
    }
  }
  bool closed() const { return depth_ <= 0 && !in_text_; }

 private:
  std::int64_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace

JsonLineReader::JsonLineReader(LineReader& lines)
    : lines_(lines), parser_(std::make_unique<Parser>()) {}

JsonLineReader::~JsonLineReader() = default;

std::optional<JsonValue> JsonLineReader::next() {
  std::string_view line;
  do {
    if (!lines_.next(line)) return std::nullopt;
  } while (trimmed(line).empty());
  return parse(line);
}

std::optional<JsonValue> JsonLineReader::next_document(std::size_t most_bytes) {
  std::string& document = parser_->document;
  document.clear();
  Nesting nesting;
  for (std::string_view line; lines_.next(line);) {
    if (document.empty() && trimmed(line).empty()) continue;
    document.append(line).push_back('\n');
    if (document.size() > most_bytes) {
      throw UsageError(
          fmt::format("{}: a document of more than {} bytes, the limit; is a bracket "
                      "missing?",
                      lines_.where(), most_bytes));
    }
    nesting.follow(line);
    if (nesting.closed()) break;
  }
  if (document.empty()) return std::nullopt;
  return parse(document);
}

JsonValue JsonLineReader::parse(std::string_view line) {
  std::vector<char>& padded = parser_->padded;
  if (padded.size() < line.size() + simdjson::SIMDJSON_PADDING) {
    padded.resize(2 * line.size() + simdjson::SIMDJSON_PADDING);
  }
  std::memcpy(padded.data(), line.data(), line.size());
  Element element;
  const auto error = parser_->parser.parse(padded.data(), line.size(), false).get(element);
  if (error != simdjson::SUCCESS) {
    throw UsageError(fmt::format("{}: no JSON: {}{}", lines_.where(),
                                 simdjson::error_message(error),
                                 lines_.line_is_open() ? "; the file ends within this line" : ""));
  }
  JsonValue value;
  keep(value.element_, element);
  value.lines_ = &lines_;
  if (!element.is_object()) wrong_type(lines_, "", element, "an object");
  return value;
}

}  // namespace hpclab::formats
