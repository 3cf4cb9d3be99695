// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace hpclab {
namespace {

enum class Scaling { none, decimal, binary, small, ratio };

struct Suffix {
  std::string_view suffix;
  std::string_view unit;
  Scaling scaling;
};

// Longest first: `_bytes_per_s` must win over `_per_s` and `_s`.
constexpr std::array suffixes{
    Suffix{"_flops_per_byte", "flop/byte", Scaling::none},
    Suffix{"_flops_per_dof", "flop/DOF", Scaling::none},
    Suffix{"_bytes_per_dof", "B/DOF", Scaling::none},
    Suffix{"_bytes_per_s", "B/s", Scaling::decimal},
    Suffix{"_flops_per_s", "flop/s", Scaling::decimal},
    Suffix{"_tokens_per_s", "token/s", Scaling::decimal},
    Suffix{"_dof_per_s", "DOF/s", Scaling::decimal},
    Suffix{"_celsius", "degC", Scaling::none},
    Suffix{"_per_s", "1/s", Scaling::decimal},
    Suffix{"_flops", "flop", Scaling::decimal},
    Suffix{"_bytes", "B", Scaling::binary},
    Suffix{"_tokens", "tokens", Scaling::decimal},
    Suffix{"_ratio", "ratio", Scaling::ratio},
    Suffix{"_lines", "lines", Scaling::none},
    Suffix{"_bits", "bits", Scaling::none},
    Suffix{"_hz", "Hz", Scaling::decimal},
    Suffix{"_dof", "DOF", Scaling::decimal},
    Suffix{"_w", "W", Scaling::none},
    Suffix{"_j", "J", Scaling::decimal},
    Suffix{"_ps", "ps", Scaling::none},
    Suffix{"_s", "s", Scaling::small},
};

const Suffix* find_suffix(std::string_view name) {
  for (const Suffix& entry : suffixes) {
    if (name.ends_with(entry.suffix)) return &entry;
    if (name == entry.suffix.substr(1)) return &entry;  // a value called just `flops` or `bytes`
  }
  return nullptr;
}

// Four significant digits in scientific notation: the rounding that `digits` and the choice of a
// prefix share, so that 999.96 B/s is 1.000 kB/s and never 1000.0 B/s.
std::string scientific(double value) {
  return fmt::format("{:.3e}", value);
}

double rounded_magnitude(double value) {
  return std::abs(std::strtod(scientific(value).c_str(), nullptr));
}

// Four significant digits without an exponent where that reads well.
std::string digits(double value) {
  if (value == 0) return "0";
  std::string text = scientific(value);
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  if (exponent >= 6 || exponent < -3) return text;
  return fmt::format("{:.{}f}", value, std::max(0, 3 - exponent));
}

Readable scaled(double value, double base, const char* const* prefixes, int count,
                std::string_view unit) {
  int step = 0;
  while (rounded_magnitude(value) >= base && step + 1 < count) {
    value /= base;
    ++step;
  }
  return {digits(value), prefixes[step] + std::string(unit)};
}

}  // namespace

std::string unit_of(std::string_view value_name) {
  const Suffix* suffix = find_suffix(value_name);
  return suffix ? std::string(suffix->unit) : "";
}

std::string stem_of(std::string_view value_name) {
  const Suffix* suffix = find_suffix(value_name);
  if (!suffix || value_name.size() <= suffix->suffix.size()) return std::string(value_name);
  return std::string(value_name.substr(0, value_name.size() - suffix->suffix.size()));
}

Readable readable(std::string_view value_name, double value) {
  const Suffix* suffix = find_suffix(value_name);
  if (!suffix) {
    const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
    return {whole ? fmt::format("{:.0f}", value) : digits(value), ""};
  }
  static constexpr const char* decimal[] = {"", "k", "M", "G", "T", "P", "E"};
  static constexpr const char* binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  static constexpr const char* small[] = {"", "m", "u", "n", "p"};
  switch (suffix->scaling) {
    case Scaling::decimal:
      return scaled(value, 1000, decimal, 7, suffix->unit);
    case Scaling::binary:
      return scaled(value, 1024, binary, 6, suffix->unit);
    case Scaling::small: {
      int step = 0;
      while (value != 0 && rounded_magnitude(value) < 1 && step < 4) {
        value *= 1000;
        ++step;
      }
      return {digits(value), small[step] + std::string(suffix->unit)};
    }
    case Scaling::ratio:
      if (value_name.ends_with("error_ratio")) return {fmt::format("{:+.1f}", 100 * value), "%"};
      if (value_name.starts_with("fraction_") || value_name.ends_with("of_theory_ratio"))
        return {fmt::format("{:.1f}", 100 * value), "%"};
      return {digits(value), ""};
    case Scaling::none:
      break;
  }
  return {digits(value), std::string(suffix->unit)};
}

std::string readable_percent(double ratio) {
  const double percent = 100 * ratio;
  return percent < 0.095 ? fmt::format("{:.2f} %", percent) : fmt::format("{:.1f} %", percent);
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  struct Prefix {
    std::string_view text;
    double factor;
  };
  static constexpr std::array prefixes{Prefix{"", 1},
                                       Prefix{"k", 1e3},
                                       Prefix{"K", 1e3},
                                       Prefix{"M", 1e6},
                                       Prefix{"G", 1e9},
                                       Prefix{"T", 1e12},
                                       Prefix{"Ki", 1024.},
                                       Prefix{"Mi", 1048576.},
                                       Prefix{"Gi", 1073741824.},
                                       Prefix{"Ti", 1099511627776.}};
  for (const Prefix& prefix : prefixes) {
    if (rest != prefix.text) continue;
    const double product = value * prefix.factor;
    if (!std::isfinite(product)) return std::nullopt;
    return product;
  }
  return std::nullopt;
}

std::string readable_bytes(double bytes) {
  static constexpr const char* names[] = {"", "Ki", "Mi", "Gi", "Ti"};
  int step = 0;
  while (step < 4 && bytes >= 1024 && std::fmod(bytes, 1024) == 0) {
    bytes /= 1024;
    ++step;
  }
  return fmt::format("{:.0f}{}", bytes, names[step]);
}

}  // namespace hpclab
