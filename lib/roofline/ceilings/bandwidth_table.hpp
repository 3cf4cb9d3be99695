// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The tables that the translation units of each instruction set export. No standard header beyond
// <cstddef>: this is included where wider instructions than the caller's CPU may be generated.
#pragma once

#include <cstddef>

namespace hpclab::roofline::ceilings {

/// The number of kinds, in the order of BandwidthKind.
inline constexpr int bandwidth_kind_count = 15;

using BandwidthBody = void (*)(double* a, const double* b, const double* c, double s,
                               std::size_t doubles, std::size_t repeats);

extern const BandwidthBody bandwidth_scalar[bandwidth_kind_count];
extern const BandwidthBody bandwidth_avx2[bandwidth_kind_count];
extern const BandwidthBody bandwidth_avx512[bandwidth_kind_count];

}  // namespace hpclab::roofline::ceilings
