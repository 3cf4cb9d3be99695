// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Finding numbers in a line of a log: after a phrase, with thousands separators and units.
#pragma once

#include "kvcache/explain/log_facts.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hpclab::kvcache::explain {

/// The rest of the line after the phrase, or nothing.
std::optional<std::string_view> after(std::string_view line, std::string_view phrase);

/// The number that begins `text` after blanks: digits, thousands separators, a decimal point, a
/// sign; not more than 2^60 in size. `used` gets the characters it took.
std::optional<double> leading_number(std::string_view text, std::size_t* used = nullptr);

/// The number after the phrase.
std::optional<double> number_after(std::string_view line, std::string_view phrase);

/// A size such as "6.87 GiB", "30.71GiB" or "4352.00 MiB" at the beginning of `text`.
std::optional<LoggedBytes> leading_size(std::string_view text);
std::optional<LoggedBytes> size_after(std::string_view line, std::string_view phrase);

/// The size that stands before the phrase: "14.99 GiB for weight".
std::optional<LoggedBytes> size_before(std::string_view line, std::string_view phrase);

/// The quoted or bare word after the phrase: model='Qwen/Qwen3-8B', dtype=torch.bfloat16.
std::optional<std::string> word_after(std::string_view line, std::string_view phrase);

}  // namespace hpclab::kvcache::explain
