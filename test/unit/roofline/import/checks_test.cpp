// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/check.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

#include <limits>
#include <string>

using namespace hpclab;
using namespace hpclab::roofline::import;
using hpclab::test::contains;

namespace {

// The words about a printed rate of `ratio` times count over time.
std::string words(Quantity quantity, double ratio) {
  const Check check = rate_check(quantity, "rate", {ratio * 2e9, 1e3}, 4e9, {2.0, 1e-6});
  return contradiction(check).value_or("");
}

}  // namespace

TEST_CASE(
    "checks: is a printed rate accepted within the digits of rate and time, and not beyond?") {
  // 4e9 over 2.00 +- 0.005 s: 1.995e9 to 2.005e9.
  const formats::PrintedNumber time{2.0, 0.005};
  const auto accepted = [&](double rate, double half_unit) {
    return !contradiction(rate_check(Quantity::flops, "rate", {rate, half_unit}, 4e9, time));
  };
  CHECK(accepted(2e9, 0));
  CHECK(accepted(2.0045e9, 0));
  CHECK_FALSE(accepted(2.006e9, 0));
  CHECK(accepted(2.006e9, 0.002e9));
  CHECK_FALSE(accepted(1.99e9, 0));
}

TEST_CASE("checks: are halves, doubles and units recognised by their ratios?") {
  CHECK(words(Quantity::flops, 1).empty());
  CHECK(contains(words(Quantity::flops, 0.5), "half, as if a multiply-add were one operation"));
  CHECK(contains(words(Quantity::flops, 2), "twice, as if each operation were a multiply-add"));
  CHECK(contains(words(Quantity::bytes, 1 / 1.048576), "MiB (2^20) named MB (10^6)"));
  CHECK(contains(words(Quantity::bytes, 1.048576), "MB (10^6) named MiB (2^20)"));
  CHECK(contains(words(Quantity::bytes, 1 / 1.073741824), "GiB (2^30) named GB (10^9)"));
  CHECK(contains(words(Quantity::bytes, 4.0 / 3), "write-allocate of a triad"));
  CHECK(contains(words(Quantity::bytes, 1.5), "write-allocate of a copy"));
  CHECK(contains(words(Quantity::bytes, 0.125), "words of 8 bytes"));
  CHECK(contains(words(Quantity::bytes, 8), "bits printed for bytes"));
  CHECK(contains(words(Quantity::dof, 1000), "another unit prefix"));
  CHECK(contains(words(Quantity::dof, 1e-3), "another unit prefix"));
  CHECK(contains(words(Quantity::dof, 1.7), "ratio 1.7"));
  // A MiB named MB is no cause for operations.
  CHECK(contains(words(Quantity::flops, 1 / 1.048576), "ratio 0.9537"));
}

TEST_CASE("checks: do the words say what is printed and what counts give?") {
  CHECK(contradiction(rate_check(Quantity::flops, "GFLOPS/s", {1.06595e12, 5e6}, 232783872,
                                 {0.00010919, 5e-9})) ==
        "GFLOPS/s is printed as 1.066 Tflop/s, counts over time give 2.132 Tflop/s: half, as if a "
        "multiply-add were one operation");
  CHECK(contradiction(range_check(Quantity::intensity, "AI", {3.27, 0.005}, 1.4, 1.5)) ==
        "AI is printed as 3.270 flop/byte, the counts give 1.450 flop/byte: ratio 2.255");
}

TEST_CASE("checks: does a time of one digit leave a finite range?") {
  const Check check = rate_check(Quantity::bytes, "rate", {1e9, 0}, 1e6, {0.001, 0.0005});
  CHECK(check.high < std::numeric_limits<double>::infinity());
  CHECK_FALSE(contradiction(check).has_value());
  const Check open = rate_check(Quantity::bytes, "rate", {1e9, 0}, 1e6, {0.001, 0.01});
  CHECK(open.high == Catch::Approx(1e10));
}
