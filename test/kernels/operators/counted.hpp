// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A number that counts what is done with it. Kernels run in the emulator with it in place of double
// or float: operations, and the words of shared memory that threads read and write. Accesses that
// the threads of a warp make at the same place between two barriers are one instruction; from the
// words that it wants follow the passes through the banks.
#pragma once

#include "cuda/core/multiply_add.cuh"
#include "cuda/emulator/emulator.hpp"
#include "cuda/emulator/primitives.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

namespace hpclab::test {

/// Everything that was counted since the last clear().
class Counts {
 public:
  std::uint64_t multiply_adds = 0;
  std::uint64_t additions = 0;  ///< and multiplications
  std::uint64_t shared_words = 0;
  bool enabled = false;  ///< while a kernel runs

  static Counts& now() {
    static Counts counts;
    return counts;
  }
  static void clear() { now() = Counts(); }

  /// What the running thread does at `address`; locals of the thread are not counted.
  void access(const void* address, std::size_t bytes) {
    if (!enabled) return;
    emulator::Thread& thread = emulator::Engine::current().running();
    const auto* byte = static_cast<const unsigned char*>(address);
    const auto* shared = static_cast<const unsigned char*>(thread.block->shared.dynamic());
    if (byte >= shared && byte < shared + thread.block->shared.dynamic_bytes()) {
      ++shared_words;
      auto& number = next_[{thread.slot, thread.barriers}];
      instructions_[{thread.slot / 32, thread.barriers, number++}].push_back(
          {thread.lane, static_cast<std::size_t>(byte - shared) / bytes});
    }
  }

  /// Passes of 128 bytes for words of `bytes`.
  double wavefronts(std::size_t bytes) const {
    const std::size_t banks = 128 / bytes;
    double passes = 0;
    for (const auto& [place, lanes] : instructions_) {
      for (std::size_t first = 0; first < 32; first += banks) {
        std::map<std::size_t, std::vector<std::size_t>> words_of_bank;
        std::size_t most = 0;
        for (const auto& [lane, word] : lanes) {
          if (lane < first || lane >= first + banks) continue;
          auto& words = words_of_bank[word % banks];
          bool known = false;
          for (const std::size_t other : words) known = known || other == word;
          if (!known) words.push_back(word);
          most = words.size() > most ? words.size() : most;
        }
        passes += static_cast<double>(most);
      }
    }
    return passes;
  }

 private:
  struct Lane {
    std::size_t lane, word;
  };
  std::map<std::array<std::uint64_t, 2>, std::uint64_t> next_;  ///< of a thread since a barrier
  std::map<std::array<std::uint64_t, 3>, std::vector<Lane>> instructions_;
};

/// As Number (double or float); copies from and assignments to shared memory are counted.
template <class Number>
struct Counted {
  Number value;

  Counted() = default;
  Counted(Number v) : value(v) {}  // numbers convert, as in T(0)
  template <class Other>
  requires(!std::is_same_v<Other, Number> && std::is_arithmetic_v<Other>) Counted(Other v)
      : value(static_cast<Number>(v)) {}
  Counted(const Counted& other) : value(other.value) {
    Counts::now().access(&other, sizeof(Number));
  }
  Counted& operator=(const Counted& other) {
    // A value is read from one place and written to another; locals count as neither.
    Counts::now().access(&other, sizeof(Number));
    Counts::now().access(this, sizeof(Number));
    value = other.value;
    return *this;
  }
  explicit operator double() const { return static_cast<double>(read()); }

  friend Counted operator+(const Counted& a, const Counted& b) {
    return added(a.read() + b.read());
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    return added(a.read() - b.read());
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    return added(a.read() * b.read());
  }
  friend Counted operator-(const Counted& a) {
    return Counted(-a.read());
  }  // free: an operand's sign
  Counted& operator+=(const Counted& b) { return *this = *this + b; }

  Number read() const {
    Counts::now().access(this, sizeof(Number));
    return value;
  }

 private:
  static Counted added(Number v) {
    ++Counts::now().additions;
    return Counted(v);
  }
};

}  // namespace hpclab::test

namespace hpclab::test {

template <class Number>
Counted<Number> fused_multiply_add(const Counted<Number>& a, const Counted<Number>& b,
                                   const Counted<Number>& c) {
  ++Counts::now().multiply_adds;
  return Counted<Number>(a.read() * b.read() + c.read());
}

template <class Number>
Counted<Number> reciprocal_seed(const Counted<Number>& x) {
  return Counted<Number>(1 / x.read());
}

}  // namespace hpclab::test

// Kernels name the namespace: this header comes before theirs.
namespace hpclab::cuda {
using test::fused_multiply_add;
using test::reciprocal_seed;
}  // namespace hpclab::cuda
