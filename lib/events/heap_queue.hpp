// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A heap whose nodes have `Arity` children: with four the children of a node share a cache line of
// 64 bytes, and the heap is half as deep as a binary one.
#pragma once

#include "events/event.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::events {

template <std::size_t Arity = 4>
class HeapQueue {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  const Event& top() const { return heap_.front(); }

  void push(const Event& event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    while (at > 0) {
      const std::size_t parent = (at - 1) / Arity;
      if (!(event < heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = event;
  }

  Event pop() {
    const Event least = heap_.front();
    const Event moved = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(moved);
    return least;
  }

 private:
  void sink(const Event& moved) {
    std::size_t at = 0;
    const std::size_t size = heap_.size();
    while (true) {
      const std::size_t first = at * Arity + 1;
      if (first >= size) break;
      const std::size_t end = first + Arity < size ? first + Arity : size;
      std::size_t best = first;
      for (std::size_t i = first + 1; i < end; ++i) {
        if (heap_[i] < heap_[best]) best = i;
      }
      if (!(heap_[best] < moved)) break;
      heap_[at] = heap_[best];
      at = best;
    }
    heap_[at] = moved;
  }

  std::vector<Event> heap_;
};

}  // namespace hpclab::events
