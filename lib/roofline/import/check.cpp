// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/check.hpp"

#include "core/units.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

struct Cause {
  double ratio;  ///< printed over expected
  const char* words;
};

constexpr Cause flop_causes[] = {
    {0.5, "half, as if a multiply-add were one operation"},
    {2, "twice, as if each operation were a multiply-add"},
};
constexpr Cause byte_causes[] = {
    {1 / 1.048576, "MiB (2^20) named MB (10^6)"},
    {1.048576, "MB (10^6) named MiB (2^20)"},
    {1 / 1.073741824, "GiB (2^30) named GB (10^9)"},
    {1.073741824, "GB (10^9) named GiB (2^30)"},
    {0.5, "half, as if reads or writes alone were counted"},
    {1.5, "3/2, as if each store also read its line (write-allocate of a copy)"},
    {4.0 / 3, "4/3, as if each store also read its line (write-allocate of a triad)"},
    {2, "twice, as if each store also read its line (write-allocate of a store)"},
    {0.125, "1/8: words of 8 bytes counted as bytes, or bytes printed for bits"},
    {0.25, "1/4: words of 4 bytes counted as bytes"},
    {8, "8 times: bits printed for bytes"},
};
constexpr Cause unit_causes[] = {
    {1e3, "1000 times: another unit prefix"},
    {1e-3, "a thousandth: another unit prefix"},
    {1e6, "10^6 times: another unit prefix"},
    {1e-6, "a millionth: another unit prefix"},
};

// What is off by this ratio, known to a relative `slack`; nullptr for none of the known causes.
template <std::size_t n>
const char* cause_among(const Cause (&causes)[n], double ratio, double slack) {
  for (const Cause& cause : causes) {
    if (std::abs(ratio / cause.ratio - 1) <= slack) return cause.words;
  }
  return nullptr;
}

std::string readable_text(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::flops:
      return readable("x_flops_per_s", value).text();
    case Quantity::bytes:
      return readable("x_bytes_per_s", value).text();
    case Quantity::dof:
      return readable("x_dof_per_s", value).text();
    case Quantity::intensity:
      return readable("x_flops_per_byte", value).text();
  }
  return "?";
}

}  // namespace

Check rate_check(Quantity quantity, std::string name, const formats::PrintedNumber& printed,
                 double count, const formats::PrintedNumber& time_s) {
  // A time printed with one digit may be open down to 0.
  const double shortest = std::max(time_s.low(), time_s.value * 0.1);
  return {quantity, std::move(name), printed, count / time_s.high(), count / shortest};
}

Check range_check(Quantity quantity, std::string name, const formats::PrintedNumber& printed,
                  double low, double high) {
  return {quantity, std::move(name), printed, low, high};
}

std::optional<std::string> contradiction(const Check& check) {
  constexpr double rounding = 1e-9;  // of the arithmetic on both sides
  const double expected = (check.low + check.high) / 2;
  if (check.printed.high() >= check.low * (1 - rounding) &&
      check.printed.low() <= check.high * (1 + rounding)) {
    return std::nullopt;
  }
  const double ratio = check.printed.value / expected;
  const double slack = 0.002 + (check.high - check.low) / (2 * expected) +
                       check.printed.half_unit / std::abs(check.printed.value);
  const char* cause = nullptr;
  if (check.quantity == Quantity::flops) cause = cause_among(flop_causes, ratio, slack);
  if (check.quantity == Quantity::bytes) cause = cause_among(byte_causes, ratio, slack);
  if (!cause) cause = cause_among(unit_causes, ratio, slack);
  return fmt::format(
      "{} is printed as {}, {} {}: {}", check.name,
      readable_text(check.quantity, check.printed.value),
      check.quantity == Quantity::intensity ? "the counts give" : "counts over time give",
      readable_text(check.quantity, expected),
      cause ? std::string(cause) : fmt::format("ratio {:.4g}", ratio));
}

}  // namespace hpclab::roofline::import
