// hpclab: SPDX-License-Identifier: Apache-2.0
//
// likwid-perfctr: tables of derived metrics, one set a region and group, as printed ("|" between
// cells) or as CSV (-O: lines "TABLE,Region r,Group 1 Metric,MEM_DP,..."). Rates of several threads
// are added up; their run time is the longest. MByte is 10^6 bytes.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

/// A metric over the threads: sum, largest, and the printed text's precision.
struct Metric {
  PrintedNumber sum;
  PrintedNumber largest;
};

using Cells = std::vector<std::string_view>;

void split_at(std::string_view line, char mark, Cells& cells) {
  cells.clear();
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(mark, begin), line.size());
    cells.push_back(formats::trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
}

/// The metrics of one region and group, from its tables.
class Region {
 public:
  Region(std::string name, std::string where) : name_(std::move(name)), where_(std::move(where)) {}

  const std::string& name() const { return name_; }

  void take(std::string_view metric, const Cells& cells, const std::string& where) {
    const bool statistics = metric.ends_with(" STAT");
    if (statistics) metric.remove_suffix(5);
    // Others (CPI, events) may hold anything, "nan" included.
    if (!is_wanted(metric) || cells.size() < 2) return;
    // The table of sums repeats what the table of the threads says.
    if (statistics && metrics_.contains(metric)) return check_sum(metric, cells, where);
    Metric total;
    for (std::size_t i = 1; i < (statistics ? 2 : cells.size()); ++i) {
      if (cells[i].empty()) continue;
      const PrintedNumber one = formats::require_printed_number(cells[i], metric, where);
      total.sum.value += one.value;
      total.sum.half_unit += one.half_unit;
      if (one.value > total.largest.value) total.largest = one;
    }
    if (statistics && cells.size() > 3)
      total.largest = formats::require_printed_number(cells[3], metric, where);
    metrics_.emplace(metric, total);
    threads_ = std::max(threads_, statistics ? 1 : cells.size() - 1);
  }

  std::optional<Point> finish() const {
    const auto runtime = find({"Runtime (RDTSC) [s]"});
    const auto double_rate = find({"DP [MFLOP/s]", "DP MFLOP/s", "MFLOP/s"});
    const auto single_rate = find({"SP [MFLOP/s]", "SP MFLOP/s"});
    const auto bandwidth = find({"Memory bandwidth [MBytes/s]"});
    const auto volume = find({"Memory data volume [GBytes]"});
    if (!runtime || (!double_rate && !single_rate && !bandwidth)) return std::nullopt;
    Point point;
    point.where = where_;
    point.name = name_;
    point.time_s = require_positive(runtime->largest, "Runtime (RDTSC) [s]", where_);
    const double time = point.time_s.value;
    const bool single =
        single_rate && (!double_rate || single_rate->sum.value > double_rate->sum.value);
    point.precision = single ? "fp32" : "fp64";
    const auto& rate = single ? single_rate : double_rate;
    if (rate) point.flops = positive_or_0(rate->sum.value) * 1e6 * time;
    if (bandwidth) {
      point.bytes["dram"] = positive_or_0(bandwidth->sum.value) * 1e6 * time;
      if (volume && volume->sum.value > 0 && bandwidth->sum.value > 0) {
        point.checks.push_back(rate_check(Quantity::bytes, "Memory bandwidth",
                                          bandwidth->sum.scaled(1e6), volume->sum.value * 1e9,
                                          widened(point.time_s, volume->sum)));
      }
    }
    check_intensity(point, bandwidth);
    for (const char* level : {"L2", "L3"}) {
      if (const auto cache = find({fmt::format("{} bandwidth [MBytes/s]", level)}))
        point.bytes[level == std::string_view("L2") ? "l2" : "l3"] =
            positive_or_0(cache->sum.value) * 1e6 * time;
    }
    return point;
  }

 private:
  static bool is_wanted(std::string_view metric) {
    static constexpr std::string_view names[] = {"Runtime (RDTSC) [s]",
                                                 "DP [MFLOP/s]",
                                                 "DP MFLOP/s",
                                                 "MFLOP/s",
                                                 "SP [MFLOP/s]",
                                                 "SP MFLOP/s",
                                                 "Memory bandwidth [MBytes/s]",
                                                 "Memory data volume [GBytes]",
                                                 "L2 bandwidth [MBytes/s]",
                                                 "L3 bandwidth [MBytes/s]",
                                                 "Operational intensity",
                                                 "Operational intensity [FLOP/Byte]"};
    return std::find(std::begin(names), std::end(names), metric) != std::end(names);
  }

  static double positive_or_0(double value) { return std::max(value, 0.0); }

  // The bandwidth was divided by each thread's own run time; the volume's digits count too.
  static PrintedNumber widened(const PrintedNumber& time, const PrintedNumber& volume) {
    return {time.value, time.half_unit + time.value * (0.005 + volume.half_unit / volume.value)};
  }

  std::optional<Metric> find(std::initializer_list<std::string> names) const {
    for (const std::string& name : names) {
      const auto found = metrics_.find(name);
      if (found != metrics_.end()) return found->second;
    }
    return std::nullopt;
  }

