// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/random_stream.hpp"

#include <stdexcept>

#include <Random123/philox.h>

namespace hpclab {
namespace {

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}
std::uint64_t join(std::uint32_t low_word, std::uint32_t high_word) {
  return std::uint64_t{high_word} << 32 | low_word;
}

// Sets counters that derive streams apart from counters that draw numbers of the same key.
constexpr std::uint64_t derivation_mark = 0x9e3779b97f4a7c15;

// FNV-1a (Fowler, Noll & Vo), 64 bits.
std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace

PhiloxCounter philox4x32_10(const PhiloxCounter& counter, const PhiloxKey& key) {
  const r123::Philox4x32::ctr_type in{{counter[0], counter[1], counter[2], counter[3]}};
  const r123::Philox4x32::key_type k{{key[0], key[1]}};
  const r123::Philox4x32::ctr_type out = r123::Philox4x32()(in, k);
  return {out[0], out[1], out[2], out[3]};
}

RandomStream RandomStream::root(std::uint64_t seed, std::string_view name) {
  return RandomStream(PhiloxKey{low(seed), high(seed)}, 0).substream(hash_of(name));
}

RandomStream RandomStream::substream(std::uint64_t id) const {
  const std::uint64_t marked = stream_ ^ derivation_mark;
  const PhiloxCounter mixed = philox4x32_10({low(id), high(id), low(marked), high(marked)}, key_);
  return RandomStream(PhiloxKey{mixed[0], mixed[1]}, join(mixed[2], mixed[3]));
}

void RandomStream::fill(std::uint64_t number) {
  constexpr std::size_t blocks = batch / 2;
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::uint64_t block = number * blocks + i;
    const PhiloxCounter words =
        philox4x32_10({low(block), high(block), low(stream_), high(stream_)}, key_);
    words_[2 * i] = join(words[0], words[1]);
    words_[2 * i + 1] = join(words[2], words[3]);
  }
  batch_in_words_ = number;
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("random number below 0");
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits64()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t biased = (0 - n) % n;  // 2^64 mod n
    while (static_cast<std::uint64_t>(product) < biased) product = static_cast<Wide>(bits64()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace hpclab
