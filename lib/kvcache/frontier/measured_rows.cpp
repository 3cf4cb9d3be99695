// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/frontier/measured_rows.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "formats/table_reader.hpp"

#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hpclab::kvcache::frontier {
namespace {

constexpr std::int64_t most_tokens = 100'000'000;

std::int64_t count_of(const formats::TableReader& table, std::size_t column, const char* name) {
  const std::int64_t value = table.integer(column);
  if (value < 1 || value > most_tokens) {
    throw UsageError(
        fmt::format("{}: {} is {}, valid: 1 to {}", table.where(), name, value, most_tokens));
  }
  return value;
}

}  // namespace

std::vector<MeasuredRow> read_measured_rows(formats::LineReader lines,
                                            const std::string& configuration) {
  formats::TableReader table(lines, {.delimiter = ','});
  const std::size_t isl = table.columns().require("isl");
  const std::size_t osl = table.columns().require("osl");
  const std::size_t conc = table.columns().require("conc");
  const std::size_t tpot = table.columns().require("median_tpot");
  std::optional<std::size_t> cfg;
  if (!configuration.empty()) cfg = table.columns().require("cfg");
  std::vector<MeasuredRow> rows;
  std::set<std::string> seen;
  while (table.next()) {
    if (cfg) {
      seen.emplace(table.text(*cfg));
      if (table.text(*cfg) != configuration) continue;
    }
    MeasuredRow row;
    row.input_tokens = count_of(table, isl, "isl");
    row.output_tokens = count_of(table, osl, "osl");
    row.concurrency = count_of(table, conc, "conc");
    row.tpot_s = table.number(tpot);
    if (!std::isfinite(row.tpot_s) || row.tpot_s <= 0) {
      throw UsageError(
          fmt::format("{}: median_tpot is {}, valid: seconds above 0", table.where(), row.tpot_s));
    }
    rows.push_back(row);
  }
  if (rows.empty()) {
    if (!cfg) throw UsageError(fmt::format("{}: no rows", lines.name()));
    throw UsageError(fmt::format("{}: no row has cfg '{}'; there are {}", lines.name(),
                                 configuration, fmt::join(seen, ", ")));
  }
  return rows;
}

}  // namespace hpclab::kvcache::frontier
