// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Every bandwidth kernel against a plain loop, with guard lines around what it may touch.
#include "core/error.hpp"
#include "roofline/ceilings/bandwidth.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

using namespace hpclab;
using namespace hpclab::roofline::ceilings;

constexpr std::size_t guard = 8;  // doubles on each side: one cache line
constexpr double untouched = -7777.25;

// An array aligned to 64 B with a guard line before and after, and distinct values between.
class Guarded {
 public:
  Guarded(std::size_t doubles, double seed)
      : doubles_(doubles),
        memory_(
            static_cast<double*>(std::aligned_alloc(64, (doubles + 2 * guard) * sizeof(double))),
            &std::free) {
    for (std::size_t i = 0; i < doubles + 2 * guard; ++i) memory_.get()[i] = untouched;
    for (std::size_t i = 0; i < doubles; ++i) data()[i] = value(seed, i);
  }
  static double value(double seed, std::size_t i) {
    return seed + 0.5 * static_cast<double>(i % 1021);
  }
  double* data() { return memory_.get() + guard; }
  bool guards_intact() {
    for (std::size_t i = 0; i < guard; ++i) {
      if (memory_.get()[i] != untouched || data()[doubles_ + i] != untouched) return false;
    }
    return true;
  }

 private:
  std::size_t doubles_;
  std::unique_ptr<double, decltype(&std::free)> memory_;
};

// What a[i] must hold after `repeats` passes.
double expected(BandwidthKind kind, double s, double a, double b, double c, std::size_t repeats) {
  switch (kind) {
    case BandwidthKind::read:
      return a;
    case BandwidthKind::copy:
    case BandwidthKind::copy_nontemporal:
      return b;
    case BandwidthKind::triad:
    case BandwidthKind::triad_nontemporal:
      return b + s * c;
    case BandwidthKind::update:
      return a * std::pow(s, static_cast<double>(repeats));
    default:
      return s;  // write and the mixes
  }
}

// Whether the arrays hold what they must; exact, since all values and s are small multiples of 1/2
// or powers of 2.
bool run_is_correct(const BandwidthKernel& kernel, std::size_t doubles, std::size_t repeats) {
  const double s = -2.0;
  const BandwidthFootprint used = kernel.footprint(doubles);
  Guarded a(used.a, 1), b(used.b, 1000), c(used.c, 3000);
  kernel.check(a.data(), b.data(), c.data(), doubles);
  kernel.run(a.data(), b.data(), c.data(), s, doubles, repeats);
  bool correct = a.guards_intact() && b.guards_intact() && c.guards_intact();
  for (std::size_t i = 0; i < used.a; ++i) {
    const double want = expected(kernel.kind, s, Guarded::value(1, i), Guarded::value(1000, i),
                                 Guarded::value(3000, i), repeats);
    correct = correct && a.data()[i] == want;
  }
  for (std::size_t i = 0; i < used.b; ++i)
    correct = correct && b.data()[i] == Guarded::value(1000, i);
  for (std::size_t i = 0; i < used.c; ++i)
    correct = correct && c.data()[i] == Guarded::value(3000, i);
  return correct;
}

TEST_CASE(
    "Does every bandwidth kernel write what a plain loop writes, at odd numbers of cache lines?",
    "[roofline]") {
  for (const InstructionSet instruction_set : all_instruction_sets) {
    if (!supported(instruction_set)) {
      WARN("skipped: this CPU does not execute " << name(instruction_set));
      continue;
    }
    for (const BandwidthKind kind : all_bandwidth_kinds) {
      const BandwidthKernel* kernel = find_bandwidth_kernel(kind, instruction_set);
      REQUIRE(kernel != nullptr);
      for (const std::size_t granules : {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 101}) {
        for (const std::size_t repeats : {1, 2, 5}) {
          INFO(name(kind) << " " << name(instruction_set) << " granules " << granules << " repeats "
                          << repeats);
          CHECK(run_is_correct(*kernel, granules * kernel->granularity, repeats));
        }
      }
    }
  }
}

