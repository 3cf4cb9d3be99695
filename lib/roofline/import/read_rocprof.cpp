// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Counters of AMD GPUs: pmc_perf.csv of rocprof-compute (omniperf) and results.csv of rocprof have
// a column a counter, counter_collection.csv of rocprofv3 a row a counter. Operations and bytes by
// the counters' documented units: an instruction is of 64 lanes, MFMA_MOPS are units of 512
// operations, requests to memory are of 32, 64 or (TCC_BUBBLE) 128 bytes, FETCH_SIZE and WRITE_SIZE
// are in units of 1024 bytes.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "roofline/import/launches.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

constexpr double lanes = 64;
constexpr double operations_a_mop = 512;
constexpr double nanosecond = 1e-9;
constexpr const char* duration = "duration_s";  // our own entry among the counters

bool is_counter(std::string_view name) {
  for (const char* begin : {"SQ_INSTS_VALU_", "TCC_EA", "TCC_BUBBLE_sum", "TCP_TCC_",
                            "TCP_TOTAL_CACHE_ACCESSES_sum", "FETCH_SIZE", "WRITE_SIZE"}) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

double positive_or_0(const formats::TableReader& table, std::size_t column,
                     std::string_view counter) {
  const double value = formats::require_number(table.text(column), counter, table.where());
  if (value < 0)
    throw UsageError(fmt::format("{}: '{}' is {:g}, below 0", table.where(), counter, value));
  return value;
}

/// Columns of the two moments of a launch.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  explicit Span(const formats::ColumnNames& columns)
      : begin(columns.require_one_of({"Start_Timestamp", "BeginNs", "Start_Time"})),
        end(columns.require_one_of({"End_Timestamp", "EndNs", "End_Time"})) {}

  double seconds(const formats::TableReader& table) const {
    // Nanoseconds since boot need all digits of a 64-bit integer.
    const std::int64_t first = table.integer(begin);
    const std::int64_t last = table.integer(end);
    if (first < 0 || last <= first) {
      throw UsageError(fmt::format("{}: the launch ends at {} ns, not after its start at {} ns",
                                   table.where(), last, first));
    }
    return static_cast<double>(last - first) * nanosecond;
  }
};

void read_wide(formats::TableReader& table, LaunchPoints& points) {
  const formats::ColumnNames& columns = table.columns();
  const std::size_t kernel = columns.require_one_of({"Kernel_Name", "KernelName"});
  const Span span(columns);
  while (table.next()) {
    Launch launch;
    launch.kernel = table.text(kernel);
    launch.where = table.where();
    launch.counters[duration] = span.seconds(table);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (is_counter(columns.names()[i]) && !table.text(i).empty())
        launch.counters[columns.names()[i]] = positive_or_0(table, i, columns.names()[i]);
    }
    points.add(launch);
  }
}

void read_long(formats::TableReader& table, LaunchPoints& points) {
  const formats::ColumnNames& columns = table.columns();
  const std::size_t dispatch = columns.require("Dispatch_Id");
  const std::size_t kernel = columns.require("Kernel_Name");
  const std::size_t counter = columns.require("Counter_Name");
  const std::size_t value = columns.require("Counter_Value");
  const Span span(columns);
  std::vector<Launch> launches;
  std::map<std::int64_t, std::size_t> of_dispatch;
  while (table.next()) {
    const auto [found, fresh] = of_dispatch.try_emplace(table.integer(dispatch), launches.size());
    if (fresh) {
      Launch& launch = launches.emplace_back();
      launch.kernel = table.text(kernel);
      launch.where = table.where();
      launch.counters[duration] = span.seconds(table);
    }
    const std::string name(table.text(counter));
    if (!is_counter(name)) continue;
    // One row an instance of the counter: they add up.
    launches[found->second].counters[name] += positive_or_0(table, value, name);
  }
  for (const Launch& launch : launches) points.add(launch);
}

