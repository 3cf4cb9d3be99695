// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What this core reaches at best, measured in bursts between those of an operator.
#pragma once

#include "core/instruction_set.hpp"
#include "operators/aligned_array.hpp"
#include "roofline/ceilings/bandwidth.hpp"
#include "roofline/ceilings/peak.hpp"

#include <cstddef>

namespace hpclab::race {

class Ceilings {
 public:
  /// Arrays of `bytes` in all, for the kinds of traffic of an operator: reads, and 7 reads to 1
  /// write.
  Ceilings(InstructionSet isa, std::size_t bytes);

  /// One pass over the arrays: bytes a second, the read for ownership of stored lines included.
  double read_bytes_per_s();
  double mix_bytes_per_s();
  /// Multiply-add instructions a second (of a register, not of a number).
  double multiply_adds_per_s();

 private:
  double bandwidth(const roofline::ceilings::BandwidthKernel& kernel);

  const roofline::ceilings::BandwidthKernel* read_;
  const roofline::ceilings::BandwidthKernel* mix_;
  const roofline::ceilings::PeakKernel* peak_;
  operators::AlignedArray<double> from_, to_;
};

}  // namespace hpclab::race
