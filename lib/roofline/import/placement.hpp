// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where a point lies under the ceilings of a machine.
#pragma once

#include "machine/profile.hpp"
#include "roofline/import/point.hpp"

#include <map>
#include <string>
#include <vector>

namespace hpclab::roofline::import {

/// How much of one ceiling a point uses.
struct Use {
  std::string name;    ///< "dram read", "fp64 vector peak"
  std::string group;   ///< of the profile: dram, l2, ..., peak
  double rate = 0;     ///< of the point: B/s or flop/s
  double ceiling = 0;  ///< of the machine
  double share() const { return rate / ceiling; }
};

struct Placement {
  std::map<std::string, double> bytes;  ///< by level, with the working set's level resolved
  std::vector<Use> uses;                ///< most used first; the first one binds
  std::vector<std::string> findings;    ///< figures above what the machine can do
  std::vector<std::string> notes;       ///< what the profile does not state
};

/// Needs a point with a time. `uses` is empty where the profile states none of the ceilings that
/// the point's work would need; `notes` then say which.
Placement place(const Point& point, const machine::MachineProfile& profile);

/// Total size of the last-level cache (l3 of a processor, l2 of a GPU); 0 when not stated.
double last_level_cache_bytes(const machine::MachineProfile& profile);

}  // namespace hpclab::roofline::import