void add_flops(const Launch& launch, Point& point) {
  double most = 0;
  const auto take = [&](double flops, const char* precision, const char* unit) {
    point.flops += flops;
    if (flops <= most) return;
    most = flops;
    point.precision = precision;
    point.unit = unit;
  };
  for (const auto& [type, precision] :
       {std::pair{"F64", "fp64"}, {"F32", "fp32"}, {"F16", "fp16"}}) {
    const auto count = [&](const char* op) {
      return launch.value_or_0(fmt::format("SQ_INSTS_VALU_{}_{}", op, type));
    };
    take(lanes * (count("ADD") + count("MUL") + count("TRANS") + 2 * count("FMA")), precision,
         "vector");
  }
  for (const auto& [type, precision] : {std::pair{"F64", "fp64"},
                                        {"F32", "fp32"},
                                        {"F16", "fp16"},
                                        {"BF16", "bf16"},
                                        {"F8", "fp8"}}) {
    take(operations_a_mop * launch.value_or_0(fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", type)),
         precision, "tensor");
  }
}

// Requests of the L2 to memory; the names changed with MI300.
std::optional<double> memory_bytes(const Launch& launch) {
  for (const char* unit : {"TCC_EA0", "TCC_EA"}) {
    const auto name = [&](const char* what) { return fmt::format("{}_{}_sum", unit, what); };
    if (!launch.has_all({name("RDREQ"), name("WRREQ")})) continue;
    const double small = launch.value_or_0(name("RDREQ_32B"));
    const double large = launch.value_or_0("TCC_BUBBLE_sum");
    const double reads = launch.value_or_0(name("RDREQ"));
    const double writes = launch.value_or_0(name("WRREQ"));
    const double full = launch.value_or_0(name("WRREQ_64B"));
    return 32 * small + 128 * large + 64 * std::max(0.0, reads - small - large) + 64 * full +
           32 * std::max(0.0, writes - full);
  }
  if (launch.has_all({"FETCH_SIZE", "WRITE_SIZE"}))
    return 1024 * (launch.value_or_0("FETCH_SIZE") + launch.value_or_0("WRITE_SIZE"));
  return std::nullopt;
}

Point point_of(const Launch& launch) {
  Point point;
  const double time = launch.counters.at(duration);
  point.time_s = {time, 0.5 * nanosecond};
  add_flops(launch, point);
  if (const auto bytes = memory_bytes(launch)) point.bytes["dram"] = *bytes;
  const double l2 = launch.value_or_0("TCP_TCC_READ_REQ_sum") +
                    launch.value_or_0("TCP_TCC_WRITE_REQ_sum") +
                    launch.value_or_0("TCP_TCC_ATOMIC_WITH_RET_REQ_sum") +
                    launch.value_or_0("TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum");
  if (l2 > 0) point.bytes["l2"] = 64 * l2;
  if (const auto accesses = launch.find("TCP_TOTAL_CACHE_ACCESSES_sum"))
    point.bytes["l1"] = 64 * *accesses;
  if (point.flops == 0 && point.bytes.empty()) {
    throw UsageError(
        fmt::format("{}: neither operations nor bytes of {} were counted; needed are "
                    "SQ_INSTS_VALU_{{ADD,MUL,FMA,TRANS}}_F64 and such, and TCC_EA_RDREQ_sum with "
                    "TCC_EA_WRREQ_sum (TCC_EA0_... on MI300) or FETCH_SIZE with WRITE_SIZE",
                    launch.where, formats::printable(launch.kernel)));
  }
  return point;
}

bool has_name(std::string_view line, std::string_view name) {
  return line.find(name) != std::string_view::npos;
}

}  // namespace

bool is_rocprof_line(std::string_view line) {
  if (!has_name(line, ",")) return false;
  const bool kernels = has_name(line, "Kernel_Name") || has_name(line, "KernelName");
  return kernels &&
         (has_name(line, "Counter_Name") || has_name(line, "SQ_") || has_name(line, "TCC_") ||
          has_name(line, "FETCH_SIZE") || has_name(line, "BeginNs"));
}

std::vector<Point> read_rocprof(formats::LineReader& lines, Launches how) {
  formats::TableOptions options;
  options.delimiter = ',';
  options.is_header = is_rocprof_line;
  formats::TableReader table(lines, options);
  LaunchPoints points(point_of, how);
  if (table.columns().find("Counter_Name")) {
    read_long(table, points);
  } else {
    read_wide(table, points);
  }
  return points.finish();
}

}  // namespace hpclab::roofline::import
