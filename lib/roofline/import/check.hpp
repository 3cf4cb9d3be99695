// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A figure that a log prints against the same figure from counts and time, and what a difference
// means in words.
#pragma once

#include "formats/printed_number.hpp"

#include <optional>
#include <string>

namespace hpclab::roofline::import {

enum class Quantity { flops, bytes, dof, intensity };

struct Check {
  Quantity quantity = Quantity::flops;
  std::string name;                ///< as the log calls it: "GFLOPS/s"
  formats::PrintedNumber printed;  ///< in SI units
  double low = 0;                  ///< what counts and the printed time allow
  double high = 0;
};

/// `printed` against count / time. The printed digits of the time leave a range.
Check rate_check(Quantity quantity, std::string name, const formats::PrintedNumber& printed,
                 double count, const formats::PrintedNumber& time_s);

/// The same for a value that must lie in [low, high].
Check range_check(Quantity quantity, std::string name, const formats::PrintedNumber& printed,
                  double low, double high);

/// What is wrong: "GFLOPS/s is printed as 1.066 Tflop/s, counts over time give 2.132 Tflop/s: half,
/// as if a multiply-add were one operation"; nullopt when the ranges overlap. Knows halves and
/// doubles, units of 1000 and of 1024, words for bytes, and write-allocate traffic.
std::optional<std::string> contradiction(const Check& check);

}  // namespace hpclab::roofline::import
