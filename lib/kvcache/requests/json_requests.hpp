// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the formats of JSON lines share: reading objects one after the other, and taking fields out
// of them with the checks that every format needs.
#pragma once

#include "formats/json_lines.hpp"
#include "formats/line_reader.hpp"
#include "kvcache/requests/request_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hpclab::kvcache::requests {

class JsonRequestReader {
 public:
  explicit JsonRequestReader(formats::LineReader lines) : lines_(std::move(lines)), json_(lines_) {}

  std::string where() const { return lines_.where(); }

  /// Calls take(object) for the next line; false at the end. What take and the line itself are at
  /// fault for becomes MalformedLine.
  template <class Take>
  bool next(Take take) {
    return guarded([&] { return json_.next(); }, take);
  }
  /// The same for a document that may stretch over lines.
  template <class Take>
  bool next_document(Take take) {
    return guarded([&] { return json_.next_document(); }, take);
  }

 private:
  template <class Get, class Take>
  bool guarded(Get get, Take take) {
    const std::uint64_t before = lines_.line_number();
    try {
      const auto object = get();
      if (object) take(*object);
      return object.has_value();
    } catch (const UsageError& error) {
      if (lines_.line_number() == before) throw;  // the file, not a line of it
      throw MalformedLine(error.what());
    }
  }

  formats::LineReader lines_;
  formats::JsonLineReader json_;
};

/// A count of tokens: a whole number from `least` to 2^40. UsageError otherwise, with the reader's
/// place.
std::uint64_t token_count(const formats::JsonValue& object, std::string_view key,
                          std::int64_t least, const JsonRequestReader& reader);

/// The ids of request.input_tokens tokens, `id_tokens` each, into request.blocks. UsageError when
/// there are more of them than the tokens can fill.
void take_ids(const formats::JsonValue& object, std::string_view key, std::uint64_t id_tokens,
              Request& request, const JsonRequestReader& reader);

}  // namespace hpclab::kvcache::requests
