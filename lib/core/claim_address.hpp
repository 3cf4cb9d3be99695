// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where a figure stands in a case record, as claims name it: `values.time_s`, `text.bound`,
// `work.flops`, or with a row the cell of a table, `tables.levels.size_bytes`.
#pragma once

#include "core/json.hpp"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab {

struct Study;

struct ClaimAddress {
  std::string section;  ///< values, text, work or tables
  std::string name;     ///< of the value, text, amount of work, or table
  std::string column;   ///< of a table; empty for the whole table
  std::vector<std::pair<std::string, Json>> row{};  ///< the row where these columns have this cell

  std::string text() const;  ///< "tables.levels.size_bytes (level=l1)"
};

/// Reads "section.name" or "tables.name.column"; values must be declared by the study. Throws
/// UsageError that starts with `where`.
ClaimAddress parse_claim_address(const std::string& text, const Study& study,
                                 const std::string& where);

/// The number or text at the address. Throws CaseFailed, naming what the record does have, when
/// there is none or when several rows fit.
Json figure_at(const Json& record, const ClaimAddress& address);

/// Standard error of a value from its 95 % interval (half width / 1.96). CaseFailed without one.
double standard_error_at(const Json& record, const ClaimAddress& address);

}  // namespace hpclab
