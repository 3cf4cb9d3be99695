// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reads the public logs of RRZE's gpu-benches and sets measured ceilings beside their plateaus.
#pragma once

#include "core/json.hpp"
#include "roofline/gpu_benches_log.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// Rows in the order of the log; other lines (headings, counts) are passed over. Throws UsageError
/// naming `origin` when there is no row.
std::vector<CacheLogRow> parse_cache_log(const std::string& text, const std::string& origin);
std::vector<RooflineLogRow> parse_roofline_log(const std::string& text, const std::string& origin);

/// Median bandwidth of the rows with data sets in [low, high] bytes; nullopt when there is none.
std::optional<double> cache_plateau_bytes_per_s(const std::vector<CacheLogRow>& rows, double low,
                                                double high);
/// Median over the devices of the largest rate of each.
double roofline_peak_flops_per_s(const std::vector<RooflineLogRow>& rows);

/// Whether a log named "..._<tag>.txt" is of this device: every part of the tag ("a100_80") occurs
/// in the device's name ("NVIDIA A100-SXM4-80GB").
bool log_is_of_device(const std::filesystem::path& log, const std::string& device);

/// One line for each plateau that a log of the same device has and the cuda records too: measured,
/// logged and their ratio. L2: reads of data sets of 0.12 to 0.8 of the cache; DRAM: beyond twice
/// the cache; fp32: the roofline's top. A line that says why when nothing can be compared.
std::vector<std::string> compare_with_gpu_benches(const std::vector<Json>& records,
                                                  const std::filesystem::path& folder);

}  // namespace hpclab::roofline::ceilings
