// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Hits as a function of the cache's capacity, gathered in one pass over a trace, and the knee of
// that curve.
#pragma once

#include "kvcache/prefix/large_array.hpp"
#include "kvcache/requests/request_cutter.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hpclab::kvcache::prefix {

using requests::CacheableRequest;

/// The three ways to say how much hit. They differ where long requests share more or less than
/// short ones.
struct HitRatios {
  double block = 0;         ///< hit blocks over all blocks
  double token = 0;         ///< hit tokens over all input tokens
  double request_mean = 0;  ///< mean over requests of hit blocks over blocks of the request
};

/// What all requests ask for: the denominators.
struct Demand {
  std::uint64_t requests = 0;
  std::uint64_t blocks = 0;
  std::uint64_t tokens = 0;

  void add(const CacheableRequest& request) {
    ++requests;
    blocks += request.blocks.size();
    tokens += request.input_tokens;
  }
};

/// Hits of one cache.
struct HitCount {
  std::uint64_t blocks = 0;
  std::uint64_t tokens = 0;
  double request_shares = 0;

  /// The first `found` blocks of the request are cached.
  void add(const CacheableRequest& request, std::uint64_t found);
  HitRatios over(const Demand& demand) const;
};

/// Hits of caches of every capacity. A block of a request hits from the largest stack distance
/// among it and those before it on. Capacities up to `exact_capacities` are told apart one by one,
/// larger ones in steps of at most 1/4096 of themselves; at each step's end the count is exact.
class HitCurve {
 public:
  static constexpr std::uint64_t exact_capacities = std::uint64_t{1} << 22;

  void add(const CacheableRequest& request, std::span<const std::uint32_t> distances);
  const Demand& demand() const { return demand_; }

  /// Ends the gathering: adds up. Needed once, before the functions below.
  void finish();
  /// Hits with this capacity; between two steps, those of the lower one.
  HitCount at(std::uint64_t capacity) const;
  HitCount unlimited() const;
  /// The smallest capacity with all the hits that there can be.
  std::uint64_t largest_distance() const;
  /// The smallest capacity whose hit blocks are at least this share of all hits.
  std::uint64_t capacity_of_share(double share) const;

 private:
  // Gathered: how much more each capacity gains than the one below it, since blocks that lie one
  // apart gain alike; added up twice by finish().
  struct Change {
    std::int64_t blocks;
    std::uint64_t missing_tokens;  // that the last block of a request lacks
    double request_shares;
  };
  void add_run(std::size_t begin, std::size_t end, double share);

  static std::size_t step_of(std::uint64_t distance);
  static std::uint64_t last_capacity_of(std::size_t step);

  Demand demand_;
  std::uint64_t block_tokens_ = 0;
  LargeArray<Change> changes_;
  LargeArray<HitCount> steps_;
  std::size_t used_ = 0;  // steps with hits lie below
};

/// The knee: the smallest capacity from which on no tenfold capacity gains more than `gain` of
/// block hit ratio.
std::uint64_t knee_of(const HitCurve& curve, double gain);

}  // namespace hpclab::kvcache::prefix
