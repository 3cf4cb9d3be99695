// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Counts passes through shared memory: 32 banks of 4 bytes serve a warp at once unless two threads
// want different words of one bank; words of 8 bytes are served to half warps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hpclab::operators {

class BankCounter {
 public:
  /// Words of `word_bytes` (4 or 8).
  explicit BankCounter(int word_bytes) : banks_(128 / word_bytes) {}

  /// One access of a block of `threads` threads: word_of(thread) is the word's index, negative for
  /// a thread that does not take part. Adds `times` such accesses, which may be shifted by any
  /// constant.
  template <class WordOf>
  void add(int threads, double times, const WordOf& word_of) {
    for (int first = 0; first < threads; first += banks_) {
      words_.clear();
      for (int thread = first; thread < std::min(threads, first + banks_); ++thread) {
        const int word = word_of(thread);
        if (word < 0) continue;
        accesses_ += times;
        words_.push_back(word);
      }
      wavefronts_ += times * passes();
    }
  }

  double wavefronts() const { return wavefronts_; }
  double accesses() const { return accesses_; }

 private:
  // Distinct words in the fullest bank.
  int passes() {
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    std::vector<int> in_bank(static_cast<std::size_t>(banks_), 0);
    int most = 0;
    for (const int word : words_)
      most = std::max(most, ++in_bank[static_cast<std::size_t>(word % banks_)]);
    return most;
  }

  int banks_;
  std::vector<int> words_;
  double wavefronts_ = 0;
  double accesses_ = 0;
};

}  // namespace hpclab::operators
