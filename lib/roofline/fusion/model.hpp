// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a chain costs by bytes, flops and launches.
//
// A pass takes max(bytes / bandwidth, flops / peak), a chain the sum over its passes plus a launch
// for each. Bandwidth is that of the level that holds all arrays of the chain, as the machine
// profile states it for a copy with the same stores; through the caches of a processor every line
// that is stored is read first (write-allocate), which the copy of the profile did as well.
#pragma once

#include "core/context.hpp"
#include "core/result.hpp"
#include "machine/profile.hpp"
#include "roofline/fusion/parameters.hpp"

#include <optional>
#include <string>

namespace hpclab::roofline::fusion {

/// A number with the interval that the profile's figures leave it.
struct Range {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Rates that bind a chain on one machine.
struct Rates {
  std::string level;              ///< that holds the arrays
  Range bytes_per_s;              ///< of the bytes that are counted below
  double read_for_ownership = 0;  ///< bytes that are counted for each byte stored, beside it
  Range flops_per_s;
  double launch_s = 0;
  std::string launch_note;  ///< when the profile states no launch time
};

/// Rates of this case on the profile's machine when `arrays` whole arrays are touched over and
/// over. Throws CaseFailed naming the figure that the profile lacks.
Rates rates_of(const Parameters& p, const machine::MachineProfile& profile, int arrays);

/// Bytes between the program and memory of `traffic` (arrays), as the rates count them.
double counted_bytes(const Parameters& p, const Rates& rates, const ArrayTraffic& traffic);
/// Bytes as the program reads and writes them.
double program_bytes(const Parameters& p, const ArrayTraffic& traffic);

struct Prediction {
  Range time_s;
  double moved_bytes = 0;  ///< read and written by the program; with blocks, beyond the caches
  std::optional<double> dram_bytes;  ///< none when a cache holds some part of the arrays
  double launches = 0;
  std::string bound;
  Rates rates;
};

/// Of the chain cut as `shape` says, all passes over whole arrays.
Prediction predict(const Parameters& p, const ChainShape& shape,
                   const machine::MachineProfile& profile);
/// The same with blocks of p.block elements that go through all passes (processors only).
Prediction predict_blocked(const Parameters& p, const ChainShape& shape,
                           const machine::MachineProfile& profile);

/// Operations of a fused chain beyond which arithmetic takes longer than memory.
double crossover_operations(const Parameters& p, const machine::MachineProfile& profile);

/// Operations of a chain for which fusing all brings `speedup`, between whole numbers by linear
/// interpolation. Throws CaseFailed when no chain does: fused chains end at the peak rate.
double implied_operations(const Parameters& p, double speedup,
                          const machine::MachineProfile& profile);

Result model(const Parameters& p, Context& context);

}  // namespace hpclab::roofline::fusion
