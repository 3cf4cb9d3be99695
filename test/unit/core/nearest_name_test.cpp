// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.hpp"

#include "support/catch.hpp"

#include <vector>

using namespace hpclab;

TEST_CASE("nearest name: does the distance equal textbook values?") {
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("nearest name: is the closest candidate chosen, the first of equals, none of none?") {
  const std::vector<std::string> names{"bandwidth", "latency", "clock"};
  CHECK(nearest_name("bandwith", names) == "bandwidth");
  CHECK(nearest_name("", names) == "clock");
  CHECK(nearest_name("x", std::vector<std::string>{"a", "b"}) == "a");
  CHECK(nearest_name("x", {}) == "");
}
