// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How much of a working set that is swept again and again is still in a cache when it is next used.
#pragma once

namespace hpclab::machine {

/// Share of accesses that hit, in 0..1, when `working_set_bytes` are swept cyclically through a
/// cache of `cache_bytes`: 1 where it fits. Beyond, least-recently-used replacement would keep
/// nothing and the best possible one cache/working set; processors lie between. This is random
/// replacement: a line survives the S (1 - h) misses until its next use with probability
/// exp(-S (1 - h) / C), so h = exp(-(S/C) (1 - h)), the smaller root. From 4 times the cache on,
/// where that is below 2 %, it is called 0.
double resident_share(double working_set_bytes, double cache_bytes);

/// What replacement may make of it. `low`: least-recently-used from the cache's size on, and from
/// half of it on a cache of that half (the rest holds other data, or lines twice, as in the two
/// partitions of large GPUs). `high`: the best replacement, cache/working set. Both are 0 from 4
/// times the cache on.
struct ResidentRange {
  double low = 0;
  double expected = 0;
  double high = 0;
};
ResidentRange resident_range(double working_set_bytes, double cache_bytes);

}  // namespace hpclab::machine
