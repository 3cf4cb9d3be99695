// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Random numbers that depend on (seed, name, ids, position) only: bit-reproducible at any number of
// threads, in any order of evaluation, on any machine. The generator is Philox4x32-10 (Salmon,
// Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011), a keyed bijection
// of 128-bit counters.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>

namespace hpclab {

/// One Philox4x32-10 block: four 32-bit words from a 128-bit counter and a 64-bit key, least word
/// first.
using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
PhiloxCounter philox4x32_10(const PhiloxCounter& counter, const PhiloxKey& key);

/// A stream of 2^64 draws. Copies are independent readers of the same stream. Satisfies
/// std::uniform_random_bit_generator, so distributions of Boost.Random and the standard library
/// take it (use Boost's: the standard's distributions differ between library versions). One stream
/// per rank, request or path: `RandomStream(seed, "arrivals", rank, request)`.
class RandomStream {
 public:
  using result_type = std::uint64_t;

  /// The stream of that name under that seed, refined by any number of integer ids.
  template <std::integral... Ids>
  RandomStream(std::uint64_t seed, std::string_view name, Ids... ids)
      : RandomStream(root(seed, name)) {
    ((*this = substream(static_cast<std::uint64_t>(ids))), ...);
  }

  /// The id-th child of this stream: same whatever was drawn from the parent before. Children of
  /// different ids, and children and parent, are different streams (128-bit identities; collisions
  /// are out of reach).
  RandomStream substream(std::uint64_t id) const;

  /// 64 uniform bits, two to a Philox block, lower words first.
  std::uint64_t bits64() {
    const std::uint64_t index = position_++;
    if (index / batch != batch_in_words_) fill(index / batch);
    return words_[index % batch];
  }
  std::uint64_t operator()() { return bits64(); }
  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return std::numeric_limits<std::uint64_t>::max(); }

  /// Uniform in [0, 1): a multiple of 2^-53.
  double uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

  /// Uniform in 0 .. n - 1 without bias (Lemire, "Fast random integer generation in an interval",
  /// 2019): rarely takes more than one draw. Throws std::invalid_argument for n = 0.
  std::uint64_t below(std::uint64_t n);

  /// Number of 64-bit draws so far, and a jump to any of them at no cost.
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position) { position_ = position; }

 private:
  RandomStream(const PhiloxKey& key, std::uint64_t stream) : key_(key), stream_(stream) {}
  static RandomStream root(std::uint64_t seed, std::string_view name);
  void fill(std::uint64_t number);

  // Draws computed together: the rounds of one block wait for each other, those of four overlap.
  static constexpr std::uint64_t batch = 8;

  PhiloxKey key_;
  std::uint64_t stream_;  // upper half of the counter
  std::uint64_t position_ = 0;
  std::uint64_t batch_in_words_ = std::numeric_limits<std::uint64_t>::max();  // none at first
  std::array<std::uint64_t, batch> words_{};
};

}  // namespace hpclab
