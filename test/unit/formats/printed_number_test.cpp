// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/printed_number.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

TEST_CASE("printed numbers: do the digits say how far they are open?") {
  const auto half_unit = [](const char* text) { return printed_number_in(text)->half_unit; };
  CHECK(half_unit("12.8668") == Catch::Approx(5e-5));
  CHECK(half_unit("0.00010919") == Catch::Approx(5e-9));
  CHECK(half_unit("1.50e3") == Catch::Approx(5.0));
  CHECK(half_unit("1.5e-05") == Catch::Approx(5e-7));
  CHECK(half_unit("1229") == 0.5);
  CHECK(half_unit("-3.") == 0.5);
  CHECK(half_unit("2E+6") == Catch::Approx(5e5));
  CHECK(printed_number_in("12.8668")->value == 12.8668);
  CHECK(printed_number_in("4.25")->scaled(1e9).high() == Catch::Approx(4.255e9));
  CHECK_FALSE(printed_number_in("12,8").has_value());
  CHECK_FALSE(printed_number_in("nan").has_value());
  CHECK(std::isfinite(half_unit("1.0e308")));
  CHECK(usage_error_of([] { require_printed_number("x", "GB/s", "f:1"); }) ==
        "f:1: 'GB/s' is 'x', which is no number");
}
