// hpclab: SPDX-License-Identifier: Apache-2.0
//
// BabelStream: its CSV (--csv, of several runs one after another) and its printed text. Bandwidths
// are bytes over the shortest time; MB is 10^6 bytes, with --mibibytes MiB (src/main.cpp of
// UoB-HPC/BabelStream). --triad-only writes other columns.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

struct Kernel {
  const char* name;
  double arrays;        ///< read or written
  double flops;         ///< an element
  const char* traffic;  ///< what a machine profile calls it; dot reads only
};

constexpr Kernel kernels[] = {
    {"Copy", 2, 0, "copy"},   {"Mul", 2, 1, "scale"}, {"Add", 3, 1, ""},
    {"Triad", 3, 2, "triad"}, {"Dot", 2, 2, "read"},  {"Nstream", 4, 3, ""},
};

constexpr double mebibyte = 1048576;

/// Arrays that are surely no cache's: a figure of main memory rests on three of them together.
constexpr double least_memory_bytes = 512 * mebibyte;

const Kernel& kernel_of(std::string_view name, const std::string& where) {
  for (const Kernel& kernel : kernels) {
    if (name == kernel.name) return kernel;
  }
  throw UsageError(
      fmt::format("{}: unknown kernel '{}'; known are Copy, Mul, Add, Triad, Dot, Nstream", where,
                  formats::printable(name)));
}

// `elements` may be known to the digits of a printed size only.
Point point_of(const Kernel& kernel, const PrintedNumber& elements, double word,
               const PrintedNumber& time_s, const PrintedNumber& bandwidth,
               const char* bandwidth_name, const std::string& where) {
  Point point;
  point.where = where;
  point.precision = word == 4 ? "fp32" : "fp64";
  point.time_s = time_s;
  const PrintedNumber bytes = elements.scaled(kernel.arrays * word);
  point.flops = kernel.flops * elements.value;
  point.bytes["dram"] = bytes.value;
  point.working_set_bytes = 3 * elements.value * word;
  point.traffic = kernel.traffic;
  point.name = fmt::format("{} {:.4g} MB", kernel.name, elements.value * word / 1e6);
  Check check = rate_check(Quantity::bytes, bandwidth_name, bandwidth, bytes.value, time_s);
  check.low *= bytes.low() / bytes.value;
  check.high *= bytes.high() / bytes.value;
  point.checks.push_back(std::move(check));
  if (*kernel.traffic != '\0' && point.working_set_bytes >= least_memory_bytes) {
    point.figures[fmt::format("dram.{}_bytes_per_s", kernel.traffic)] =
        point.bytes["dram"] / time_s.value;
  }
  return point;
}

bool is_csv_header(std::string_view line) {
  return line.starts_with("function") && line.find("n_elements") != std::string_view::npos &&
         line.find("sizeof") != std::string_view::npos;
}

std::vector<Point> read_csv(formats::LineReader& lines, std::string_view header) {
  formats::TableReader table(lines, header);
  const formats::ColumnNames& columns = table.columns();
  const std::size_t function = columns.require("function");
  const std::size_t times = columns.require("num_times");
  const std::size_t elements = columns.require("n_elements");
  const std::size_t word = columns.require("sizeof");
  const std::size_t bandwidth = columns.require_one_of(
      {"max_mbytes_per_sec", "max_mibytes_per_sec", "gbytes_per_sec", "gibytes_per_sec"});
  const std::string bandwidth_name = columns.names()[bandwidth];
  const double unit = bandwidth_name == "max_mbytes_per_sec"    ? 1e6
                      : bandwidth_name == "max_mibytes_per_sec" ? mebibyte
                      : bandwidth_name == "gbytes_per_sec"      ? 1e9
                                                                : mebibyte * 1024;
  // With --triad-only all repetitions have one time.
  const bool one_time = columns.find("runtime").has_value();
  const std::size_t time = columns.require(one_time ? "runtime" : "min_runtime");
  const auto positive = [&](std::size_t column) {
    return require_positive(
        formats::require_printed_number(table.text(column), columns.names()[column], table.where()),
        columns.names()[column], table.where());
  };
  std::vector<Point> points;
  while (table.next_of_any_width()) {
    const std::string_view first = table.text(0);
    if (first == "function" || first == "phase" || first == "Init" || first == "Read") continue;
    if (table.fields().size() != columns.size()) {
      throw UsageError(fmt::format("{}: {} fields, but the header has {}", table.where(),
                                   table.fields().size(), columns.size()));
    }
    const Kernel& kernel = kernel_of(table.text(function), table.where());
    PrintedNumber time_s = positive(time);
    if (one_time) time_s = time_s.scaled(1 / positive(times).value);
    const double bytes_a_word = positive(word).value;
    if (bytes_a_word != 4 && bytes_a_word != 8) {
      throw UsageError(
          fmt::format("{}: 'sizeof' is {:g}, not 4 or 8", table.where(), bytes_a_word));
    }
    points.push_back(point_of(kernel, {positive(elements).value, 0}, bytes_a_word, time_s,
                              positive(bandwidth).scaled(unit), bandwidth_name.c_str(),
                              table.where()));
  }
  return points;
}

