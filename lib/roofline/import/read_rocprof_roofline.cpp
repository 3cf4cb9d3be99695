// hpclab: SPDX-License-Identifier: Apache-2.0
//
// roofline.csv of rocprof-compute (omniperf): one row a device with the ceilings that its
// microbenchmarks measured, GB/s and Gflop/s of 10^9, most with columns of the lowest and highest
// sample beside them.
#include "core/error.hpp"
#include "formats/table_reader.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

struct Ceiling {
  const char* column;
  const char* level;  ///< of a bandwidth; empty: of a peak
  const char* traffic;
  const char* precision;  ///< of a peak
  const char* unit;
};

// The benchmark of main memory copies, those of caches and local memory read.
constexpr Ceiling ceilings[] = {
    {"HBMBw", "dram", "copy", "", ""},
    {"MALLBw", "l3", "read", "", ""},
    {"L2Bw", "l2", "read", "", ""},
    {"L1Bw", "l1", "read", "", ""},
    {"LDSBw", "shared", "read", "", ""},
    {"FP64Flops", "", "", "fp64", "vector"},
    {"FP32Flops", "", "", "fp32", "vector"},
    {"FP16Flops", "", "", "fp16", "vector"},
    {"BF16Flops", "", "", "bf16", "vector"},
    {"MFMAF64Flops", "", "", "fp64", "tensor"},
    {"MFMAF32Flops", "", "", "fp32", "tensor"},
    {"MFMAF16Flops", "", "", "fp16", "tensor"},
    {"MFMABF16Flops", "", "", "bf16", "tensor"},
    {"MFMAF8Flops", "", "", "fp8", "tensor"},
    {"MFMAF6Flops", "", "", "fp6", "tensor"},
    {"MFMAF4Flops", "", "", "fp4", "tensor"},
};

Point point_of(const Ceiling& ceiling, const PrintedNumber& rate, std::string_view device,
               const std::string& where) {
  Point point;
  point.where = where;
  point.time_s = {1, 0};
  point.name = fmt::format("device {} {}", device, ceiling.column);
  if (*ceiling.level != '\0') {
    point.bytes[ceiling.level] = rate.value * 1e9;
    point.traffic = ceiling.traffic;
    point.figures[fmt::format("{}.{}_bytes_per_s", ceiling.level, ceiling.traffic)] =
        rate.value * 1e9;
  } else {
    point.flops = rate.value * 1e9;
    point.precision = ceiling.precision;
    point.unit = ceiling.unit;
    point.figures[fmt::format("peak.{}_{}_flops_per_s", ceiling.precision, ceiling.unit)] =
        rate.value * 1e9;
  }
  return point;
}

}  // namespace

bool is_rocprof_roofline_line(std::string_view line) {
  return line.starts_with("device,") && line.find("HBMBw") != std::string_view::npos;
}

std::vector<Point> read_rocprof_roofline(formats::LineReader& lines, Launches) {
  formats::TableOptions options;
  options.delimiter = ',';
  options.is_header = is_rocprof_roofline_line;
  formats::TableReader table(lines, options);
  const formats::ColumnNames& columns = table.columns();
  const std::size_t device = columns.require("device");
  columns.require("HBMBw");
  std::vector<Point> points;
  while (table.next()) {
    const std::string where = table.where();
    const std::int64_t number = table.integer(device);
    for (const Ceiling& ceiling : ceilings) {
      const auto column = columns.find(ceiling.column);
      if (!column) continue;
      const PrintedNumber rate =
          formats::require_printed_number(table.text(*column), ceiling.column, where);
      if (rate.value == 0) continue;  // not measured on this device
      require_positive(rate, ceiling.column, where);
      Point point = point_of(ceiling, rate, std::to_string(number), where);
      const auto low = columns.find(fmt::format("{}Low", ceiling.column));
      const auto high = columns.find(fmt::format("{}High", ceiling.column));
      if (low && high && (rate.value < table.number(*low) || rate.value > table.number(*high))) {
        point.findings.push_back(fmt::format("{:g} lies outside its own range, {:g} to {:g}",
                                             rate.value, table.number(*low), table.number(*high)));
      }
      points.push_back(std::move(point));
    }
  }
  return points;
}

}  // namespace hpclab::roofline::import
