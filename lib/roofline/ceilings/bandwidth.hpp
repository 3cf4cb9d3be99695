// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Kernels that move cache lines as fast as one core can, each with its work declared beside it.
#pragma once

#include "core/instruction_set.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace hpclab::roofline::ceilings {

/// What one pass does with `doubles` elements (s is a scalar argument):
/// read: loads b. write: a = s. copy: a = b. triad: a = b + s*c. update: a = s*a.
/// The nontemporal kinds store around the caches. mix_KrMw: of every 8 cache lines, K are loaded
/// from b and M = 8-K are stored to a; both arrays are walked in order, b holds K/8 and a holds M/8
/// of `doubles`.
enum class BandwidthKind {
  read,
  write,
  write_nontemporal,
  copy,
  copy_nontemporal,
  triad,
  triad_nontemporal,
  update,
  mix_1r7w,
  mix_2r6w,
  mix_3r5w,
  mix_4r4w,
  mix_5r3w,
  mix_6r2w,
  mix_7r1w
};

inline constexpr std::array all_bandwidth_kinds = {BandwidthKind::read,
                                                   BandwidthKind::write,
                                                   BandwidthKind::write_nontemporal,
                                                   BandwidthKind::copy,
                                                   BandwidthKind::copy_nontemporal,
                                                   BandwidthKind::triad,
                                                   BandwidthKind::triad_nontemporal,
                                                   BandwidthKind::update,
                                                   BandwidthKind::mix_1r7w,
                                                   BandwidthKind::mix_2r6w,
                                                   BandwidthKind::mix_3r5w,
                                                   BandwidthKind::mix_4r4w,
                                                   BandwidthKind::mix_5r3w,
                                                   BandwidthKind::mix_6r2w,
                                                   BandwidthKind::mix_7r1w};

/// "read", "write-nontemporal", "mix-3r5w", ...
std::string_view name(BandwidthKind kind);

/// The kind of that name. Throws UsageError that lists the valid names.
BandwidthKind bandwidth_kind_of(std::string_view name);

/// Bytes and operations of one pass over `doubles` elements.
struct BandwidthWork {
  double bytes_read = 0;  ///< as the program sees it (STREAM convention, the same as likwid-bench)
  double bytes_written = 0;  ///< as the program sees it
  double dram_bytes =
      0;  ///< with the arrays in DRAM: reads, writes, and the read for ownership (write-allocate)
          ///< of every line that is stored through the caches without having been loaded
  double flops = 0;  ///< a multiply-add counts 2
};

/// Elements of each array that one pass touches; an array of 0 elements is not accessed and may be
/// null.
struct BandwidthFootprint {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
  std::size_t bytes() const { return sizeof(double) * (a + b + c); }
};

/// Makes `repeats` passes over `doubles` elements; the loop over the passes is inside so that a 16
/// KiB working set is not dominated by the call. a, b and c are aligned to 64 B and do not overlap;
/// doubles is a multiple of BandwidthKernel::granularity. Nothing is checked here:
/// BandwidthKernel::check does it, outside the timed region.
///
/// Placement is the caller's: on a Zen 4 core a non-temporal copy from DRAM runs 7 % (AVX2) to 15 %
/// (AVX-512) faster when b lies 2 KiB away from a modulo 4 KiB than when both begin alike; plain
/// stores and triads do not care.
using BandwidthFunction = void (*)(double* a, const double* b, const double* c, double s,
                                   std::size_t doubles, std::size_t repeats);

struct BandwidthKernel {
  BandwidthKind kind;
  InstructionSet instruction_set;
  BandwidthFunction run;
  std::size_t granularity;  ///< in doubles: 8 (one cache line), 64 for the mixes (8 lines)

  BandwidthWork work(std::size_t doubles) const;
  BandwidthFootprint footprint(std::size_t doubles) const;

  /// The largest valid `doubles` whose footprint is at most `bytes`; 0 when not even one granule
  /// fits.
  std::size_t doubles_for_footprint(std::size_t bytes) const;

  /// Throws UsageError when an array that the kernel uses is null or not aligned to 64 B, when
  /// `doubles` is 0 or not a multiple of the granularity, or when two arrays overlap.
  void check(const double* a, const double* b, const double* c, std::size_t doubles) const;
};

/// The kernel, or nullptr when this CPU does not execute the instruction set.
const BandwidthKernel* find_bandwidth_kernel(BandwidthKind kind, InstructionSet instruction_set);

}  // namespace hpclab::roofline::ceilings
