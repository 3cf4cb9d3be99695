// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/json_requests.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

constexpr std::int64_t most_tokens = std::int64_t{1} << 40;

}  // namespace

std::uint64_t token_count(const formats::JsonValue& object, std::string_view key,
                          std::int64_t least, const JsonRequestReader& reader) {
  const std::int64_t count = object.integer(key);
  if (count < least || count > most_tokens) {
    throw UsageError(fmt::format("{}: '{}' is {}, valid: {} to {}", reader.where(), key, count,
                                 least, most_tokens));
  }
  return static_cast<std::uint64_t>(count);
}

void take_ids(const formats::JsonValue& object, std::string_view key, std::uint64_t id_tokens,
              Request& request, const JsonRequestReader& reader) {
  object.require(key).integers(request.blocks);
  const std::uint64_t most = (request.input_tokens + id_tokens - 1) / id_tokens;
  if (request.blocks.size() > most) {
    throw UsageError(fmt::format("{}: {} hash ids of {} tokens for an input of {}: at most {} fit",
                                 reader.where(), request.blocks.size(), id_tokens,
                                 request.input_tokens, most));
  }
}

}  // namespace hpclab::kvcache::requests
