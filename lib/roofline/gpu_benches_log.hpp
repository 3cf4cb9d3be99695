// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rows of the public logs of RRZE's gpu-benches. Each function reads one line; nullopt for lines
// that are no such row (headings, counts, rows that were cut).
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace hpclab::roofline {

/// A row of gpu-l2-cache or gpu-cache: bandwidth of reads by size of the data set (printed in kB of
/// 1000 B).
struct CacheLogRow {
  double data_set_bytes = 0;  ///< of gpu-cache: of one multiprocessor
  double bandwidth_bytes_per_s = 0;
  bool of_a_multiprocessor = false;  ///< gpu-cache, which prints one size a row
};
std::optional<CacheLogRow> cache_log_row(std::string_view line);

/// A row of gpu-roofline: one device at one arithmetic intensity.
struct RooflineLogRow {
  int device = 0;
  double flops_per_byte = 0;
  double bandwidth_bytes_per_s = 0;
  double flops_per_s = 0;
  double clock_hz = 0;
  double power_w = 0;
};
std::optional<RooflineLogRow> roofline_log_row(std::string_view line);

/// A row of gpu-stream: bandwidths of one launch shape.
struct StreamLogRow {
  double block_threads = 0;
  double threads = 0;
  /// init, read, scale, triad, 3-point and 5-point stencil
  std::array<double, 6> bandwidths_bytes_per_s{};
};
inline constexpr std::array<const char*, 6> stream_log_kernels{"init",  "read", "scale",
                                                               "triad", "3pt",  "5pt"};
std::optional<StreamLogRow> stream_log_row(std::string_view line);

/// A row of gpu-latency: dependent loads within a data set (kB of 1000 B). It prints the time of
/// all of them, in ms.
struct LatencyLogRow {
  double clock_hz = 0;
  double data_set_bytes = 0;
  double latency_s = 0;
  double latency_cycles = 0;
};
std::optional<LatencyLogRow> latency_log_row(std::string_view line);

}  // namespace hpclab::roofline
