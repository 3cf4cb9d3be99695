// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A timing wheel over integer time (Varghese & Lauck, SOSP 1987): slots of equal width, taken one
// after another; a slot is sorted when its turn comes. Events beyond the wheel wait in a heap.
#pragma once

#include "events/event.hpp"
#include "events/heap_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hpclab::events {

class TimingWheel {
 public:
  /// `slot`: width of a slot in time; best holds a few events. `slots`: a power of two.
  explicit TimingWheel(std::int64_t slot = 1'000'000, std::size_t slots = 1 << 16)
      : slot_(std::max<std::int64_t>(slot, 1)), slots_(slots) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push(const Event& event) {
    ++size_;
    const std::int64_t index = event.time / slot_;
    if (index <= current_) {
      // Into the slot that is being taken: descending, so that the least one is at the back.
      const auto at = std::upper_bound(taken_.begin(), taken_.end(), event,
                                       [](const Event& a, const Event& b) { return b < a; });
      taken_.insert(at, event);
    } else if (index < current_ + static_cast<std::int64_t>(slots_.size())) {
      slots_[slot_of(index)].push_back(event);
      ++in_wheel_;
    } else {
      far_.push(event);
    }
  }

  Event pop() {
    while (taken_.empty()) advance();
    const Event least = taken_.back();
    taken_.pop_back();
    --size_;
    return least;
  }

 private:
  std::size_t slot_of(std::int64_t index) const {
    return static_cast<std::size_t>(index) & (slots_.size() - 1);
  }

  void advance() {
    // An empty wheel need not be turned slot by slot.
    if (in_wheel_ == 0 && !far_.empty()) {
      current_ = std::max(current_, far_.top().time / slot_ - 1);
    }
    ++current_;
    const std::int64_t end = current_ + static_cast<std::int64_t>(slots_.size());
    while (!far_.empty() && far_.top().time / slot_ < end) {
      const Event event = far_.pop();
      slots_[slot_of(event.time / slot_)].push_back(event);
      ++in_wheel_;
    }
    std::vector<Event>& slot = slots_[slot_of(current_)];
    in_wheel_ -= slot.size();
    taken_.swap(slot);
    std::sort(taken_.begin(), taken_.end(), [](const Event& a, const Event& b) { return b < a; });
  }

  std::int64_t slot_;
  std::int64_t current_ = -1;
  std::vector<std::vector<Event>> slots_;
  std::vector<Event> taken_;
  HeapQueue<4> far_;
  std::size_t in_wheel_ = 0;
  std::size_t size_ = 0;
};

}  // namespace hpclab::events
