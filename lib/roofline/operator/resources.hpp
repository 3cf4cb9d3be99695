// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The resources of a machine that an operator uses, and the time that they need together.
#pragma once

#include "core/result.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::operator_ {

/// One resource, the work of one application on it and the rate at which the machine does it.
struct Resource {
  std::string name;  ///< dram, l3, l2, shared memory, l1 loads, fp issue, launch, ...
  std::string unit;  ///< of the work: bytes, slots, kernels
  double work = 0;
  double rate = 0;       ///< units a second
  double slow_rate = 0;  ///< 95 % interval of the rate
  double fast_rate = 0;
  std::string figure;  ///< which figure of the profile the rate is
  double least_work =
      0;  ///< interval of the work where caches may keep more or less; both 0: exact
  double most_work = 0;
  bool in_turn = false;  ///< takes turns with all others: its time is added to theirs

  double time_s() const { return work / rate; }
  double low_s() const { return (most_work > 0 ? least_work : work) / fast_rate; }
  double high_s() const { return (most_work > 0 ? most_work : work) / slow_rate; }
};

/// What happens between two points where the core's (multiprocessor's) units wait for each other:
/// units work side by side, so that the slowest one decides.
struct Pass {
  std::string name;
  std::vector<Resource> units;
};

/// The work of one application on a machine: resources beside the cores, and the passes of the
/// cores.
struct MachineWork {
  std::vector<Resource> resources;
  std::vector<Pass> passes;
  /// Units of a core overlap as other resources do, each with the sum of its passes; else the
  /// slowest unit of each pass hides the others.
  bool units_overlap = false;
  std::string kernel{};  ///< of several, the one that was chosen; else empty
};

struct Prediction {
  std::vector<Resource> resources;  ///< beside the cores, and each unit's sum over the passes
  std::vector<Pass> passes;
  double core_s = 0;  ///< sum over the passes of the slowest unit
  double time_s = 0;  ///< of one application
  double low_s = 0;
  double high_s = 0;
  std::string bound;   ///< the resource with the longest time; of the core, the unit that decides
  double bound_s = 0;  ///< its time
  std::string next;    ///< the longest of the others; empty when there is none
  double next_s = 0;

  /// The resource of that name; nullptr when it has no work.
  const Resource* find(std::string_view name) const;
};

/// time = (sum of times^k)^(1/k) with k = `overlap` over the resources beside the cores and the sum
/// of the passes (or each unit), plus the times of resources that work in turn. The interval spans
/// those of rates and works and, on both sides, `residual_ratio`. Throws CaseFailed when nothing
/// has work.
Prediction combine(MachineWork work, double overlap, double residual_ratio);

/// Columns: resource, part (unit of the core, or what enters the sum: core, beside, in turn), work,
/// its unit, rate, time, share of the whole, figure of the profile.
Table resource_table(const Prediction& prediction);

/// Columns: pass, slowest unit, time.
Table pass_table(const Prediction& prediction);

}  // namespace hpclab::roofline::operator_
