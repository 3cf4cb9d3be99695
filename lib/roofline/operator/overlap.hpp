// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How times of several resources combine: the one fitted number of the model, and how well it fits.
#pragma once

namespace hpclab::roofline::operator_ {

/// Exponent k of time = (sum of time_i^k)^(1/k), by scripts/fit_overlap from one core of an EPYC
/// (Zen 4): bp1 and bp5, stored and affine, in cache and out of it, at odd degrees 1 to 9. 1 would
/// be no overlap at all, infinity a perfect one. GPUs were not fitted.
inline constexpr double overlap_exponent = 2.43;

/// 95 % of the relative errors of the rows that were fitted lie within this.
inline constexpr double overlap_residual_ratio = 0.31;

}  // namespace hpclab::roofline::operator_
