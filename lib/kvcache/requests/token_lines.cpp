// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Prompts as token ids. The key of the list differs between the programs that write such files.
#include "core/error.hpp"
#include "kvcache/requests/block_hash.hpp"
#include "kvcache/requests/json_requests.hpp"
#include "kvcache/requests/parsers.hpp"

#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

constexpr std::array list_keys{"token_ids", "prompt_token_ids", "input_tok_ids", "tokens"};
constexpr std::uint64_t usual_block = 16;  // vLLM's default

class TokensParser : public RequestParser {
 public:
  explicit TokensParser(formats::LineReader lines) : reader_(std::move(lines)) {}

  const TraceFacts& facts() const override { return facts_; }

  bool next(Request& request) override {
    return reader_.next([&](const formats::JsonValue& object) {
      take_tokens(object, request);
      request.time_s = object.find("timestamp") ? object.number("timestamp") : 0;
      request.output_tokens =
          object.find("output_length") ? token_count(object, "output_length", 0, reader_) : 0;
      request.space = 0;
      for (const char* key : {"lora", "cache_salt"}) {
        const auto value = object.find(key);
        request.space = chained(request.space, value ? hash_of(value->text()) : 0);
      }
    });
  }

 private:
  void take_tokens(const formats::JsonValue& object, Request& request) {
    for (const char* key : list_keys) {
      const auto list = object.find(key);
      if (!list) continue;
      list->integers(wide_);
      request.tokens.clear();
      for (const std::uint64_t token : wide_) {
        if (token > std::numeric_limits<std::uint32_t>::max()) {
          throw UsageError(fmt::format("{}: '{}' holds {}, which is no token id: valid are 0 to {}",
                                       reader_.where(), key, static_cast<std::int64_t>(token),
                                       std::numeric_limits<std::uint32_t>::max()));
        }
        request.tokens.push_back(static_cast<std::uint32_t>(token));
      }
      if (request.tokens.empty()) {
        throw UsageError(fmt::format("{}: '{}' is empty", reader_.where(), key));
      }
      request.input_tokens = request.tokens.size();
      return;
    }
    throw UsageError(fmt::format("{}: no list of token ids, which would be called {}",
                                 reader_.where(), fmt::join(list_keys, ", ")));
  }

  static std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = chained(chain_root, text.size());
    for (const char c : text) hash = chained(hash, static_cast<unsigned char>(c));
    return hash;
  }

  JsonRequestReader reader_;
  TraceFacts facts_{"tokens", Content::token_ids, usual_block};
  std::vector<std::uint64_t> wide_;
};

}  // namespace

std::unique_ptr<RequestParser> tokens_parser(formats::LineReader lines) {
  return std::make_unique<TokensParser>(std::move(lines));
}

}  // namespace hpclab::kvcache::requests
