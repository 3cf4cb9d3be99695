// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Nsight Compute, `ncu --csv`: with --page raw a column a metric and a row of units below the
// header; otherwise a row a metric ("Metric Name","Metric Unit","Metric Value"). Metric names as in
// the Nsight Compute documentation and its roofline sections.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "roofline/import/launches.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

constexpr const char* time_metric = "gpu__time_duration.sum";
constexpr double sector_bytes = 32;
constexpr double wavefront_bytes = 128;

/// Metrics that are read; units of others may be anything.
bool is_wanted(std::string_view metric) {
  static constexpr std::string_view begins[] = {"gpu__time_duration.",
                                                "dram__bytes",
                                                "dram__throughput.avg.pct",
                                                "dram__cycles_elapsed.avg",
                                                "lts__t_sectors",
                                                "lts__t_bytes",
                                                "l1tex__t_sectors_pipe_lsu_mem_global_op_",
                                                "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                                "smsp__sass_thread_inst_executed_op",
                                                "sm__sass_thread_inst_executed_op",
                                                "smsp__cycles_elapsed.avg.per_second",
                                                "sm__ops_path_tensor_src_"};
  return std::any_of(std::begin(begins), std::end(begins),
                     [&](std::string_view begin) { return metric.starts_with(begin); });
}

/// Factor to SI (per cent stay per cent); UsageError for a unit that is none of ncu's.
double factor_of(std::string_view unit, std::string_view metric, const std::string& where) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  static constexpr Unit units[] = {{"", 1},
                                   {"%", 1},
                                   {"inst", 1},
                                   {"sector", 1},
                                   {"op", 1},
                                   {"cycle", 1},
                                   {"wavefront", 1},
                                   {"inst/cycle", 1},
                                   {"op/cycle", 1},
                                   {"thread", 1},
                                   {"request", 1},
                                   {"nsecond", 1e-9},
                                   {"ns", 1e-9},
                                   {"usecond", 1e-6},
                                   {"us", 1e-6},
                                   {"msecond", 1e-3},
                                   {"ms", 1e-3},
                                   {"second", 1},
                                   {"s", 1},
                                   {"byte", 1},
                                   {"byte/second", 1},
                                   {"byte/s", 1},
                                   {"byte/cycle", 1},
                                   {"cycle/second", 1},
                                   {"cycle/usecond", 1e6},
                                   {"cycle/nsecond", 1e9},
                                   {"hz", 1},
                                   {"Hz", 1},
                                   {"sector/second", 1},
                                   {"sector/s", 1}};
  for (const Unit& known : units) {
    if (unit == known.name) return known.factor;
  }
  // K, M, G and T are powers of 1000.
  static constexpr Unit prefixes[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
  for (const Unit& prefix : prefixes) {
    if (!unit.starts_with(prefix.name)) continue;
    for (const Unit& known : units) {
      if (!known.name.empty() && unit.substr(1) == known.name) return prefix.factor * known.factor;
    }
  }
  throw UsageError(fmt::format("{}: unknown unit '{}' of {}; use ncu --print-units base", where,
                               formats::printable(unit), metric));
}

/// "1,234,567.8": ncu groups digits by commas in most locales.
double grouped_number(std::string_view text, std::string_view metric, const std::string& where) {
  std::string digits;
  std::size_t since_comma = 0;
  bool grouped = false;
  bool whole = true;  // before the decimal point
  for (const char c : text) {
    if (c == '.') whole = false;
    if (c != ',' || !whole) {
      digits += c;
      since_comma += whole ? 1 : 0;
      continue;
    }
    const bool good = grouped ? since_comma == 3 : since_comma >= 1 && since_comma <= 3;
    if (!good) {
      throw UsageError(
          fmt::format("{}: '{}' is '{}': commas group three digits here; run ncu in the "
                      "C locale",
                      where, metric, formats::printable(text)));
    }
    grouped = true;
    since_comma = 0;
  }
  if (grouped && since_comma != 3) {
    throw UsageError(fmt::format("{}: '{}' is '{}': a decimal comma? run ncu in the C locale",
                                 where, metric, formats::printable(text)));
  }
  const double value = formats::require_number(digits, metric, where);
  if (value < 0) throw UsageError(fmt::format("{}: '{}' is {:g}, below 0", where, metric, value));
  return value;
}

