// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/units.hpp"
#include "kvcache/prefix/replay.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache::prefix {
namespace {

// Rows of the curve over a factor of ten of capacity.
constexpr double rows_a_decade = 24;

void set_ratios(Result& result, const HitRatios& ratios) {
  result.set_value("hit_block_ratio", ratios.block);
  result.set_value("hit_token_ratio", ratios.token);
  result.set_value("hit_request_mean_ratio", ratios.request_mean);
}

// Capacities for the table: even steps of the logarithm, round numbers, and the knee.
std::vector<CapacityHits> sampled(const HitCurve& curve, std::uint64_t knee) {
  const std::uint64_t end = std::max<std::uint64_t>(1, curve.largest_distance());
  std::vector<std::uint64_t> capacities = capacity_ladder(1, end);
  for (int i = 0;; ++i) {
    const auto capacity = static_cast<std::uint64_t>(std::round(std::pow(10, i / rows_a_decade)));
    if (capacity >= end) break;
    capacities.push_back(capacity);
  }
  capacities.push_back(end);
  if (knee > 0) capacities.push_back(knee);
  std::sort(capacities.begin(), capacities.end());
  capacities.erase(std::unique(capacities.begin(), capacities.end()), capacities.end());
  std::vector<CapacityHits> rows;
  for (const std::uint64_t capacity : capacities) {
    rows.push_back({capacity, curve.at(capacity).over(curve.demand())});
  }
  return rows;
}

void set_curve(Result& result, const std::vector<CapacityHits>& curve) {
  if (curve.empty()) return;
  Table table{{"capacity_blocks", "hit_block_ratio", "hit_token_ratio", "hit_request_mean_ratio"},
              {"blocks", "ratio", "ratio", "ratio"},
              {}};
  for (const auto& [capacity, ratios] : curve) {
    table.rows.push_back({capacity, ratios.block, ratios.token, ratios.request_mean});
  }
  result.set_table("curve", table);
}

void set_knee(Result& result, const Parameters& p, const Replay& replay, const HitCurve& curve,
              std::uint64_t knee) {
  const double unlimited = curve.unlimited().over(curve.demand()).block;
  if (unlimited > 0) {
    result.set_value("fraction_of_maximum_ratio", replay.ratios.block / unlimited);
  }
  if (knee == 0) {
    result.set_text("bound", "nothing is shared: no capacity gives a hit");
    return;
  }
  const double at_knee = curve.at(knee).over(curve.demand()).block;
  const double beyond = curve.at(10 * knee).over(curve.demand()).block - at_knee;
  const double bytes =
      static_cast<double>(knee * replay.block_tokens) * prefill_cost(p).bytes_per_token();
  result.set_value("knee_blocks", static_cast<double>(knee));
  result.set_value("knee_tokens", static_cast<double>(knee * replay.block_tokens));
  result.set_value("knee_bytes", bytes);
  result.set_value("saturation_blocks", static_cast<double>(curve.largest_distance()));
  result.set_text("verdict",
                  fmt::format("knee at {} blocks ({}): {:.1f} % hit there, ten times as much adds "
                              "{:.1f} points",
                              knee, readable("bytes", bytes).text(), 100 * at_knee, 100 * beyond));
}

void set_tiers(Result& result, const Parameters& p, const Replay& replay) {
  const TierTotals& tiers = replay.tiers;
  const auto ratio = [&](std::uint64_t tokens) {
    return static_cast<double>(tokens) / static_cast<double>(replay.demand.tokens);
  };
  result.set_value("hit_gpu_ratio", ratio(tiers.gpu_tokens));
  result.set_value("hit_cpu_ratio", ratio(tiers.cpu_tokens));
  result.set_value("hit_ssd_ratio", ratio(tiers.ssd_tokens));
  result.set_value("loaded_bytes", static_cast<double>(tiers.cpu_tokens + tiers.ssd_tokens) *
                                       prefill_cost(p).bytes_per_token());
  result.set_value("load_s", tiers.load_s);
  result.set_value("compute_s", tiers.compute_s);
  result.set_value("compute_uncached_s", tiers.compute_uncached_s);
  result.set_value("saved_ratio", 1 - (tiers.load_s + tiers.compute_s) / tiers.compute_uncached_s);
}

void set_demand(Result& result, const Replay& replay) {
  result.set_value("requests_count", static_cast<double>(replay.demand.requests));
  result.set_value("asked_blocks", static_cast<double>(replay.demand.blocks));
  result.set_value("input_tokens", static_cast<double>(replay.demand.tokens));
  result.set_value("block_tokens", static_cast<double>(replay.block_tokens));
  result.set_value("peak_blocks", static_cast<double>(replay.peak_blocks));
  if (replay.distinct_blocks > 0) {
    result.set_value("distinct_blocks", static_cast<double>(replay.distinct_blocks));
  }
  for (const std::string& note : replay.notes) result.add_note(note);
}

}  // namespace

Result simulate(const Parameters& p, Context& context) {
  if (p.tiers == Tiers::offload && (p.policy != Policy::lru || p.semantics == Semantics::radix)) {
    throw CaseFailed("tiers are simulated for policy=lru with semantics recorded or block-hash");
  }
  Result result;
  if (p.policy != Policy::lru || p.semantics == Semantics::radix) {
    const Replay replay = replay_policy(p, context);
    set_ratios(result, replay.ratios);
    set_curve(result, replay.curve);
    set_demand(result, replay);
    return result;
  }
  HitCurve curve;
  const Replay replay = replay_lru(p, context, curve);
  set_ratios(result, replay.ratios);
  const std::uint64_t knee = knee_of(curve, p.knee_gain_ratio);
  set_curve(result, sampled(curve, knee));
  set_knee(result, p, replay, curve, knee);
  if (p.tiers == Tiers::offload) set_tiers(result, p, replay);
  set_demand(result, replay);
  return result;
}

Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::simulate) return {};
  // A trace's length is not known before it is read: the bytes are the bound that track_blocks
  // sets, or what the file can hold (an id takes two bytes at least), whichever is less; 100 MB a
  // second.
  std::error_code unknown;
  double file_bytes = 1e6;
  if (p.source == requests::Origin::file) {
    const auto size = std::filesystem::file_size(p.requests, unknown);
    if (!unknown) file_bytes = static_cast<double>(size) * 8;  // packed files unpack to more
  } else {
    file_bytes = static_cast<double>(p.sessions) * p.turns * 100;
  }
  const double blocks = std::min(static_cast<double>(p.track_blocks), file_bytes / 2);
  return {1e7 + 40 * blocks, file_bytes / 1e8};
}

}  // namespace hpclab::kvcache::prefix
