// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Azure LLM inference traces: a table of arrival times and lengths.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "kvcache/requests/calendar_time.hpp"
#include "kvcache/requests/parsers.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

class AzureParser : public RequestParser {
 public:
  explicit AzureParser(formats::LineReader lines)
      : lines_(std::move(lines)),
        table_(lines_, {.delimiter = ','}),
        time_(table_.columns().require("TIMESTAMP")),
        input_(table_.columns().require("ContextTokens")),
        output_(table_.columns().require("GeneratedTokens")) {}

  const TraceFacts& facts() const override { return facts_; }

  bool next(Request& request) override {
    const std::uint64_t before = lines_.line_number();
    try {
      if (!table_.next()) return false;
      const double time_s = calendar_seconds(table_.text(time_), table_.where());
      if (!begin_s_) begin_s_ = time_s;
      request.time_s = time_s - *begin_s_;
      request.input_tokens = tokens(input_, 1);
      request.output_tokens = tokens(output_, 0);
      return true;
    } catch (const UsageError& error) {
      if (lines_.line_number() == before) throw;  // the file, not a line of it
      throw MalformedLine(error.what());
    }
  }

 private:
  std::uint64_t tokens(std::size_t column, std::int64_t least) const {
    const std::int64_t count = table_.integer(column);
    if (count < least || count > (std::int64_t{1} << 40)) {
      throw UsageError(fmt::format("{}: {} tokens, valid: {} to {}", table_.where(), count, least,
                                   std::int64_t{1} << 40));
    }
    return static_cast<std::uint64_t>(count);
  }

  formats::LineReader lines_;
  formats::TableReader table_;
  std::size_t time_;
  std::size_t input_;
  std::size_t output_;
  std::optional<double> begin_s_;
  TraceFacts facts_{"azure", Content::lengths, 0};
};

}  // namespace

std::unique_ptr<RequestParser> azure_parser(formats::LineReader lines) {
  return std::make_unique<AzureParser>(std::move(lines));
}

}  // namespace hpclab::kvcache::requests
