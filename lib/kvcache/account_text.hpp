// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The account of a GPU's memory as tables of a record, and as lines for people.
#pragma once

#include "core/json.hpp"
#include "core/result.hpp"
#include "kvcache/sizing.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache {

/// Values, tables and words of a sizing: bytes_per_token, blocks, tokens, concurrency, kv_bytes,
/// weights_bytes; tables `account`, `pool` and `flags`.
Result result_of(const Sizing& sizing, const std::vector<FlagGain>& gains);

/// "24.1", "0.052": GiB for a column of an account.
std::string gib_text(double bytes);

/// The account, the pool and the flags of a case's record, as a person reads them.
std::vector<std::string> account_lines(const Json& record);

/// Rows as aligned lines, two blanks before and between columns; numbers are right-aligned.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                 const std::vector<bool>& right);

/// 41408 -> "41,408".
std::string grouped(double count);

}  // namespace hpclab::kvcache
