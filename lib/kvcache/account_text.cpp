// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/account_text.hpp"

#include "kvcache/overhead_constants.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

constexpr std::size_t most_flags = 4;

void set_ranged(Result& result, const std::string& name, double value, double low, double high) {
  if (low < high) {
    result.set_value(name, value, std::min(low, value), std::max(high, value));
  } else {
    result.set_value(name, value);
  }
}

Table account_table(const Sizing& sizing) {
  Table table;
  table.columns = {"item", "bytes", "low_bytes", "high_bytes", "in_budget", "how"};
  table.units = {"", "B", "B", "B", "", ""};
  for (const AccountItem& item : sizing.account) {
    table.rows.push_back({item.name, item.bytes.value, item.bytes.low, item.bytes.high,
                          item.in_budget, item.bytes.how});
  }
  return table;
}

Table pool_table(const PoolSize& pool) {
  Table table;
  table.columns = {
      "part", "layers", "padding_layers", "block_tokens", "tokens", "blocks_of_request", "bytes"};
  table.units = {"", "", "", "tokens", "tokens", "", "B"};
  for (const PoolPart& part : pool.parts) {
    table.rows.push_back({part.name, part.layers, part.padding_layers, part.block_tokens,
                          part.tokens, part.blocks_of_request, part.bytes});
  }
  return table;
}

Table flag_table(const std::vector<FlagGain>& gains) {
  Table table;
  table.columns = {"flag", "tokens", "gain_tokens", "price"};
  table.units = {"", "tokens", "tokens", ""};
  for (const FlagGain& gain : gains) {
    table.rows.push_back({gain.flag, gain.tokens, gain.gain, gain.price});
  }
  return table;
}

}  // namespace

std::string gib_text(double bytes) {
  const double value = bytes / gib;
  return std::abs(value) >= 0.0995 || value == 0 ? fmt::format("{:.2f}", value)
                                                 : fmt::format("{:.4f}", value);
}

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", std::abs(count));
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return count < 0 ? "-" + digits : digits;
}

Result result_of(const Sizing& sizing, const std::vector<FlagGain>& gains) {
  Result result;
  const PoolSize& pool = sizing.pool;
  result.set_value("bytes_per_token", static_cast<double>(pool.bytes_per_token));
  set_ranged(result, "kv_bytes", pool.kv_bytes, sizing.pool_low.kv_bytes,
             sizing.pool_high.kv_bytes);
  set_ranged(result, "blocks", static_cast<double>(pool.blocks),
             static_cast<double>(sizing.pool_low.blocks),
             static_cast<double>(sizing.pool_high.blocks));
  set_ranged(result, "tokens", static_cast<double>(pool.tokens),
             static_cast<double>(sizing.pool_low.tokens),
             static_cast<double>(sizing.pool_high.tokens));
  set_ranged(result, "concurrency", pool.concurrency, sizing.pool_low.concurrency,
             sizing.pool_high.concurrency);
  if (sizing.weight_bytes > 0) result.set_value("weights_bytes", sizing.weight_bytes);
  result.set_value("longest_request_tokens", static_cast<double>(pool.longest_request));
  result.set_value("block_tokens", static_cast<double>(pool.block_tokens));
  result.set_value("padding_bytes", pool.padding_bytes);
  result.set_table("account", account_table(sizing));
  if (!pool.parts.empty()) result.set_table("pool", pool_table(pool));
  if (!gains.empty()) {
    result.set_table("flags", flag_table(gains));
    result.set_text("verdict", fmt::format("{}: +{} tokens", gains.front().flag,
                                           grouped(static_cast<double>(gains.front().gain))));
  }
  const Deployment& d = sizing.deployment;
  result.set_text("engine", fmt::format("{} {}", name_of(d.engine), d.version.text()));
  result.set_text("flags_resolved",
                  fmt::format("memory fraction {:.4g}, block {}, max_model_len {}, "
                              "max_num_batched_tokens {}, max_num_seqs {}, kv_dtype {}",
                              d.memory_fraction, d.block_tokens, d.max_model_len,
                              d.max_batched_tokens, d.max_sequences, name_of(*d.key_format)));
  for (const std::string& note : pool.notes) result.add_note(note);
  return result;
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows,
                                 const std::vector<bool>& right) {
  std::vector<std::size_t> widths(right.size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - row[i].size(), ' ');
      line += "  " + (right[i] ? fill + row[i] : row[i] + fill);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> account_lines(const Json& record) {
  std::vector<std::string> lines;
  const Json& tables = record["tables"];
  const Json& values = record["values"];
  if (record.contains("text") && record["text"].contains("model")) {
    lines.push_back(fmt::format("{}, {}", record["text"]["model"].get<std::string>(),
                                record["text"].value("engine", "")));
    lines.push_back("  " + record["text"].value("flags_resolved", ""));
  }
  std::vector<std::vector<std::string>> rows{{"item", "GiB", "expected range", "known by"}};
  for (const Json& row : tables["account"]["rows"]) {
    const double low = row[2].get<double>();
    const double high = row[3].get<double>();
    const std::string name = row[0].get<std::string>();
    const bool aside = !row[4].get<bool>() && !name.starts_with("GPU") && !name.starts_with("x ");
    rows.push_back({aside && !name.starts_with("of it") ? name + " (outside)" : name,
                    gib_text(row[1].get<double>()),
                    low < high ? fmt::format("[{}, {}]", gib_text(low), gib_text(high)) : "",
                    row[5].get<std::string>()});
  }
  for (std::string& line : aligned(rows, {false, true, false, false})) {
    lines.push_back(std::move(line));
  }
  lines.push_back(fmt::format(
      "  {} bytes a token; {} blocks of {} tokens: {} tokens, {:.2f} requests of max_model_len; "
      "longest request {} tokens",
      grouped(values["bytes_per_token"].get<double>()), grouped(values["blocks"].get<double>()),
      grouped(values["block_tokens"].get<double>()), grouped(values["tokens"].get<double>()),
      values["concurrency"].get<double>(),
      grouped(values["longest_request_tokens"].get<double>())));
  if (tables.contains("flags")) {
    std::string text;
    std::size_t shown = 0;
    for (const Json& row : tables["flags"]["rows"]) {
      if (shown++ == most_flags) break;
      text += fmt::format("{}{} (+{})", text.empty() ? "" : ", ", row[0].get<std::string>(),
                          grouped(row[2].get<double>()));
    }
    lines.push_back("  most tokens for one flag: " + text);
  }
  if (record.contains("notes")) {
    for (const Json& note : record["notes"]) lines.push_back("  " + note.get<std::string>());
  }
  return lines;
}

}  // namespace hpclab::kvcache
