// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A ladder queue (Tang, Goh & Thng, ACM TOMACS 2005): far events lie unsorted, and are spread over
// buckets - a rung - only when their time comes; a bucket with many events becomes a finer rung;
// the nearest few are sorted. Its cost does not depend on the number of events, nor on a slot width
// that somebody has to choose.
#pragma once

#include "events/event.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace hpclab::events {

class LadderQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    if (event.time >= top_start_) {
      top_low_ = std::min(top_low_, event.time);
      top_high_ = std::max(top_high_, event.time);
      top_.push_back(event);
      return;
    }
    for (Rung& rung : rungs_) {
      // The last bucket, once taken, lies in the rung below or at the bottom.
      if (rung.next < rung.buckets.size() && event.time >= rung.next_time()) {
        rung.buckets[rung.index_of(event.time)].push_back(event);
        return;
      }
    }
    const auto at = std::upper_bound(bottom_.begin(), bottom_.end(), event,
                                     [](const Event& a, const Event& b) { return b < a; });
    bottom_.insert(at, event);
  }

  Event pop() {
    while (bottom_.empty()) refill();
    const Event least = bottom_.back();
    bottom_.pop_back();
    --size_;
    return least;
  }

 private:
  static constexpr std::size_t threshold = 64;  // a bucket with more becomes a rung
  static constexpr std::size_t most_rungs = 10;

  struct Rung {
    std::int64_t start = 0;
    std::int64_t width = 1;
    std::size_t next = 0;  // buckets before it are empty for good
    std::vector<std::vector<Event>> buckets;

    std::int64_t next_time() const { return start + static_cast<std::int64_t>(next) * width; }
    // The last bucket takes whatever lies beyond, up to the rung above.
    std::size_t index_of(std::int64_t time) const {
      return std::min(static_cast<std::size_t>((time - start) / width), buckets.size() - 1);
    }
  };

  void spread(std::vector<Event>& events, std::int64_t low, std::int64_t high) {
    Rung rung;
    rung.start = low;
    rung.width = std::max<std::int64_t>((high - low) / static_cast<std::int64_t>(events.size()), 1);
    rung.buckets.resize(static_cast<std::size_t>((high - low) / rung.width) + 1);
    for (const Event& event : events) rung.buckets[rung.index_of(event.time)].push_back(event);
    rungs_.push_back(std::move(rung));
  }

  void sort_into_bottom(std::vector<Event>& events) {
    bottom_.swap(events);
    events.clear();
    std::sort(bottom_.begin(), bottom_.end(), [](const Event& a, const Event& b) { return b < a; });
  }

  void refill() {
    while (!rungs_.empty() && rungs_.back().next == rungs_.back().buckets.size()) rungs_.pop_back();
    if (rungs_.empty()) {
      std::vector<Event> events;
      events.swap(top_);
      const std::int64_t low = top_low_;
      const std::int64_t high = top_high_;
      top_start_ = high == std::numeric_limits<std::int64_t>::max() ? high : high + 1;
      top_low_ = std::numeric_limits<std::int64_t>::max();
      top_high_ = 0;
      if (events.size() <= threshold || low == high) return sort_into_bottom(events);
      spread(events, low, high);
      return;
    }
    Rung& rung = rungs_.back();
    std::vector<Event> events;
    events.swap(rung.buckets[rung.next]);
    ++rung.next;
    if (events.empty()) return;
    const auto [low, high] = std::minmax_element(events.begin(), events.end());
    if (events.size() > threshold && rungs_.size() < most_rungs && low->time < high->time) {
      const std::int64_t from = low->time;
      const std::int64_t to = high->time;
      spread(events, from, to);
      return;
    }
    sort_into_bottom(events);
  }

  std::vector<Event> top_;
  std::int64_t top_start_ = 0;
  std::int64_t top_low_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t top_high_ = 0;
  std::vector<Rung> rungs_;
  std::vector<Event> bottom_;
  std::size_t size_ = 0;
};

}  // namespace hpclab::events
