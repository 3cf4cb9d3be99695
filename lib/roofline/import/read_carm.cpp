// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Files of the CARM tool: <machine>_roofline.csv, whose first line names what the second line's
// columns are of (L1, L1, L2, ...), and <machine>_applications.csv. GB and Gflop are 10^9.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

constexpr PrintedNumber one_second{1, 0};

std::string precision_of(std::string_view word, const std::string& where) {
  if (word == "dp") return "fp64";
  if (word == "sp") return "fp32";
  throw UsageError(
      fmt::format("{}: 'Precision' is '{}', not dp or sp", where, formats::printable(word)));
}

// What a profile calls the unit of an instruction set; "" for sets that it has no name for.
std::string peak_unit(std::string_view isa) {
  if (isa == "avx512") return "avx512";
  if (isa == "avx2" || isa == "avx") return "avx2";
  if (isa == "scalar" || isa == "armscalar" || isa == "riscvscalar") return "scalar";
  if (isa == "neon" || isa.starts_with("sve") || isa.starts_with("rvv")) return "vector";
  return "";
}

std::string level_of(std::string_view heading) {
  for (const auto& [name, level] :
       {std::pair{"L1", "l1"}, {"L2", "l2"}, {"L3", "l3"}, {"DRAM", "dram"}}) {
    if (heading == name) return level;
  }
  return "";
}

/// Bandwidths and peaks: a point for each figure of a row.
class CeilingsReader {
 public:
  CeilingsReader(formats::LineReader& lines, std::string_view first_line) {
    LineFields first(first_line);
    headings_ = first.fields;
    table_.emplace(lines, options());
  }

  std::vector<Point> read() {
    const formats::ColumnNames& columns = table_->columns();
    if (headings_.size() != columns.size()) {
      throw UsageError(fmt::format("{}: {} columns, but {} headings above them", table_->where(),
                                   columns.size(), headings_.size()));
    }
    isa_ = columns.require("ISA");
    precision_ = columns.require("Precision");
    threads_ = columns.require("Threads");
    loads_ = columns.require("Loads");
    stores_ = columns.require("Stores");
    instruction_ = columns.require("FP Inst.");
    std::vector<Point> points;
    while (table_->next()) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns.names()[i] == "GB/s" || columns.names()[i] == "Gflop/s") take(i, points);
      }
    }
    keep_figures_of_most_threads(points);
    return points;
  }

 private:
  // The whole machine is what the largest number of threads saw; one thread is one core.
  void keep_figures_of_most_threads(std::vector<Point>& points) const {
    const std::int64_t most =
        threads_of_points_.empty()
            ? 0
            : *std::max_element(threads_of_points_.begin(), threads_of_points_.end());
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (threads_of_points_[i] != 1 && threads_of_points_[i] != most) points[i].figures.clear();
    }
  }

  struct LineFields {
    explicit LineFields(std::string_view line) {
      for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        fields.emplace_back(formats::trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
      }
    }
    std::vector<std::string> fields;
  };

  static formats::TableOptions options() {
    formats::TableOptions options;
    options.delimiter = ',';
    return options;
  }

  void take(std::size_t column, std::vector<Point>& points) {
    const std::string where = table_->where();
    const std::string& heading = headings_[column];
    const PrintedNumber rate =
        formats::require_printed_number(table_->text(column), heading, where);
    if (rate.value == 0) return;  // a level that the machine lacks
    require_positive(rate, heading, where);
    const std::string isa = formats::printable(table_->text(isa_), 30);
    Point point;
    point.where = where;
    point.time_s = one_second;
    point.precision = precision_of(table_->text(precision_), where);
    const std::int64_t threads = table_->integer(threads_);
    const char* scope = threads == 1 ? "core_" : "";
    point.name = fmt::format("{} {} {} {} threads", heading, isa, point.precision, threads);
    if (const std::string level = level_of(heading); !level.empty()) {
      point.bytes[level] = rate.value * 1e9;
      const std::int64_t loads = table_->integer(loads_);
      const std::int64_t stores = table_->integer(stores_);
      point.traffic = stores == 0           ? "read"
                      : loads == 0          ? "write"
                      : loads == stores     ? "copy"
                      : loads == 2 * stores ? "triad"
                                            : "";
      if (!point.traffic.empty()) {
        point.figures[fmt::format("{}.{}{}_bytes_per_s", level, scope, point.traffic)] =
            rate.value * 1e9;
      }
    } else {
      point.flops = rate.value * 1e9;
      const std::string instruction = formats::printable(table_->text(instruction_), 20);
      const bool fused = heading.find("FMA") != std::string::npos || instruction == "fma";
      point.name += " " + (heading.find("FMA") != std::string::npos ? "fma" : instruction);
      if (const std::string unit = peak_unit(isa); fused && !unit.empty()) {
        point.figures[fmt::format("peak.{}{}_{}_flops_per_s", scope, point.precision, unit)] =
            point.flops;
      }
    }
    threads_of_points_.push_back(threads);
    points.push_back(std::move(point));
  }

  std::vector<std::string> headings_;
  std::vector<std::int64_t> threads_of_points_;
  std::optional<formats::TableReader> table_;
  std::size_t isa_ = 0, precision_ = 0, threads_ = 0, loads_ = 0, stores_ = 0, instruction_ = 0;
};