void set_metric(Launch& launch, std::string_view metric, std::string_view unit,
                std::string_view value, const std::string& where) {
  if (!is_wanted(metric) || value.empty() || value == "n/a" || value == "(!) n/a") return;
  launch.counters[std::string(metric)] =
      grouped_number(value, metric, where) * factor_of(unit, metric, where);
}

void read_wide(formats::TableReader& table, LaunchPoints& points) {
  const formats::ColumnNames& columns = table.columns();
  const std::size_t id = columns.require("ID");
  const std::size_t kernel = columns.require("Kernel Name");
  columns.require(time_metric);
  std::vector<std::string> units(columns.size());
  while (table.next()) {
    if (table.text(id).empty()) {  // the row of units
      units.assign(table.fields().begin(), table.fields().end());
      continue;
    }
    Launch launch;
    launch.kernel = table.text(kernel);
    launch.where = table.where();
    for (std::size_t i = 0; i < columns.size(); ++i)
      set_metric(launch, columns.names()[i], units[i], table.text(i), launch.where);
    points.add(launch);
  }
}

void read_long(formats::TableReader& table, LaunchPoints& points) {
  const formats::ColumnNames& columns = table.columns();
  const std::size_t id = columns.require("ID");
  const std::size_t kernel = columns.require("Kernel Name");
  const std::size_t metric = columns.require("Metric Name");
  const std::size_t unit = columns.require("Metric Unit");
  const std::size_t value = columns.require("Metric Value");
  std::optional<Launch> launch;
  std::string last;
  while (table.next()) {
    if (!launch || table.text(id) != last) {
      if (launch) points.add(*launch);
      last = table.text(id);
      launch.emplace();
      launch->kernel = table.text(kernel);
      launch->where = table.where();
    }
    set_metric(*launch, table.text(metric), table.text(unit), table.text(value), table.where());
  }
  if (launch) points.add(*launch);
}

/// Counts of a thread instruction: in all, or a cycle (roofline sections) times cycles.
double instructions(const Launch& launch, const std::string& op, double time_s) {
  for (const char* unit : {"smsp", "sm"}) {
    const std::string name =
        fmt::format("{}__sass_thread_inst_executed_op_{}_pred_on.sum", unit, op);
    if (const auto count = launch.find(name)) return *count;
    if (const auto rate = launch.find(name + ".per_cycle_elapsed"))
      return *rate * launch.value_or_0("smsp__cycles_elapsed.avg.per_second") * time_s;
  }
  return 0;
}

void add_flops(const Launch& launch, Point& point) {
  struct Kind {
    const char* precision;
    const char* unit;
    double flops;
  };
  std::vector<Kind> kinds;
  const double time = point.time_s.value;
  for (const auto& [letter, precision] : {std::pair{"d", "fp64"}, {"f", "fp32"}, {"h", "fp16"}}) {
    const auto count = [&](const char* op) {
      return instructions(launch, std::string(letter) + op, time);
    };
    double flops = count("add") + count("mul") + 2 * count("fma");
    if (flops == 0) {
      // One metric for all three, which counts a multiply-add once.
      const auto together = launch.find(fmt::format(
          "sm__sass_thread_inst_executed_ops_{0}add_{0}mul_{0}fma_pred_on.sum", letter));
      if (together && *together > 0) {
        flops = *together;
        point.findings.push_back(fmt::format(
            "the only count of {} is of instructions, where a multiply-add is one: between one and "
            "two operations each",
            precision));
      }
    }
    kinds.push_back({precision, "vector", flops});
  }
  for (const auto& [source, precision] : {std::pair{"fp64", "fp64"},
                                          {"tf32_dst_fp32", "tf32"},
                                          {"bf16_dst_fp32", "bf16"},
                                          {"fp16", "fp16"},
                                          {"fp16_dst_fp32", "fp16"},
                                          {"fp8", "fp8"}}) {
    const double operations =
        launch.value_or_0(fmt::format("sm__ops_path_tensor_src_{}.sum", source));
    kinds.push_back({precision, "tensor", operations});
  }
  const Kind* most = &kinds.front();
  for (const Kind& kind : kinds) {
    point.flops += kind.flops;
    if (kind.flops > most->flops) most = &kind;
  }
  if (point.flops == 0) return;
  point.precision = most->precision;
  point.unit = most->unit;
  if (most->flops < 0.95 * point.flops)
    point.notes.push_back(fmt::format("{:.0f} % of the operations are {} {}",
                                      100 * most->flops / point.flops, most->precision,
                                      most->unit));
}

