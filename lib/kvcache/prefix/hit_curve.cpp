// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/hit_curve.hpp"

#include <algorithm>
#include <bit>

namespace hpclab::kvcache::prefix {
namespace {

constexpr int sub_bits = 12;  // 4096 steps an octave beyond the exact ones
constexpr int exact_bits = static_cast<int>(std::bit_width(HitCurve::exact_capacities)) - 1;

double share_of(const CacheableRequest& request) {
  return request.blocks.empty() ? 0 : 1 / static_cast<double>(request.blocks.size());
}

}  // namespace

void HitCount::add(const CacheableRequest& request, std::uint64_t found) {
  const std::uint64_t hit = request.hit_blocks(found);
  blocks += hit;
  tokens += request.tokens(hit);
  request_shares += static_cast<double>(hit) * share_of(request);
}

HitRatios HitCount::over(const Demand& demand) const {
  const auto ratio = [](double part, std::uint64_t whole) {
    return whole == 0 ? 0 : part / static_cast<double>(whole);
  };
  return {ratio(static_cast<double>(blocks), demand.blocks),
          ratio(static_cast<double>(tokens), demand.tokens),
          ratio(request_shares, demand.requests)};
}

std::size_t HitCurve::step_of(std::uint64_t distance) {
  if (distance < exact_capacities) return static_cast<std::size_t>(distance);
  const int octave = static_cast<int>(std::bit_width(distance)) - 1 - exact_bits;
  const std::uint64_t sub = (distance >> (exact_bits + octave - sub_bits)) - (1u << sub_bits);
  return static_cast<std::size_t>(exact_capacities +
                                  (static_cast<std::uint64_t>(octave) << sub_bits) + sub);
}

std::uint64_t HitCurve::last_capacity_of(std::size_t step) {
  if (step < exact_capacities) return step;
  const std::uint64_t beyond = step - exact_capacities;
  const int shift = static_cast<int>(beyond >> sub_bits) + exact_bits - sub_bits;
  const std::uint64_t sub = (beyond & ((1u << sub_bits) - 1)) + (1u << sub_bits);
  return ((sub + 1) << shift) - 1;
}

void HitCurve::add(const CacheableRequest& request, std::span<const std::uint32_t> distances) {
  demand_.add(request);
  block_tokens_ = request.block_tokens;
  const std::uint64_t hits = request.hit_blocks(distances.size());
  if (hits == 0) return;
  const double share = share_of(request);
  std::uint32_t largest = distances[0];
  std::size_t begin = step_of(largest);
  std::size_t end = begin + 1;
  for (std::uint64_t i = 1; i < hits; ++i) {
    const bool rises = distances[i] > largest;
    largest = std::max(largest, distances[i]);
    const std::size_t step = step_of(largest);
    if (rises && step == end) {
      ++end;
      continue;
    }
    add_run(begin, end, share);
    begin = step;
    end = step + 1;
  }
  add_run(begin, end, share);
  changes_[end - 1].missing_tokens += hits * block_tokens_ - request.tokens(hits);
}

void HitCurve::add_run(std::size_t begin, std::size_t end, double share) {
  if (end >= changes_.size()) changes_.grow(std::max<std::size_t>(end + 1, 2 * changes_.size()));
  ++changes_[begin].blocks;
  changes_[begin].request_shares += share;
  --changes_[end].blocks;
  changes_[end].request_shares -= share;
  used_ = std::max(used_, end);
}

void HitCurve::finish() {
  steps_ = LargeArray<HitCount>(used_);
  HitCount sum;
  std::int64_t blocks = 0;
  double shares = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    blocks += changes_[i].blocks;
    shares += changes_[i].request_shares;
    sum.blocks += static_cast<std::uint64_t>(blocks);
    sum.tokens += static_cast<std::uint64_t>(blocks) * block_tokens_ - changes_[i].missing_tokens;
    sum.request_shares += shares;
    steps_[i] = sum;
  }
  changes_ = {};
}

HitCount HitCurve::at(std::uint64_t capacity) const {
  std::size_t step = step_of(capacity);
  if (step >= used_) return unlimited();
  if (last_capacity_of(step) > capacity) --step;  // a step that the capacity does not reach through
  return steps_[step];
}

HitCount HitCurve::unlimited() const {
  return used_ == 0 ? HitCount{} : steps_[used_ - 1];
}

std::uint64_t HitCurve::largest_distance() const {
  return used_ == 0 ? 0 : last_capacity_of(used_ - 1);
}

std::uint64_t HitCurve::capacity_of_share(double share) const {
  const double wanted = share * static_cast<double>(unlimited().blocks);
  const auto found = std::partition_point(
      steps_.begin(), steps_.begin() + used_,
      [&](const HitCount& step) { return static_cast<double>(step.blocks) < wanted; });
  return found == steps_.begin() + used_
             ? largest_distance()
             : last_capacity_of(static_cast<std::size_t>(found - steps_.begin()));
}

std::uint64_t knee_of(const HitCurve& curve, double gain) {
  const double all = static_cast<double>(std::max<std::uint64_t>(curve.demand().blocks, 1));
  // Downwards from the capacity that has everything; the last one that still holds is the knee.
  std::uint64_t knee = curve.largest_distance();
  for (std::uint64_t capacity = knee; capacity > 0;
       capacity -= std::max<std::uint64_t>(1, capacity / 1024)) {
    const double gained =
        static_cast<double>(curve.at(10 * capacity).blocks - curve.at(capacity).blocks);
    if (gained > gain * all) break;
    knee = capacity;
  }
  return knee;
}

}  // namespace hpclab::kvcache::prefix
