// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/request_file.hpp"

#include "kvcache/requests/parsers.hpp"

#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

std::unique_ptr<RequestParser> parser_for(formats::LineReader lines,
                                          const ReadingOptions& options) {
  switch (options.format) {
    case TraceFormat::bailian:
      return bailian_parser(std::move(lines), options.id_tokens);
    case TraceFormat::weka:
      return weka_parser(std::move(lines), options.id_tokens, options.sessions_at_once);
    case TraceFormat::tokens:
      return tokens_parser(std::move(lines));
    case TraceFormat::azure:
      return azure_parser(std::move(lines));
    case TraceFormat::mooncake:
    case TraceFormat::automatic:
      break;
  }
  return mooncake_parser(std::move(lines), options.id_tokens);
}

ReadingOptions with_format(ReadingOptions options, const std::filesystem::path& path) {
  if (options.format == TraceFormat::automatic) options.format = detect_format(path);
  return options;
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

}  // namespace

std::vector<std::string> ReadingReport::notes(bool sorted) const {
  std::vector<std::string> notes;
  if (skipped > 0) {
    notes.push_back(fmt::format("{} skipped; the first: {}",
                                counted(skipped, "malformed line was", "malformed lines were"),
                                first_skipped));
  }
  if (partial_lists > 0) {
    notes.push_back(fmt::format("{} fewer hash ids than full blocks: what has no id is never found",
                                counted(partial_lists, "request has", "requests have")));
  }
  if (went_back > 0) {
    notes.push_back(fmt::format(
        "{} earlier than the one above: {}", counted(went_back, "request is", "requests are"),
        sorted ? "replayed in the order of time"
               : "replayed in the order of the file; order=time sorts them"));
  }
  if (repeated > 0) {
    notes.push_back(fmt::format("{} the one above in every field: is the trace doubled?",
                                counted(repeated, "request repeats", "requests repeat")));
  }
  return notes;
}

RequestFile::RequestFile(const std::filesystem::path& path, const ReadingOptions& options)
    : RequestFile(formats::LineReader(path), with_format(options, path)) {}

RequestFile::RequestFile(formats::LineReader lines, const ReadingOptions& options)
    : options_(options), name_(lines.name()), parser_(parser_for(std::move(lines), options)) {
  if (next_good(first_)) return;
  throw UsageError(
      fmt::format("{}: it holds no request{}", name_,
                  report_.skipped > 0
                      ? fmt::format(", only {}; the first: {}",
                                    counted(report_.skipped, "malformed line", "malformed lines"),
                                    report_.first_skipped)
                      : ""));
}

bool RequestFile::next(Request& request) {
  if (first_is_next_) {
    request = std::move(first_);
    first_is_next_ = false;
  } else if (!next_good(request)) {
    return false;
  }
  inspect(request);
  ++report_.requests;
  return true;
}

bool RequestFile::next_good(Request& request) {
  for (;;) {
    try {
      return parser_->next(request);
    } catch (const MalformedLine& error) {
      if (!options_.skip_bad) throw;
      if (report_.skipped++ == 0) report_.first_skipped = error.what();
    }
  }
}

void RequestFile::inspect(const Request& request) {
  if (report_.requests > 0) {
    report_.went_back += request.time_s < previous_.time_s;
    report_.repeated += request.time_s == previous_.time_s &&
                        request.input_tokens == previous_.input_tokens &&
                        request.output_tokens == previous_.output_tokens &&
                        request.blocks == previous_.blocks && request.tokens == previous_.tokens;
  }
  const std::uint64_t id_tokens = facts().block_tokens;
  if (facts().content == Content::block_ids &&
      request.blocks.size() < request.input_tokens / id_tokens) {
    ++report_.partial_lists;
  }
  previous_ = request;
}

}  // namespace hpclab::kvcache::requests
