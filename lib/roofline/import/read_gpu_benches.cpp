// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Logs of RRZE's gpu-benches. They print rates, so that work and time of a point are those of one
// second. Which level a working set lies in is read from the plateaus of the log itself.
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "roofline/ceilings/levels.hpp"
#include "roofline/gpu_benches_log.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using ceilings::SweepPoint;
using ceilings::SweepTrend;
using formats::PrintedNumber;

constexpr PrintedNumber one_second{1, 0};

// A row that was cut still begins like one: nothing that looks so may be passed over in silence.
[[noreturn]] void cut(const formats::LineReader& lines, const char* what) {
  throw UsageError(fmt::format("{}: this is no whole row of {}; was it cut?", lines.where(), what));
}

/// First and last plateau of a sweep; nullopt where the log is too short to show two.
struct Plateaus {
  ceilings::Level first;
  ceilings::Level last;
};

std::optional<Plateaus> plateaus_of(const std::vector<SweepPoint>& sweep, SweepTrend trend) {
  if (sweep.size() < 5) return std::nullopt;
  const ceilings::LevelMap map = ceilings::detect_levels(sweep, trend);
  if (map.levels.size() < 2) return std::nullopt;
  return Plateaus{map.levels.front(), map.levels.back()};
}

// Of the rows of a plateau those that are surely not half in the next level.
constexpr double edge = 1.5;

bool is_of_first(const Plateaus& plateaus, double bytes) {
  return bytes <= plateaus.first.last_bytes / edge && bytes >= plateaus.first.first_bytes;
}

bool is_of_last(const Plateaus& plateaus, double bytes) {
  return bytes >= plateaus.last.first_bytes * edge && bytes <= plateaus.last.last_bytes;
}

std::string size_text(double bytes) {
  return fmt::format("{:g} kB", bytes / 1e3);
}

class Reader {
 public:
  explicit Reader(formats::LineReader& lines) : lines_(lines) {}

  std::vector<Point> read() {
    for (std::string_view line; lines_.next(line);) take(line);
    place_cache_rows();
    place_latency_rows();
    mark_best_streams();
    mark_peaks();
    return std::move(points_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("float ") || line.starts_with("double ")) {
      throw UsageError(
          fmt::format("{}: a log of gpu-strides: it holds cycles of bank conflicts, no "
                      "rates that a roofline could show",
                      lines_.where()));
    }
    if (const auto row = roofline_log_row(line)) return take_roofline(*row);
    if (const auto row = stream_log_row(line)) return take_stream(*row);
    if (const auto row = cache_log_row(line)) return take_cache(*row);
    if (const auto row = latency_log_row(line)) return take_latency(*row);
    if (line.find(" blocks") != std::string_view::npos) cut(lines_, "gpu-roofline");
    if (line.find("GB/s:") != std::string_view::npos) cut(lines_, "gpu-stream");
    if (line.find(" kB ") != std::string_view::npos) cut(lines_, "gpu-l2-cache or gpu-cache");
    std::vector<std::string_view> words;
    formats::split_words(line, words);
    // Counts of gpu-roofline stand alone on their lines.
    if (words.size() > 1 && formats::number_in(words[0])) cut(lines_, "gpu-latency");
  }

  Point fresh(std::string name) const {
    Point point;
    point.where = lines_.where();
    point.name = std::move(name);
    point.time_s = one_second;
    return point;
  }

  void take_roofline(const RooflineLogRow& row) {
    Point point = fresh(fmt::format("device {} {:g} flop/byte", row.device, row.flops_per_byte));
    if (row.flops_per_byte <= 0 || row.flops_per_s <= 0 || row.bandwidth_bytes_per_s <= 0)
      cut(lines_, "gpu-roofline");
    point.precision = "fp32";  // 2 operations of an iteration on 8 bytes moved
    point.flops = row.flops_per_s;
    point.bytes["dram"] = row.flops_per_s / row.flops_per_byte;
    // Rates are printed in whole GB/s and GF/s.
    const double low = (row.bandwidth_bytes_per_s - 0.5e9) * row.flops_per_byte;
    const double high = (row.bandwidth_bytes_per_s + 0.5e9) * row.flops_per_byte;
    point.checks.push_back(
        range_check(Quantity::flops, "GF/s", {row.flops_per_s, 0.5e9}, low, high));
    point.further_values["clock_hz"] = row.clock_hz;
    point.further_values["power_w"] = row.power_w;
    const auto [best, fresh_device] = peaks_.try_emplace(row.device, points_.size());
    if (!fresh_device && points_[best->second].flops < point.flops) best->second = points_.size();
    points_.push_back(std::move(point));
  }