TEST_CASE("Is the declared work the STREAM count, and the DRAM count with write-allocate?",
          "[roofline]") {
  struct Row {
    BandwidthKind kind;
    double read, written, dram,
        flops;  // bytes and flops per element, from the definition of each kind
  };
  const Row rows[] = {
      {BandwidthKind::read, 8, 0, 8, 0},
      {BandwidthKind::write, 0, 8, 16, 0},
      {BandwidthKind::write_nontemporal, 0, 8, 8, 0},
      {BandwidthKind::copy, 8, 8, 24, 0},
      {BandwidthKind::copy_nontemporal, 8, 8, 16, 0},
      {BandwidthKind::triad, 16, 8, 32, 2},
      {BandwidthKind::triad_nontemporal, 16, 8, 24, 2},
      {BandwidthKind::update, 8, 8, 16, 1},
      {BandwidthKind::mix_2r6w, 2, 6, 14, 0},
      {BandwidthKind::mix_7r1w, 7, 1, 9, 0},
  };
  for (const Row& row : rows) {
    const BandwidthKernel* kernel = find_bandwidth_kernel(row.kind, InstructionSet::scalar);
    REQUIRE(kernel != nullptr);
    INFO(name(row.kind));
    const BandwidthWork work = kernel->work(640);
    CHECK(work.bytes_read == 640 * row.read);
    CHECK(work.bytes_written == 640 * row.written);
    CHECK(work.dram_bytes == 640 * row.dram);
    CHECK(work.flops == 640 * row.flops);
  }
}

TEST_CASE("Does a mix of K reads touch K of 8 lines of its footprint in b and the rest in a?",
          "[roofline]") {
  for (std::size_t reads = 1; reads <= 7; ++reads) {
    const std::string text = "mix-" + std::to_string(reads) + "r" + std::to_string(8 - reads) + "w";
    const BandwidthKernel* kernel =
        find_bandwidth_kernel(bandwidth_kind_of(text), InstructionSet::scalar);
    REQUIRE(kernel != nullptr);
    const BandwidthFootprint used = kernel->footprint(6400);
    CHECK(used.b == 800 * reads);
    CHECK(used.a == 800 * (8 - reads));
    CHECK(used.c == 0);
  }
}

TEST_CASE("Does the size chosen for a footprint fill it without exceeding it?", "[roofline]") {
  for (const BandwidthKind kind : all_bandwidth_kinds) {
    const BandwidthKernel& kernel = *find_bandwidth_kernel(kind, InstructionSet::scalar);
    for (const std::size_t bytes :
         {std::size_t{16384}, std::size_t{100000}, std::size_t{1} << 30}) {
      const std::size_t doubles = kernel.doubles_for_footprint(bytes);
      CHECK(doubles % kernel.granularity == 0);
      CHECK(kernel.footprint(doubles).bytes() <= bytes);
      CHECK(kernel.footprint(doubles + kernel.granularity).bytes() > bytes);
    }
    CHECK(kernel.doubles_for_footprint(32) == 0);
  }
}

TEST_CASE("Are sizes and addresses that a kernel cannot take refused?", "[roofline]") {
  alignas(64) static double memory[64];
  const BandwidthKernel& copy = *find_bandwidth_kernel(BandwidthKind::copy, InstructionSet::scalar);
  const BandwidthKernel& mix =
      *find_bandwidth_kernel(BandwidthKind::mix_4r4w, InstructionSet::scalar);
  CHECK_NOTHROW(copy.check(memory, memory + 32, nullptr, 32));
  CHECK_THROWS_AS(copy.check(memory, memory + 32, nullptr, 0), hpclab::UsageError);
  CHECK_THROWS_AS(copy.check(memory, memory + 32, nullptr, 12), hpclab::UsageError);
  CHECK_THROWS_AS(copy.check(memory + 1, memory + 32, nullptr, 16), hpclab::UsageError);
  CHECK_THROWS_AS(copy.check(memory, nullptr, nullptr, 16), hpclab::UsageError);
  CHECK_THROWS_AS(copy.check(memory, memory + 24, nullptr, 32), hpclab::UsageError);  // overlap
  CHECK_THROWS_AS(mix.check(memory, memory + 32, nullptr, 72), hpclab::UsageError);
  CHECK_THROWS_AS(bandwidth_kind_of("triads"), hpclab::UsageError);
  CHECK_THROWS_AS(instruction_set_of("sse"), hpclab::UsageError);
}

}  // namespace
