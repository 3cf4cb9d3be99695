// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/theory.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

std::optional<double> bytes_per_cycle(const machine::Microarchitecture& core, MemoryLevel level,
                                      const BandwidthWork& work) {
  const double program_bytes = work.bytes_read + work.bytes_written;
  if (level == MemoryLevel::l1) {
    const auto load = core.find("l1_load_bytes_per_cycle");
    const auto store = core.find("l1_store_bytes_per_cycle");
    if (!load || !store) return std::nullopt;
    return program_bytes / std::max(work.bytes_read / *load, work.bytes_written / *store);
  }
  if (work.bytes_written > 0)
    return std::nullopt;  // write-backs share the path in undocumented ways
  if (level == MemoryLevel::l2) return core.find("l2_to_l1_bytes_per_cycle");
  if (level == MemoryLevel::l3) return core.find("l3_to_l2_bytes_per_cycle");
  return std::nullopt;
}

std::optional<double> peak_per_cycle(const machine::Microarchitecture& core,
                                     PeakPrecision precision, InstructionSet isa) {
  machine::NumberType type = machine::NumberType::fp64;
  switch (precision) {
    case PeakPrecision::fp64:
      type = machine::NumberType::fp64;
      break;
    case PeakPrecision::fp32:
      type = machine::NumberType::fp32;
      break;
    case PeakPrecision::fp16:
      type = machine::NumberType::fp16;
      break;
    case PeakPrecision::bf16:
      type = machine::NumberType::bf16;
      break;
    case PeakPrecision::int8:
      type = machine::NumberType::int8;
      break;
    case PeakPrecision::tf32:
    case PeakPrecision::fp8:
      return std::nullopt;
  }
  const machine::CodePath path = isa == InstructionSet::avx512 ? machine::CodePath::avx512
                                 : isa == InstructionSet::avx2 ? machine::CodePath::avx2
                                                               : machine::CodePath::scalar;
  return machine::operations_per_cycle(core, type, path);
}

void refuse_above_theory(double measured, double theory, double clock_hz, const char* value_name) {
  if (measured <= theory * (1 + clock_tolerance_ratio)) return;
  throw CaseFailed(fmt::format(
      "refused: measured {} is {:.1f} % above the theoretical {} at the measured clock of "
      "{}; the clock changed during the measurement, or the documented width is wrong",
      readable(value_name, measured).text(), 100 * (measured / theory - 1),
      readable(value_name, theory).text(), readable("clock_hz", clock_hz).text()));
}

}  // namespace hpclab::roofline::ceilings