void add_bytes(const Launch& launch, Point& point) {
  if (launch.has_all({"dram__bytes_read.sum", "dram__bytes_write.sum"})) {
    point.bytes["dram"] =
        launch.value_or_0("dram__bytes_read.sum") + launch.value_or_0("dram__bytes_write.sum");
  } else if (const auto all = launch.find("dram__bytes.sum")) {
    point.bytes["dram"] = *all;
  } else if (launch.find("dram__bytes_read.sum") || launch.find("dram__bytes_write.sum")) {
    point.findings.emplace_back(
        "only one of dram__bytes_read.sum and dram__bytes_write.sum was collected: half of the "
        "DRAM traffic is unknown, so it is left out");
  }
  const double l2 = launch.value_or_0("lts__t_sectors_op_read.sum") +
                    launch.value_or_0("lts__t_sectors_op_write.sum");
  if (const auto bytes = launch.find("lts__t_bytes.sum")) {
    point.bytes["l2"] = *bytes;
  } else if (l2 > 0) {
    point.bytes["l2"] = l2 * sector_bytes;
  }
  const double l1 = launch.value_or_0("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                    launch.value_or_0("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum");
  if (l1 > 0) point.bytes["l1"] = l1 * sector_bytes;
  if (const auto wavefronts = launch.find("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"))
    point.bytes["shared"] = *wavefronts * wavefront_bytes;
}

Point point_of(const Launch& launch) {
  Point point;
  const auto time = launch.find(time_metric);
  if (!time) {
    throw UsageError(fmt::format("{}: launch of {} without {}", launch.where,
                                 formats::printable(launch.kernel), time_metric));
  }
  if (*time <= 0) throw UsageError(fmt::format("{}: {} is 0", launch.where, time_metric));
  point.time_s = {*time, *time * 5e-4};  // what scaled units may have cut off
  add_flops(launch, point);
  add_bytes(launch, point);
  const auto per_cycle = launch.find("dram__bytes.sum.peak_sustained");
  const auto clock = launch.find("dram__cycles_elapsed.avg.per_second");
  const auto dram = point.bytes.find("dram");
  if (per_cycle && clock && *per_cycle > 0 && *clock > 0) {
    point.figures["dram.theoretical_bytes_per_s"] = *per_cycle * *clock;
    const auto percent = launch.find("dram__throughput.avg.pct_of_peak_sustained_elapsed");
    const double expected =
        dram == point.bytes.end() ? 0 : 100 * dram->second / *time / (*per_cycle * *clock);
    if (percent && expected > 0 && std::abs(*percent - expected) > 3) {
      point.findings.push_back(fmt::format(
          "dram__throughput is printed as {:.1f} %, bytes over time are {:.1f} % of the peak",
          *percent, expected));
    }
  }
  if (const auto rate = launch.find("dram__bytes.sum.per_second");
      rate && dram != point.bytes.end())
    point.checks.push_back(rate_check(Quantity::bytes, "dram__bytes.sum.per_second",
                                      {*rate, *rate * 0.01}, dram->second, point.time_s));
  if (point.flops == 0 && point.bytes.empty()) {
    throw UsageError(fmt::format(
        "{}: neither operations nor bytes of {} were collected; needed are "
        "smsp__sass_thread_inst_executed_op_{{dadd,dmul,dfma,fadd,fmul,ffma}}_pred_on.sum, "
        "dram__bytes_read.sum, dram__bytes_write.sum (ncu --set roofline has them)",
        launch.where, formats::printable(launch.kernel)));
  }
  return point;
}

bool is_header(std::string_view line) {
  return line.starts_with("\"ID\"") && line.find("\"Kernel Name\"") != std::string_view::npos;
}

}  // namespace

bool is_ncu_line(std::string_view line) {
  return is_header(line);
}

std::vector<Point> read_ncu(formats::LineReader& lines, Launches how) {
  formats::TableOptions options;
  options.delimiter = ',';
  options.comment = '=';  // "==PROF== ..." may come between rows
  options.is_header = is_header;
  formats::TableReader table(lines, options);
  LaunchPoints points(point_of, how);
  if (table.columns().find("Metric Name")) {
    read_long(table, points);
  } else {
    read_wide(table, points);
  }
  return points.finish();
}

}  // namespace hpclab::roofline::import