  void check_sum(std::string_view metric, const Cells& cells, const std::string& where) {
    const PrintedNumber printed = formats::require_printed_number(cells[1], metric, where);
    const Metric& own = metrics_.find(metric)->second;
    if (printed.high() >= own.sum.low() && printed.low() <= own.sum.high()) return;
    findings_.push_back(
        fmt::format("the sum of '{}' is printed as {:g}, the threads' values give "
                    "{:g}",
                    metric, printed.value, own.sum.value));
  }

  // likwid adds the intensities of the threads up as it does rates; a sum of ratios is none.
  void check_intensity(Point& point, const std::optional<Metric>& bandwidth) const {
    point.findings = findings_;
    const auto intensity = find({"Operational intensity", "Operational intensity [FLOP/Byte]"});
    if (!intensity || !bandwidth || !(point.flops > 0) || !(bandwidth->sum.value > 0)) return;
    const double expected = point.flops / point.bytes["dram"];
    if (threads_ == 1) {
      point.checks.push_back(range_check(Quantity::intensity, "Operational intensity",
                                         intensity->sum, expected * 0.995, expected * 1.005));
      return;
    }
    if (intensity->sum.value > expected * 1.01) {
      point.findings.push_back(fmt::format(
          "the intensities of {} threads add up to {:.4g} flop/byte, which is no intensity: "
          "operations over bytes are {:.4g}",
          threads_, intensity->sum.value, expected));
    }
  }

  std::string name_;
  std::string where_;
  std::map<std::string, Metric, std::less<>> metrics_;
  std::vector<std::string> findings_;
  std::size_t threads_ = 1;
};

class Reader {
 public:
  explicit Reader(formats::LineReader& lines) : lines_(lines) {}

  std::vector<Point> read() {
    for (std::string_view line; lines_.next(line);) take(formats::trimmed(line));
    finish();
    return std::move(points_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("TABLE,")) {
      split_at(line, ',', cells_);
      const bool region = cells_.size() > 3 && cells_[1].starts_with("Region ");
      const std::string_view table =
          cells_.size() > (region ? 2u : 1u) ? cells_[region ? 2 : 1] : "";
      const std::string_view group =
          cells_.size() > (region ? 3u : 2u) ? cells_[region ? 3 : 2] : "";
      const std::string_view number =
          table.substr(0, std::min(table.find(" Metric"), table.size()));
      begin(region ? cells_[1].substr(7) : std::string_view(), number, group);
      csv_metrics_ = table.find("Metric") != std::string_view::npos;
    } else if (line.starts_with("STRUCT,")) {
      csv_metrics_ = false;
    } else if (line.starts_with('|')) {
      split_at(line.substr(1, line.size() - (line.ends_with('|') && line.size() > 1 ? 2 : 1)), '|',
               cells_);
      take_row(line.ends_with('|'));
    } else if (csv_metrics_) {
      split_at(line, ',', cells_);
      while (!cells_.empty() && cells_.back().empty()) cells_.pop_back();
      if (!cells_.empty()) take_row(true);
    } else if (const std::size_t at = line.find("Group ");
               at != std::string_view::npos && line.find(": ", at) != std::string_view::npos) {
      // "Region solve, Group 1: MEM_DP" or "Group 1: MEM_DP"
      if (at != 0 && !line.starts_with("Region ")) return;
      const std::string_view region =
          at == 0 ? std::string_view() : line.substr(7, line.rfind(',', at) - 7);
      const std::size_t colon = line.find(": ", at);
      begin(region, line.substr(at, colon - at), line.substr(colon + 2));
    }
  }

  // Tables of one region and group follow one another; a new name ends the one before.
  void begin(std::string_view region, std::string_view number, std::string_view group) {
    std::string name = formats::printable(region.empty() ? std::string_view("whole run") : region);
    name += fmt::format(" {} {}", formats::printable(group, 30), formats::printable(number, 20));
    if (number.ends_with(" Raw") || number.ends_with(" Raw STAT")) return;
    if (region_ && region_->name() == name) return;
    finish();
    region_.emplace(name, lines_.where());
  }

  void take_row(bool complete) {
    if (cells_.size() < 2 || cells_[0] == "Metric" || cells_[0] == "Event") return;
    if (!region_) region_.emplace("whole run", lines_.where());
    if (!complete && lines_.line_is_open()) {
      throw UsageError(fmt::format("{}: the file ends within this row", lines_.where()));
    }
    region_->take(cells_[0], cells_, lines_.where());
  }

  void finish() {
    if (region_) {
      if (auto point = region_->finish()) points_.push_back(std::move(*point));
    }
    region_.reset();
  }

  formats::LineReader& lines_;
  std::vector<Point> points_;
  std::optional<Region> region_;
  Cells cells_;
  bool csv_metrics_ = false;
};

}  // namespace

bool is_likwid_perfctr_line(std::string_view line) {
  const std::string_view text = formats::trimmed(line);
  return (text.starts_with('|') && text.find("Runtime (RDTSC) [s]") != std::string_view::npos) ||
         text.starts_with("Runtime (RDTSC) [s],") ||
         (text.starts_with("TABLE,") && text.find("Metric") != std::string_view::npos);
}

std::vector<Point> read_likwid_perfctr(formats::LineReader& lines, Launches) {
  return Reader(lines).read();
}

}  // namespace hpclab::roofline::import
