// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How many samples a statement about a percentile needs: "99 % of requests are faster than x" from
// ten samples is no statement at all.
#pragma once

#include <cstddef>

namespace hpclab {

/// The fewest samples that support "at least a share `percentile` stays below the limit" with
/// `confidence`, when `failures` of them exceeded it: the smallest h with I_percentile(h -
/// failures, failures + 1) <= 1 - confidence, I the regularised incomplete beta function (Clopper &
/// Pearson 1934). Without failures that is ceil(ln(1 - c) / ln p); at c = 0.99: p50 -> 7, p90 ->
/// 44, p95 -> 90, p99 -> 459, p99.9 -> 4603. 0 < percentile, confidence < 1, else
/// std::invalid_argument.
std::size_t samples_for_percentile(double percentile, double confidence, std::size_t failures = 0);

/// The most failures that `samples` samples may hold and still support the statement; -1 when there
/// are too few samples even without a failure.
long long failures_allowed(std::size_t samples, double percentile, double confidence);

}  // namespace hpclab
