// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One float at a time.
#include "kvcache/decode/attention_bodies.hpp"
#include "kvcache/decode/half.hpp"

namespace hpclab::kvcache::decode {
namespace {

struct Sixteen {
  float v[lanes];
};

struct Vector {
  using Register = Sixteen;
  using Line = std::uint64_t;
  static constexpr int most_queries = 4;

  template <typename F>
  static Sixteen each(F f) {
    Sixteen x;
    for (int i = 0; i < lanes; ++i) x.v[i] = f(i);
    return x;
  }
  static std::uint16_t word(const std::byte* p, int i) {
    std::uint16_t x;
    __builtin_memcpy(&x, p + 2 * i, 2);
    return x;
  }

  static Sixteen load(const float* p) {
    return each([=](int i) { return p[i]; });
  }
  static void store(float* p, const Sixteen& x) {
    for (int i = 0; i < lanes; ++i) p[i] = x.v[i];
  }
  static Sixteen broadcast(float x) {
    return each([=](int) { return x; });
  }
  static Sixteen add(const Sixteen& x, const Sixteen& y) {
    return each([&](int i) { return x.v[i] + y.v[i]; });
  }
  static Sixteen multiply(const Sixteen& x, const Sixteen& y) {
    return each([&](int i) { return x.v[i] * y.v[i]; });
  }
  static Sixteen multiply_add(const Sixteen& x, const Sixteen& y, const Sixteen& z) {
    return each([&](int i) { return x.v[i] * y.v[i] + z.v[i]; });
  }
  static Sixteen largest(const Sixteen& x, const Sixteen& y) {
    return each([&](int i) { return x.v[i] > y.v[i] ? x.v[i] : y.v[i]; });
  }
  static float highest(const Sixteen& x) {
    float y = x.v[0];
    for (const float e : x.v) y = e > y ? e : y;
    return y;
  }
  static float total(const Sixteen& x) {
    float y = 0;
    for (const float e : x.v) y += e;
    return y;
  }
  static Sixteen from_half(const std::byte* p) {
    return each([=](int i) { return decode::from_half(word(p, i)); });
  }
  static Sixteen from_int8(const std::byte* p) {
    return each([=](int i) { return static_cast<float>(static_cast<signed char>(p[i])); });
  }
  static Sixteen even_bfloats(const std::byte* p) {
    return each([=](int i) { return from_bfloat(word(p, 2 * i)); });
  }
  static Sixteen odd_bfloats(const std::byte* p) {
    return each([=](int i) { return from_bfloat(word(p, 2 * i + 1)); });
  }
  static float exp2_of(float x) { return __builtin_exp2f(x); }
  static Sixteen exp2(const Sixteen& x) {
    return each([&](int i) { return exp2_of(x.v[i]); });
  }
  static void read_line(const std::byte* p, std::uint64_t& sum) {
    for (int i = 0; i < 8; ++i) {
      std::uint64_t x;
      __builtin_memcpy(&x, p + 8 * i, 8);
      sum ^= x;
    }
  }
  static std::uint64_t fold(std::uint64_t sum) { return sum; }
};

}  // namespace

const AttentionBodies attention_bodies_scalar = HPCLAB_ATTENTION_BODIES(Vector);

}  // namespace hpclab::kvcache::decode
