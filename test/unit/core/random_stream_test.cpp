// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/random_stream.hpp"

#include "support/catch.hpp"

#include <array>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <boost/random/normal_distribution.hpp>

using namespace hpclab;

static_assert(std::uniform_random_bit_generator<RandomStream>);

TEST_CASE("Philox4x32-10 gives the published known answers") {
  // Random123's kat_vectors.
  CHECK(philox4x32_10({0, 0, 0, 0}, {0, 0}) ==
        PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t ones = 0xffffffff;
  CHECK(philox4x32_10({ones, ones, ones, ones}, {ones, ones}) ==
        PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("draws are the words of consecutive Philox blocks under the key that the name derives") {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  const std::uint64_t seed = 0x0123456789abcdef;
  const std::uint64_t empty_name = 0xcbf29ce484222325;  // FNV-1a of no bytes
  const std::uint64_t mark = 0x9e3779b97f4a7c15;
  const PhiloxCounter identity = philox4x32_10(
      {low(empty_name), high(empty_name), low(mark), high(mark)}, {low(seed), high(seed)});
  RandomStream stream(seed, "");
  for (std::uint32_t block = 0; block < 20; ++block) {
    const PhiloxCounter words =
        philox4x32_10({block, 0, identity[2], identity[3]}, {identity[0], identity[1]});
    REQUIRE(stream.bits64() == (std::uint64_t{words[1]} << 32 | words[0]));
    REQUIRE(stream.bits64() == (std::uint64_t{words[3]} << 32 | words[2]));
  }
}

TEST_CASE("a stream's first draws never change between versions") {
  // Records name (parameters, seed); these digits pin what that means. First computed by this code.
  RandomStream stream(42, "pinned", 7);
  const std::array<std::uint64_t, 3> drawn{stream.bits64(), stream.bits64(), stream.bits64()};
  CHECK(drawn ==
        std::array<std::uint64_t, 3>{0xac0a79683e55187c, 0xac0caa9dfc2b6ae7, 0x2e2bb6d89e9874d4});
}

TEST_CASE("seeking anywhere gives what drawing up to there gives") {
  RandomStream stream(42, "test");
  std::vector<std::uint64_t> drawn(101);
  for (auto& value : drawn) value = stream.bits64();
  CHECK(stream.position() == 101);
  for (const std::size_t at : {100, 0, 51, 50, 7, 8, 99}) {
    stream.seek(at);
    CHECK(stream.bits64() == drawn[at]);
  }
}

TEST_CASE("a stream depends on seed, name and ids, and on nothing else") {
  const auto first = [](RandomStream stream) { return stream.bits64(); };
  CHECK(first({1, "a", 2, 3}) == first({1, "a", 2, 3}));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const char* name : {"", "a", "b", "ab", "ba"}) {
      seen.insert(first({seed, name}));
      for (int i = 0; i < 10; ++i) seen.insert(first({seed, name, i}));
      for (int i = 0; i < 10; ++i) seen.insert(first({seed, name, 0, i}));
    }
  }
  CHECK(seen.size() == 10 * 5 * 21);
  RandomStream parent(1, "p");
  const std::uint64_t child = first(parent.substream(5));
  parent.bits64();
  CHECK(first(parent.substream(5)) == child);
}

TEST_CASE("substreams drawn by several threads equal those drawn by one") {
  constexpr int streams = 64;
  const auto sum_of = [](int id) {
    RandomStream stream(9, "threads", id);
    std::uint64_t sum = 0;
    for (int i = 0; i < 1000; ++i) sum += stream.below(1000 + id);
    return sum;
  };
  std::vector<std::uint64_t> alone(streams);
  for (int id = 0; id < streams; ++id) alone[id] = sum_of(id);
  std::vector<std::uint64_t> together(streams);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (int id = streams - 1 - t; id >= 0; id -= 3) together[id] = sum_of(id);
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(alone == together);
}

TEST_CASE("below is uniform, within range, and exact at the edges") {
  RandomStream stream(3, "below");
  CHECK(stream.below(1) == 0);
  CHECK_THROWS_AS(stream.below(0), std::invalid_argument);
  constexpr int bins = 10;
  constexpr int draws = 100000;
  std::array<int, bins> count{};
  for (int i = 0; i < draws; ++i) ++count.at(stream.below(bins));
  double chi2 = 0;
  for (const int c : count) chi2 += std::pow(c - draws / bins, 2) / (draws / bins);
  CHECK(chi2 < 27.9);  // 99.9 % quantile at 9 degrees of freedom
  // Three quarters of 2^64: a plain modulo would put half of the draws into the first third.
  const std::uint64_t n = std::uint64_t{3} << 62;
  int in_first_third = 0;
  for (int i = 0; i < 30000; ++i) in_first_third += stream.below(n) < n / 3;
  CHECK(in_first_third == Catch::Approx(10000).margin(4 * std::sqrt(30000 * 2.0 / 9)));
}

TEST_CASE("uniform lies from 0 up to 1 with the moments of the uniform distribution") {
  RandomStream stream(4, "uniform");
  RandomStream other = RandomStream(4, "uniform").substream(1);
  constexpr int n = 200000;
  double sum = 0;
  double squares = 0;
  double lagged = 0;
  double crossed = 0;
  double before = 0.5;
  for (int i = 0; i < n; ++i) {
    const double u = stream.uniform();
    REQUIRE((u >= 0.0 && u < 1.0));
    sum += u;
    squares += (u - 0.5) * (u - 0.5);
    lagged += (u - 0.5) * (before - 0.5);
    crossed += (u - 0.5) * (other.uniform() - 0.5);
    before = u;
  }
  const double standard_error = 1.0 / std::sqrt(double(n));
  CHECK(sum / n == Catch::Approx(0.5).margin(4 * standard_error / std::sqrt(12.0)));
  CHECK(squares / n == Catch::Approx(1.0 / 12).margin(4 * standard_error / std::sqrt(180.0)));
  CHECK(std::abs(lagged / n) < 4 * standard_error / 12);
  CHECK(std::abs(crossed / n) < 4 * standard_error / 12);
}

TEST_CASE("every bit of the output is set half of the time") {
  RandomStream stream(5, "bits");
  std::array<int, 64> count{};
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t bits = stream();
    for (int b = 0; b < 64; ++b) count[b] += static_cast<int>(bits >> b & 1U);
  }
  for (const int c : count) REQUIRE(c == Catch::Approx(n / 2).margin(4.5 * std::sqrt(n) / 2));
}

TEST_CASE("distributions of Boost.Random take the stream") {
  RandomStream stream(6, "normal");
  boost::random::normal_distribution<double> normal(10.0, 2.0);
  double sum = 0;
  for (int i = 0; i < 40000; ++i) sum += normal(stream);
  CHECK(sum / 40000 == Catch::Approx(10.0).margin(4 * 2.0 / 200));
}
