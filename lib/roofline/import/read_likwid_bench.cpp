// hpclab: SPDX-License-Identifier: Apache-2.0
//
// likwid-bench: one block of "key: value" lines a run, from "Test: NAME" to "MByte/s:" (10^6 bytes)
// and below. Which memory level a run is of, its size says.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

/// Operations of an update of likwid-bench's own kernels, and what a profile calls their traffic.
struct Kernel {
  const char* name;
  double flops;
  const char* traffic;
};

constexpr Kernel kernels[] = {
    {"load", 0, "read"},     {"store", 0, "write"},  {"copy", 0, "copy"},
    {"update", 0, "update"}, {"sum", 1, "read"},     {"ddot", 2, "read"},
    {"daxpy", 2, "update"},  {"stream", 2, "triad"}, {"triad", 2, ""},
};

const Kernel* find_kernel(std::string_view test) {
  const std::string_view stem = test.substr(0, test.find('_'));
  for (const Kernel& kernel : kernels) {
    if (stem == kernel.name) return &kernel;
  }
  return nullptr;
}

bool has_word(std::string_view test, std::string_view word) {
  for (std::size_t begin = 0; begin <= test.size();) {
    const std::size_t end = std::min(test.find('_', begin), test.size());
    if (test.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

// The unit of a profile's peak that the kernel's instructions belong to.
std::string peak_unit(std::string_view test) {
  if (has_word(test, "avx512")) return "avx512";
  if (has_word(test, "avx")) return "avx2";
  if (has_word(test, "sse")) return "";
  return "scalar";
}

// Sizes that leave no doubt on any processor of today; "" for those between.
std::string certain_level(double total_bytes, double a_thread_bytes) {
  if (a_thread_bytes <= 32 * 1024) return "l1";
  if (a_thread_bytes >= 100 * 1024 && a_thread_bytes <= 256 * 1024) return "l2";
  if (total_bytes >= 1073741824.0) return "dram";
  return "";
}

class Block {
 public:
  Block(const formats::LineReader& lines, std::string test)
      : lines_(lines), test_(std::move(test)), where_(lines.where()) {}

  void take(std::string_view key, std::string_view value) {
    static constexpr std::string_view wanted[] = {"Time",
                                                  "Iterations per thread",
                                                  "Size (Byte)",
                                                  "Size",
                                                  "Size per thread",
                                                  "Number of Flops",
                                                  "MFlops/s",
                                                  "Data volume (Byte)",
                                                  "MByte/s",
                                                  "Load bytes per element",
                                                  "Store bytes per elem.",
                                                  "Cycles",
                                                  "CPU Clock"};
    for (const std::string_view name : wanted) {
      if (key != name) continue;
      const std::string_view number = value.substr(0, value.find_first_of(" \t"));
      values_[std::string(key)] = formats::require_printed_number(number, key, lines_.where());
    }
  }

  void set_threads(int threads) { threads_ = threads; }

  Point finish() const {
    Point point;
    point.where = where_;
    const bool single = has_word(test_, "sp");
    point.precision = single ? "fp32" : "fp64";
    point.time_s = positive("Time");
    const double volume = positive("Data volume (Byte)").value;
    point.flops = number("Number of Flops").value;
    if (point.flops < 0) throw UsageError(fmt::format("{}: 'Number of Flops' is negative", where_));
    point.bytes[by_working_set] = volume;
    point.working_set_bytes =
        find("Size (Byte)") ? positive("Size (Byte)").value : positive("Size").value;
    if (const auto size = find("Size per thread")) point.working_set_a_thread_bytes = size->value;
    point.name =
        fmt::format("{} {:.4g} kB", formats::printable(test_), point.working_set_bytes / 1e3);
    point.checks.push_back(rate_check(Quantity::bytes, "MByte/s", positive("MByte/s").scaled(1e6),
                                      volume, point.time_s));
    const PrintedNumber flop_rate = number("MFlops/s").scaled(1e6);
    if (point.flops > 0 || flop_rate.value > 0) {
      point.checks.push_back(
          rate_check(Quantity::flops, "MFlops/s", flop_rate, point.flops, point.time_s));
    }
    check_counts(point, volume);
    add_figure(point);
    return point;
  }

 private:
  // The volume against sizes and repetitions, the operations against the kernel's definition.
  void check_counts(Point& point, double volume) const {
    if (const auto repetitions = find("Iterations per thread")) {
      const double expected = repetitions->value * point.working_set_bytes;
      if (std::abs(volume / expected - 1) > 1e-6) {
        point.findings.push_back(
            fmt::format("the data volume is {:.6g} bytes, {:.0f} repetitions of {:.0f} bytes are "
                        "{:.6g}",
                        volume, repetitions->value, point.working_set_bytes, expected));
      }
    }
    const Kernel* kernel = find_kernel(test_);
    const auto loads = find("Load bytes per element");
    const auto stores = find("Store bytes per elem.");
    if (!kernel || !loads || !stores || loads->value + stores->value <= 0) return;
    const double updates = volume / (loads->value + stores->value);
    const double expected = kernel->flops * updates;
    if (std::abs(point.flops - expected) <= 1e-6 * updates) return;
    point.findings.push_back(
        fmt::format("'{}' has {:g} operations an update, the log counts {:.3g}{}", kernel->name,
                    kernel->flops, point.flops / updates,
                    std::abs(point.flops - expected / 2) <= 1e-3 * expected
                        ? ": half, as if a multiply-add were one operation"
                        : ""));
  }

  void add_figure(Point& point) const {
    const double a_thread = point.working_set_a_thread_bytes > 0 ? point.working_set_a_thread_bytes
                                                                 : point.working_set_bytes;
    const char* scope = threads_ == 1 ? "core_" : "";
    if (test_.starts_with("peakflops")) {
      const std::string unit = peak_unit(test_);
      if (unit.empty() || point.flops <= 0) return;
      point.figures[fmt::format("peak.{}{}_{}_flops_per_s", scope, point.precision, unit)] =
          point.flops / point.time_s.value;
      return;
    }
    const Kernel* kernel = find_kernel(test_);
    const std::string level = certain_level(point.working_set_bytes, a_thread);
    if (!kernel || *kernel->traffic == '\0' || level.empty()) return;
    point.traffic = kernel->traffic;
    const bool streaming = has_word(test_, "mem");
    const bool stores =
        point.traffic == "write" || point.traffic == "copy" || point.traffic == "triad";
    point.figures[fmt::format("{}.{}{}{}_bytes_per_s", level, scope,
                              streaming && stores ? "nontemporal_" : "", point.traffic)] =
        point.bytes.at(by_working_set) / point.time_s.value;
  }

  std::optional<PrintedNumber> find(const char* key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }
  PrintedNumber number(const char* key) const {
    if (const auto value = find(key)) return *value;
    throw UsageError(
        fmt::format("{}: the run of '{}' that begins here has no line '{}:'; was the "
                    "log cut?",
                    where_, formats::printable(test_), key));
  }
  PrintedNumber positive(const char* key) const {
    return require_positive(number(key), key, where_);
  }

  const formats::LineReader& lines_;
  std::string test_;
  std::string where_;
  int threads_ = 0;  // 0: not said
  std::map<std::string, PrintedNumber, std::less<>> values_;
};

}  // namespace

bool is_likwid_bench_line(std::string_view line) {
  return line.starts_with("LIKWID MICRO BENCHMARK") || line.starts_with("MByte/s:");
}

std::vector<Point> read_likwid_bench(formats::LineReader& lines, Launches) {
  std::vector<Point> points;
  std::optional<Block> block;
  const auto finish = [&] {
    if (block) points.push_back(block->finish());
    block.reset();
  };
  for (std::string_view line; lines.next(line);) {
    if (block && line.starts_with("Using ") && line.ends_with(" threads")) {
      block->set_threads(LineValues(lines, line).integer("Using ", 1, 1'000'000));
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = formats::trimmed(line.substr(colon + 1));
    if (key == "Test") {
      finish();
      block.emplace(lines, std::string(value));
    } else if (block) {
      block->take(key, value);
    }
  }
  finish();
  return points;
}

}  // namespace hpclab::roofline::import
