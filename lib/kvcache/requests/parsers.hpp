// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The parsers behind RequestFile, one format each.
#pragma once

#include "formats/line_reader.hpp"
#include "kvcache/requests/request_file.hpp"

#include <cstdint>
#include <memory>

namespace hpclab::kvcache::requests {

/// {"timestamp": ms, "input_length", "output_length", "hash_ids": [...]}; an id for every 512
/// tokens, the last one partly filled.
std::unique_ptr<RequestParser> mooncake_parser(formats::LineReader lines, std::uint64_t id_tokens);

/// {"chat_id", "parent_chat_id", "timestamp": s, "input_length", "output_length", "type", "turn",
/// "hash_ids": [...]}; an id for every 16 tokens.
std::unique_ptr<RequestParser> bailian_parser(formats::LineReader lines, std::uint64_t id_tokens);

/// {"id", "block_size", "hash_id_scope", "requests": [{"t": s, "in", "out", "hash_ids"}, {"type":
/// "subagent", "requests": [...]}]}: one session a document. Ids are the session's own unless
/// the scope is "global". `at_once` sessions run side by side, each in the order of its times; the
/// next one begins when one has ended.
std::unique_ptr<RequestParser> weka_parser(formats::LineReader lines, std::uint64_t id_tokens,
                                           std::uint64_t at_once);

/// {"timestamp"?: s, "output_length"?, one of "token_ids", "prompt_token_ids", "input_tok_ids",
/// "tokens": [...], "lora"?, "cache_salt"?}; requests of different lora or salt share nothing.
std::unique_ptr<RequestParser> tokens_parser(formats::LineReader lines);

/// TIMESTAMP,ContextTokens,GeneratedTokens.
std::unique_ptr<RequestParser> azure_parser(formats::LineReader lines);

}  // namespace hpclab::kvcache::requests
