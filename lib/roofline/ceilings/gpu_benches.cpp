// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_benches.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/units.hpp"
#include "roofline/ceilings/gpu_profile.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
namespace {

template <class Row>
std::vector<Row> parse_rows(const std::string& text, const std::string& origin,
                            std::optional<Row> (*row_of)(std::string_view)) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto row = row_of(line)) rows.push_back(*row);
  }
  if (rows.empty()) throw UsageError(origin + ": no row of a gpu-benches log in it");
  return rows;
}

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path.string() + ": cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The measured value of the case with these parameters; 0 when there is none.
double measured(const std::vector<Json>& records, const Json& wanted, const char* value) {
  for (const Json& record : records) {
    if (!is_gpu_measurement(record)) continue;
    const Json& p = record["parameters"];
    const bool fits = std::all_of(wanted.items().begin(), wanted.items().end(), [&](const auto& e) {
      const auto found = p.find(e.key());
      return found != p.end() && *found == e.value();
    });
    if (fits && record["values"].contains(value)) return record["values"][value].get<double>();
  }
  return 0;
}

std::string comparison(const std::string& what, double ours, double logged, const char* value_name,
                       const std::filesystem::path& log) {
  return fmt::format("{}: measured {}, logged {} ({}), ratio {:.3f}", what,
                     readable(value_name, ours).text(), readable(value_name, logged).text(),
                     log.filename().string(), ours / logged);
}

}  // namespace

std::vector<CacheLogRow> parse_cache_log(const std::string& text, const std::string& origin) {
  return parse_rows<CacheLogRow>(text, origin, cache_log_row);
}

std::vector<RooflineLogRow> parse_roofline_log(const std::string& text, const std::string& origin) {
  return parse_rows<RooflineLogRow>(text, origin, roofline_log_row);
}

std::optional<double> cache_plateau_bytes_per_s(const std::vector<CacheLogRow>& rows, double low,
                                                double high) {
  std::vector<double> values;
  for (const CacheLogRow& row : rows) {
    if (row.data_set_bytes >= low && row.data_set_bytes <= high)
      values.push_back(row.bandwidth_bytes_per_s);
  }
  if (values.empty()) return std::nullopt;
  return median(values);
}

double roofline_peak_flops_per_s(const std::vector<RooflineLogRow>& rows) {
  std::map<int, double> largest;
  for (const RooflineLogRow& row : rows)
    largest[row.device] = std::max(largest[row.device], row.flops_per_s);
  std::vector<double> values;
  for (const auto& [device, value] : largest) values.push_back(value);
  return median(values);
}

bool log_is_of_device(const std::filesystem::path& log, const std::string& device) {
  const std::string stem = lower(log.stem().string());
  const std::string name = lower(device);
  const std::size_t tag = stem.find('_');
  if (tag == std::string::npos) return false;
  std::istringstream parts(stem.substr(tag + 1));
  bool any = false;
  for (std::string part; std::getline(parts, part, '_');) {
    if (part == "alex") continue;  // the cluster that one log was made on
    if (name.find(part) == std::string::npos) return false;
    any = true;
  }
  return any;
}

std::vector<std::string> compare_with_gpu_benches(const std::vector<Json>& records,
                                                  const std::filesystem::path& folder) {
  std::string device;
  double l2_bytes = 0;
  for (const Json& record : records) {
    if (!is_gpu_measurement(record) || !record["text"].contains("device")) continue;
    device = record["text"]["device"].get<std::string>();
    l2_bytes = record["tables"]["device"]["rows"][0][1].get<double>();
    break;
  }
  if (device.empty()) return {"gpu-benches: nothing was measured on a GPU, so nothing to compare"};
  std::error_code error;
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (log_is_of_device(entry.path(), device)) logs.push_back(entry.path());
  }
  if (error)
    throw UsageError(fmt::format("--gpu-benches {}: {}", folder.string(), error.message()));
  std::sort(logs.begin(), logs.end());
  std::vector<std::string> lines;
  for (const std::filesystem::path& log : logs) {
    const std::string kind = log.filename().string();
    if (kind.rfind("gpu-l2-cache_", 0) == 0) {
      const auto rows = parse_cache_log(content_of(log), log.string());
      const auto add = [&](const char* level, double low, double high) {
        const double ours = measured(
            records,
            {{"quantity", "bandwidth"}, {"level", level}, {"kind", "read"}, {"working_set", 0}},
            "bandwidth_bytes_per_s");
        const auto logged = cache_plateau_bytes_per_s(rows, low, high);
        if (ours > 0 && logged)
          lines.push_back(comparison(fmt::format("{} read", level), ours, *logged,
                                     "bandwidth_bytes_per_s", log));
      };
      add("l2", 0.12 * l2_bytes, 0.8 * l2_bytes);
      add("dram", 2 * l2_bytes, 1e15);
    } else if (kind.rfind("gpu-roofline_", 0) == 0) {
      const double ours =
          measured(records, {{"quantity", "flops"}, {"precision", "fp32"}, {"unit", "vector"}},
                   "flops_per_s");
      if (ours > 0)
        lines.push_back(
            comparison("fp32", ours,
                       roofline_peak_flops_per_s(parse_roofline_log(content_of(log), log.string())),
                       "flops_per_s", log));
    }
  }
  if (lines.empty()) lines.push_back("gpu-benches: no log of " + device + " in " + folder.string());
  return lines;
}

}  // namespace hpclab::roofline::ceilings
