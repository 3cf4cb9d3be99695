// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Whether kernels compute what they should: on the emulator that is all that is asked, on the
// device it comes before any timing.
#pragma once

#include "core/result.hpp"
#include "cuda/core/runtime.hpp"
#include "roofline/ceilings/parameters.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::ceilings {

struct Verification {
  std::uint64_t compared = 0;
  std::uint64_t mismatches = 0;
  double max_error_ratio = 0;  ///< of comparisons that allow a rounding

  void compare(bool equal) {
    ++compared;
    if (!equal) ++mismatches;
  }
  /// A relative difference above 2^-50 is a mismatch: more than one rounding of a double.
  void compare_close(double got, double expected);
  void add(const Verification& other);

  /// Throws CaseFailed when anything differed, or nothing was compared.
  void require(const std::string& what) const;
};

/// The result of a case on the emulator: verified, without any time.
Result verified_on_emulator(const Verification& verification);
/// Puts the verification into a timed result.
void set_verification(Result& result, const Verification& verification);

// Each runs its kernel on small data of odd sizes and compares with the host's own computation.

/// Loads from shared memory; 16-byte words only without conflicts.
Verification verify_shared_read(cuda::Runtime& runtime, int word_bytes, std::uint32_t ways);
/// Chains of multiply-adds that must end where they began.
Verification verify_multiply_adds(cuda::Runtime& runtime, PeakPrecision precision);
/// Chains walked on the device and on the host; the cycle is random by `seed`.
Verification verify_chase(cuda::Runtime& runtime, int chains, std::uint64_t seed);
/// Launches on a stream, or as one graph, that each add to what the one before left.
Verification verify_launches(cuda::Runtime& runtime, bool by_graph, std::uint64_t seed);
/// Random bytes to the device and back, from pinned or pageable memory.
Verification verify_link(cuda::Runtime& runtime, bool pinned, std::uint64_t seed);

}  // namespace hpclab::roofline::ceilings