/// The printed text: sizes in its head, then a table set apart by blanks.
class TextReader {
 public:
  explicit TextReader(formats::LineReader& lines) : lines_(lines) {}

  void take(std::string_view line) {
    if (line.starts_with("Precision:")) {
      word_ = line.find("float") != std::string_view::npos ? 4 : 8;
    } else if (line.starts_with("Array size:")) {
      take_size(line);
    } else if (line.starts_with("Function ")) {
      unit_ = line.find("MiBytes/sec") != std::string_view::npos ? mebibyte : 1e6;
      within_ = true;
    } else if (within_) {
      take_row(line);
    }
  }

  std::vector<Point> finish() { return std::move(points_); }

 private:
  void take_size(std::string_view line) {
    const LineValues values(lines_, line);
    const bool binary = line.find(" MiB") != std::string_view::npos;
    array_bytes_ = values.positive("Array size:").scaled(binary ? mebibyte : 1e6);
  }

  void take_row(std::string_view line) {
    formats::split_words(line, words_);
    if (words_.empty()) {
      within_ = false;
      return;
    }
    const std::string where = lines_.where();
    const Kernel& kernel = kernel_of(words_[0], where);
    if (words_.size() != 5) {
      throw UsageError(
          fmt::format("{}: {} words, but a row has 5; was the line cut?", where, words_.size()));
    }
    if (array_bytes_.value == 0)
      throw UsageError(fmt::format("{}: no line 'Array size: ...' before the table", where));
    const auto number = [&](std::size_t i, const char* what) {
      return require_positive(formats::require_printed_number(words_[i], what, where), what, where);
    };
    const PrintedNumber bandwidth = number(1, "MBytes/sec").scaled(unit_);
    const PrintedNumber time_s = number(2, "Min (sec)");
    number(3, "Max");
    number(4, "Average");
    // The size is printed to 0.1 MB; arrays are whole powers of 2 unless told otherwise.
    PrintedNumber elements = array_bytes_.scaled(1 / word_);
    const double power = std::exp2(std::round(std::log2(elements.value)));
    if (power >= elements.low() && power <= elements.high()) elements = {power, 0};
    points_.push_back(point_of(kernel, elements, word_, time_s, bandwidth,
                               unit_ == 1e6 ? "MBytes/sec" : "MiBytes/sec", where));
  }

  formats::LineReader& lines_;
  std::vector<std::string_view> words_;
  std::vector<Point> points_;
  PrintedNumber array_bytes_;
  double word_ = 8;
  double unit_ = 1e6;
  bool within_ = false;
};

}  // namespace

bool is_babelstream_line(std::string_view line) {
  return is_csv_header(line) || formats::trimmed(line) == "BabelStream" ||
         (line.starts_with("phase") && line.find("n_elements") != std::string_view::npos);
}

std::vector<Point> read_babelstream(formats::LineReader& lines, Launches) {
  TextReader text(lines);
  std::vector<Point> points;
  bool gpu = false;
  for (std::string_view line; lines.next(line);) {
    // Builds for GPUs name the device, with --csv too.
    for (const char* device : {"Using CUDA device", "Using HIP device"})
      gpu = gpu || line.starts_with(device);
    if (is_csv_header(line)) {
      points = read_csv(lines, line);
      break;
    }
    text.take(line);
  }
  if (points.empty()) points = text.finish();
  for (Point& point : points) point.machine_kind = gpu ? "gpu" : "";
  return points;
}

}  // namespace hpclab::roofline::import
