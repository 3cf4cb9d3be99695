// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a step costs whose arrays move: kernel + in / link + out / link.
//
// The kernel reads one array and writes another: 2 S at the bandwidth of the device's memory (on a
// processor that of a copy with the same stores). The planes before and after come from the cache
// that holds them; a GPU hides that, a core of a processor waits for it: another 2 S at that
// cache's rate (the layer condition of stencils). An array that moves is S on the link; between
// processes it is a copy in memory, and from ordinary memory two. With c chunks on a link of two
// ways the longest of in, kernel and out hides the others but for one chunk.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "machine/profile.hpp"
#include "roofline/residency/parameters.hpp"

#include <optional>
#include <string>

namespace hpclab::roofline::residency {

/// A number with the interval that the profile's figures leave it.
struct Range {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Rates of a machine, in bytes a second of an array's own bytes: what a kernel reads and writes
/// counts once each, what moves counts once a way.
struct Rates {
  Range memory;
  std::optional<Range> planes;  ///< rate of the cache that holds the neighbouring planes
  Range in;
  Range out;
  double launch_s = 0;
  bool two_ways_at_once = false;  ///< in and out do not slow each other down
  std::string note;
};

/// Throws CaseFailed naming the figure that the profile lacks, or saying why its figures do not
/// hold for these arrays; CaseSkipped for what a processor does not have.
Rates rates_of(const Parameters& p, const machine::MachineProfile& profile);

struct StepPrediction {
  Range time_s;
  Range kernel_s;
  Range in_s;
  Range out_s;
};
StepPrediction predict_step(const Parameters& p, const Rates& rates);

Result model(const Parameters& p, Context& context);

}  // namespace hpclab::roofline::residency
