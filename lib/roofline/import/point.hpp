// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What one row of a log says: work, time, and the figures that it prints.
#pragma once

#include "formats/printed_number.hpp"
#include "roofline/import/check.hpp"

#include <map>
#include <string>
#include <vector>

namespace hpclab::roofline::import {

/// Key of `bytes` when the log does not say where the data lies: the working set tells.
inline constexpr const char* by_working_set = "";

struct Point {
  std::string name;                 ///< unique within its file
  std::string where;                ///< "file:12"
  std::string precision{};          ///< fp64, fp32, ... of the arithmetic; empty: not stated
  std::string unit = "vector";      ///< vector or tensor
  formats::PrintedNumber time_s{};  ///< of the work below; 0: not stated

  // Work, recomputed where the log states the problem, otherwise from its own counts.
  double flops = 0;
  std::map<std::string, double> bytes{};  ///< by memory level: dram, l2, l1, shared
  double dof = 0;

  double working_set_bytes = 0;           ///< of all threads; 0: not stated
  double working_set_a_thread_bytes = 0;  ///< 0: all threads share one
  std::string traffic{};                  ///< read, copy, triad, ... ; empty: mixed or not stated
  double latency_s = 0;                   ///< of a dependent load, where that is what was measured

  std::vector<Check> checks{};          ///< figures that the log prints
  std::vector<std::string> findings{};  ///< contradictions that the reader itself saw
  std::vector<std::string> notes{};
  std::map<std::string, double> further_values{};  ///< of the record, beside the usual ones

  std::string machine_kind{};  ///< cpu or gpu; empty: the log does not say

  /// Figures of a machine profile that this row is evidence for: "dram.read_bytes_per_s".
  std::map<std::string, double> figures{};
  bool of_plateau = false;  ///< one of many rows that show the same figures: their median is meant
};

}  // namespace hpclab::roofline::import