  void take_stream(const StreamLogRow& row) {
    for (std::size_t i = 0; i < stream_log_kernels.size(); ++i) {
      Point point =
          fresh(fmt::format("{} {:g} threads a block", stream_log_kernels[i], row.block_threads));
      point.bytes["dram"] = row.bandwidths_bytes_per_s[i];
      point.traffic = i < 4 ? stream_log_kernels[i] : "";
      if (streams_[i] == none || points_[streams_[i]].bytes["dram"] < point.bytes["dram"])
        streams_[i] = points_.size();
      points_.push_back(std::move(point));
    }
  }

  void take_cache(const CacheLogRow& row) {
    Point point = fresh("read " + size_text(row.data_set_bytes) +
                        (row.of_a_multiprocessor ? " a multiprocessor" : ""));
    point.traffic = "read";
    point.bytes[by_working_set] = row.bandwidth_bytes_per_s;
    if (!row.of_a_multiprocessor) point.working_set_bytes = row.data_set_bytes;
    sweep_of_a_multiprocessor_ = row.of_a_multiprocessor;
    cache_rows_.push_back(points_.size());
    sweep_.push_back({row.data_set_bytes, row.bandwidth_bytes_per_s});
    points_.push_back(std::move(point));
  }

  void take_latency(const LatencyLogRow& row) {
    Point point = fresh("latency " + size_text(row.data_set_bytes));
    point.latency_s = row.latency_s;
    point.working_set_bytes = row.data_set_bytes;
    // Time and cycles are printed to 0.1 of their units; a row of short loads has 0.4 % of
    // rounding.
    const double cycles = row.latency_s * row.clock_hz;
    if (std::abs(row.latency_cycles - cycles) > 0.06 + 0.005 * cycles) {
      point.findings.push_back(
          fmt::format("{:g} cycles are printed, {:.4g} ns at {:g} MHz are {:.4g}",
                      row.latency_cycles, row.latency_s * 1e9, row.clock_hz / 1e6, cycles));
    }
    latency_rows_.push_back(points_.size());
    latencies_.push_back({row.data_set_bytes, row.latency_s});
    points_.push_back(std::move(point));
  }

  void place_cache_rows() {
    const auto found = plateaus_of(sweep_, SweepTrend::falling);
    const std::string upper = sweep_of_a_multiprocessor_ ? "l1" : "l2";
    for (std::size_t i = 0; found && i < cache_rows_.size(); ++i) {
      Point& point = points_[cache_rows_[i]];
      // What misses the caches of gpu-cache's multiprocessors goes through the L2, whether or not
      // it is there: every multiprocessor reads the same data.
      if (sweep_of_a_multiprocessor_) {
        const bool fits = sweep_[i].bytes <= found->first.last_bytes;
        point.bytes = {{fits ? "l1" : "l2", sweep_[i].value}};
      }
      const bool first = is_of_first(*found, sweep_[i].bytes);
      const bool last = !sweep_of_a_multiprocessor_ && is_of_last(*found, sweep_[i].bytes);
      if (!first && !last) continue;
      const std::string level = first ? upper : "dram";
      point.bytes = {{level, sweep_[i].value}};
      point.of_plateau = true;
      point.figures[level + ".read_bytes_per_s"] = sweep_[i].value;
    }
  }

  void place_latency_rows() {
    const auto found = plateaus_of(latencies_, SweepTrend::rising);
    for (std::size_t i = 0; found && i < latency_rows_.size(); ++i) {
      const double bytes = latencies_[i].bytes;
      Point& point = points_[latency_rows_[i]];
      point.of_plateau = true;
      if (is_of_first(*found, bytes)) point.figures["l1.latency_s"] = latencies_[i].value;
      if (is_of_last(*found, bytes)) point.figures["dram.latency_s"] = latencies_[i].value;
    }
  }

  void mark_best_streams() {
    for (std::size_t i = 0; i < 4; ++i) {
      if (streams_[i] == none) continue;
      Point& point = points_[streams_[i]];
      point.figures[fmt::format("dram.{}_bytes_per_s", stream_log_kernels[i])] =
          point.bytes["dram"];
    }
  }

  void mark_peaks() {
    for (const auto& [device, at] : peaks_) {
      points_[at].of_plateau = true;
      points_[at].figures["peak.fp32_vector_flops_per_s"] = points_[at].flops;
    }
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  formats::LineReader& lines_;
  std::vector<Point> points_;
  std::vector<std::size_t> cache_rows_, latency_rows_;  // of points_
  std::vector<SweepPoint> sweep_, latencies_;
  bool sweep_of_a_multiprocessor_ = false;
  std::array<std::size_t, 6> streams_{none, none, none, none, none, none};  // best of each kernel
  std::map<int, std::size_t> peaks_;                                        // best of each device
};

}  // namespace

bool is_gpu_benches_line(std::string_view line) {
  return roofline_log_row(line) || stream_log_row(line) || cache_log_row(line) ||
         latency_log_row(line) || line.starts_with("float stride") ||
         line.starts_with("float block") || line.starts_with("double block");
}

std::vector<Point> read_gpu_benches(formats::LineReader& lines, Launches) {
  return Reader(lines).read();
}

}  // namespace hpclab::roofline::import
