// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.hpp"

#include "support/catch.hpp"

#include <string>
#include <vector>

using namespace hpclab;

TEST_CASE("edit distance counts insertions, deletions, substitutions and swaps once each") {
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("roofline", "rooflien") == 1);
  CHECK(edit_distance("Roofline", "roofline") == 0);
  CHECK(edit_distance("abc", "abc") == 0);
}

TEST_CASE("the nearest name is found, and nothing is suggested for a word far from all") {
  const std::vector<std::string> valid{"relative", "count", "time", "stdrel", "entropy"};
  CHECK(nearest_name("relativ", valid) == "relative");
  CHECK(nearest_name("cuont", valid) == "count");
  CHECK(nearest_name("std", valid) == "stdrel");
  CHECK_FALSE(nearest_name("xyzzyxyzzy", valid));
  CHECK_FALSE(nearest_name("x", {}));
}