/// Operations over time, with the intensity that counters or instrumentation gave.
std::vector<Point> read_applications(formats::LineReader& lines, std::string_view header) {
  formats::TableOptions options;
  options.delimiter = ',';
  formats::TableReader table(lines, header, options);
  const formats::ColumnNames& columns = table.columns();
  const std::size_t method = columns.require("Method");
  const std::size_t name = columns.require("Name");
  const std::size_t precision = columns.require("Precision");
  const std::size_t intensity = columns.require("AI");
  const std::size_t flops = columns.require("Gflops");
  const std::size_t bandwidth = columns.require("Bandwidth");
  const std::size_t time = columns.require("Time");
  const auto positive = [&](std::size_t column) {
    return require_positive(
        formats::require_printed_number(table.text(column), columns.names()[column], table.where()),
        columns.names()[column], table.where());
  };
  std::vector<Point> points;
  while (table.next()) {
    Point point;
    point.where = table.where();
    point.name = fmt::format("{} ({})", formats::printable(table.text(name), 100),
                             formats::printable(table.text(method), 20));
    if (!table.text(precision).empty())
      point.precision = precision_of(table.text(precision), table.where());
    point.time_s = positive(time);
    const PrintedNumber rate = positive(flops).scaled(1e9);
    const PrintedNumber flops_per_byte = positive(intensity);
    point.flops = rate.value * point.time_s.value;
    // All loads and stores of the program, whatever level served them.
    point.bytes["l1"] = point.flops / flops_per_byte.value;
    point.checks.push_back(
        range_check(Quantity::bytes, "Bandwidth", positive(bandwidth).scaled(1e9),
                    rate.low() / flops_per_byte.high(),
                    rate.high() / std::max(flops_per_byte.low(), 0.1 * flops_per_byte.value)));
    points.push_back(std::move(point));
  }
  return points;
}

bool is_applications_header(std::string_view line) {
  return line.starts_with("Date,Method,Name,ISA,Precision,Threads");
}

bool is_ceilings_line(std::string_view line) {
  return line.starts_with("Name:,") && line.find(",L1 Size:,") != std::string_view::npos;
}

}  // namespace

bool is_carm_line(std::string_view line) {
  return is_applications_header(line) || is_ceilings_line(line);
}

std::vector<Point> read_carm(formats::LineReader& lines, Launches) {
  for (std::string_view line; lines.next(line);) {
    if (is_applications_header(line)) return read_applications(lines, line);
    if (is_ceilings_line(line)) return CeilingsReader(lines, line).read();
  }
  return {};
}

}  // namespace hpclab::roofline::import
