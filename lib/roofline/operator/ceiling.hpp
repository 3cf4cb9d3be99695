// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Rates read from a machine profile, with intervals, for the resources of an operator.
#pragma once

#include "machine/profile.hpp"
#include "roofline/operator/resources.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

namespace hpclab::roofline::operator_ {

/// A rate with its interval and where it comes from.
struct Ceiling {
  double rate = 0;
  double slow = 0;
  double fast = 0;
  std::string figure;

  Ceiling scaled(double factor) const;
};

/// Share of a documented (not measured) rate that is taken for the slow end of its interval: what
/// measured DRAM bandwidths of the shipped GPUs reach of the published ones (81 to 89 %).
inline constexpr double documented_share = 0.8;

/// The first of the figures that the profile states. Throws CaseFailed that names the profile and
/// the figures when it states none.
Ceiling ceiling(const machine::MachineProfile& profile, std::string_view group,
                std::initializer_list<std::string_view> figures);

/// Rate of `bytes_read` and `bytes_written` together, from the read and the copy bandwidth of one
/// level: a byte read takes 1/read, a byte written what is left of a copy, 2/copy - 1/read.
Ceiling mixed(const Ceiling& read, const Ceiling& copy, double bytes_read, double bytes_written);

Resource resource(std::string name, std::string unit, double work, const Ceiling& ceiling);

}  // namespace hpclab::roofline::operator_
