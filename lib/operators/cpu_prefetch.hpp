// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Fetches what the next batch will read while this one is computed, a few cache lines with every
// line that is contracted: a core that waits for memory and one that computes take turns, one that
// fetches steadily does both at once. Included by files of one instruction set, hence internal
// linkage.
#pragma once

#include "operators/cpu_batch.hpp"

namespace hpclab::operators {
namespace {

// Holds the state of the batch's fetching in registers while a pass runs.
template <typename T>
class Ahead {
 public:
  explicit Ahead(Batch<T>& b) : fetching_(b.fetching), now_(b.fetching) {}
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;
  ~Ahead() { fetching_ = now_; }

  // With each line that is contracted.
  [[gnu::always_inline]] void step() {
    for (int i = 0; i < now_.rate; ++i) {
      __builtin_prefetch(now_.at, 0, 2);
      now_.at += cache_line_bytes;
      if (--now_.left == 0) now_.begin_next();
    }
  }

 private:
  Fetching& fetching_;
  Fetching now_;
};

}  // namespace
}  // namespace hpclab::operators
