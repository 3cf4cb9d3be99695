// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/ceiling.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {

Ceiling Ceiling::scaled(double factor) const {
  return {rate * factor, slow * factor, fast * factor, figure};
}

Ceiling ceiling(const machine::MachineProfile& profile, std::string_view group,
                std::initializer_list<std::string_view> figures) {
  const machine::Figure& figure = profile.first_of(group, figures);
  std::string name;
  for (const std::string_view candidate : figures) {
    if (profile.find(group, candidate) == &figure) name = candidate;
  }
  Ceiling result{figure.value, figure.value, figure.value, fmt::format("{}.{}", group, name)};
  if (figure.interval95) {
    result.slow = (*figure.interval95)[0];
    result.fast = (*figure.interval95)[1];
  } else if (figure.status != machine::FigureStatus::measured) {
    result.slow = documented_share * figure.value;
  }
  return result;
}

Ceiling mixed(const Ceiling& read, const Ceiling& copy, double bytes_read, double bytes_written) {
  const double bytes = bytes_read + bytes_written;
  const auto rate = [&](double read_rate, double copy_rate) {
    // A copy that is faster than its reads alone says that writes are hidden.
    const double written_s = std::max(2 / copy_rate - 1 / read_rate, 0.0);
    return bytes / (bytes_read / read_rate + bytes_written * written_s);
  };
  if (bytes <= 0) return read;
  return {rate(read.rate, copy.rate), rate(read.slow, copy.slow), rate(read.fast, copy.fast),
          read.figure == copy.figure ? read.figure : read.figure + ", " + copy.figure};
}

Resource resource(std::string name, std::string unit, double work, const Ceiling& ceiling) {
  return {std::move(name), std::move(unit), work,          ceiling.rate,
          ceiling.slow,    ceiling.fast,    ceiling.figure};
}

}  // namespace hpclab::roofline::operator_
