// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/trace_format.hpp"

#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/line_reader.hpp"

#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

// A document that stretches over lines shows its keys within this many bytes.
constexpr std::size_t most_bytes = std::size_t{1} << 16;

bool has_key(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("\"{}\"", key);
  return text.find(quoted) != std::string_view::npos;
}

std::optional<TraceFormat> format_of(std::string_view text) {
  if (text.starts_with('{') || text.starts_with('[')) {
    if (has_key(text, "hash_id_scope") ||
        (has_key(text, "requests") && has_key(text, "block_size")))
      return TraceFormat::weka;
    if (has_key(text, "chat_id")) return TraceFormat::bailian;
    if (has_key(text, "hash_ids")) return TraceFormat::mooncake;
    for (const char* key : {"token_ids", "prompt_token_ids", "input_tok_ids", "tokens"}) {
      if (has_key(text, key)) return TraceFormat::tokens;
    }
    return std::nullopt;
  }
  if (text.find("ContextTokens") != std::string_view::npos) return TraceFormat::azure;
  return std::nullopt;
}

}  // namespace

const std::vector<std::pair<std::string, TraceFormat>>& trace_format_names() {
  static const std::vector<std::pair<std::string, TraceFormat>> names{
      {"auto", TraceFormat::automatic},  {"mooncake", TraceFormat::mooncake},
      {"bailian", TraceFormat::bailian}, {"weka", TraceFormat::weka},
      {"tokens", TraceFormat::tokens},   {"azure", TraceFormat::azure}};
  return names;
}

TraceFormat detect_format(const std::filesystem::path& path) {
  formats::LineReader lines(path);
  std::string text;
  std::string first;
  for (std::string_view line; text.size() < most_bytes && lines.next(line);) {
    if (text.empty()) {
      line = formats::trimmed(line);
      first = formats::printable(line);
    }
    if (line.empty()) continue;
    text += line.substr(0, most_bytes);
    // One line tells unless it opens a document of several.
    if (const auto format = format_of(text)) return *format;
  }
  if (text.empty()) throw UsageError(fmt::format("{}: the file is empty", lines.name()));
  throw UsageError(fmt::format(
      "{}: of no known format; it begins with '{}'. Mooncake and Bailian lines have 'hash_ids' "
      "(Bailian also 'chat_id'), weka sessions 'requests' and 'block_size', token lines "
      "'token_ids', Azure tables the column ContextTokens; --format names one",
      lines.name(), first));
}

}  // namespace hpclab::kvcache::requests
