// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Theoretical ceilings of one core from the documented facts of its microarchitecture. Used by the
// model (at the nominal clock) and by the measurement (at the measured clock) alike.
#pragma once

#include "machine/microarchitecture.hpp"
#include "roofline/ceilings/parameters.hpp"

#include <optional>

namespace hpclab::roofline::ceilings {

/// Bytes (as the program counts them) that one core can move per cycle at a level with this work:
/// l1: the slower of all loads and all stores, which have ports of their own; l2 and l3: reads
/// only, as the documented width of the path towards L1. nullopt where nothing is documented (DRAM
/// among them).
std::optional<double> bytes_per_cycle(const machine::Microarchitecture& core, MemoryLevel level,
                                      const BandwidthWork& work);

/// Operations per cycle of one core; nullopt when the core lacks the instructions or the rate is
/// unknown.
std::optional<double> peak_per_cycle(const machine::Microarchitecture& core,
                                     PeakPrecision precision, InstructionSet isa);

/// How far a measurement may lie above theory: the clock is known to about a per cent.
inline constexpr double clock_tolerance_ratio = 0.02;

/// Throws CaseFailed when `measured` is above `theory` by more than the tolerance: such a ceiling
/// is wrong and is refused rather than reported.
void refuse_above_theory(double measured, double theory, double clock_hz, const char* value_name);

}  // namespace hpclab::roofline::ceilings
