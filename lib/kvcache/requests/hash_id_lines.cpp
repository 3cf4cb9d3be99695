// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Mooncake and Qwen-Bailian traces: the same fields, in other units.
#include "kvcache/requests/json_requests.hpp"
#include "kvcache/requests/parsers.hpp"

#include <utility>

namespace hpclab::kvcache::requests {
namespace {

class HashIdParser : public RequestParser {
 public:
  HashIdParser(formats::LineReader lines, TraceFacts facts, double ticks_per_s)
      : reader_(std::move(lines)), facts_(std::move(facts)), ticks_per_s_(ticks_per_s) {}

  const TraceFacts& facts() const override { return facts_; }

  bool next(Request& request) override {
    return reader_.next([&](const formats::JsonValue& object) {
      request.time_s = object.number("timestamp") / ticks_per_s_;
      request.input_tokens = token_count(object, "input_length", 1, reader_);
      request.output_tokens = token_count(object, "output_length", 0, reader_);
      take_ids(object, "hash_ids", facts_.block_tokens, request, reader_);
    });
  }

 private:
  JsonRequestReader reader_;
  TraceFacts facts_;
  double ticks_per_s_;
};

std::uint64_t or_default(std::uint64_t id_tokens, std::uint64_t usual) {
  return id_tokens == 0 ? usual : id_tokens;
}

}  // namespace

std::unique_ptr<RequestParser> mooncake_parser(formats::LineReader lines, std::uint64_t id_tokens) {
  return std::make_unique<HashIdParser>(
      std::move(lines), TraceFacts{"mooncake", Content::block_ids, or_default(id_tokens, 512)},
      1000);
}

std::unique_ptr<RequestParser> bailian_parser(formats::LineReader lines, std::uint64_t id_tokens) {
  return std::make_unique<HashIdParser>(
      std::move(lines), TraceFacts{"bailian", Content::block_ids, or_default(id_tokens, 16)}, 1);
}

}  // namespace hpclab::kvcache::requests
