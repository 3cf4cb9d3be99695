// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/axis.hpp"

#include "support/catch.hpp"
#include "support/demo_study.hpp"

using namespace hpclab;
using namespace hpclab::test;

namespace {

Json axis(const std::string& parameter, const std::string& text) {
  const auto table = demo_table();
  return parse_axis(find_parameter(table.specs(), parameter, "test"), text, "--" + parameter);
}

}  // namespace

TEST_CASE("axis: does every form of the grammar give its values?") {
  CHECK(axis("n", "4") == Json({4}));
  CHECK(axis("n", "1,2,8") == Json({1, 2, 8}));
  CHECK(axis("n", "1:4") == Json({1, 2, 3, 4}));
  CHECK(axis("n", "1:9:2") == Json({1, 3, 5, 7, 9}));
  CHECK(axis("n", "1:8:2") == Json({1, 3, 5, 7}));
  CHECK(axis("n", "1Ki:16Ki:*4") == Json({1024, 4096, 16384}));
  CHECK(axis("n", "1,4:6,2k") == Json({1, 4, 5, 6, 2000}));
  CHECK(axis("n", "1e3") == Json({1000}));
  CHECK(axis("shape", "line,square") == Json({"line", "square"}));
  CHECK(axis("warm", "true,off") == Json({true, false}));
}

TEST_CASE("axis: is the high end of a fractional range kept in spite of rounding?") {
  const Json values = axis("share", "0:1:0.1");
  REQUIRE(values.size() == 11);
  CHECK(values.back() == 1.0);
}

TEST_CASE("axis: is every wrong text refused with the reason?") {
  CHECK(contains(error_of([] { axis("n", ""); }), "empty value"));
  CHECK(contains(error_of([] { axis("n", "1,,2"); }), "empty value"));
  CHECK(contains(error_of([] { axis("n", "4:1"); }), "is empty"));
  CHECK(contains(error_of([] { axis("n", "1:4:0"); }), "does not advance"));
  CHECK(contains(error_of([] { axis("n", "1:4:*1"); }), "does not advance"));
  CHECK(contains(error_of([] { axis("n", "1:4:-1"); }), "does not advance"));
  CHECK(contains(error_of([] { axis("n", "two"); }), "takes 1 to 1000000000"));
  CHECK(contains(error_of([] { axis("n", "1:x"); }), "'x' is not a number"));
  CHECK(contains(error_of([] { axis("n", "0"); }), "out of range"));
  CHECK(contains(error_of([] { axis("n", "1.5"); }), "whole number"));
  CHECK(contains(error_of([] { axis("n", "1:1000000000"); }), "more than 1000000 values"));
  CHECK(contains(error_of([] { axis("n", "nan"); }), "takes"));
  CHECK(contains(error_of([] { axis("n", "inf"); }), "takes"));
  CHECK(contains(error_of([] { axis("shape", "squair"); }), "did you mean 'square'?"));
  CHECK(contains(error_of([] { axis("shape", "1:3"); }), "unknown shape"));
  CHECK(contains(error_of([] { axis("warm", "maybe"); }), "true or false"));
}

TEST_CASE("assignments: does a comma start the next one only before name=?") {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(split_assignments("a=1,2,b=3", "--set") == Pairs{{"a", "1,2"}, {"b", "3"}});
  CHECK(split_assignments("a=1", "--set") == Pairs{{"a", "1"}});
  CHECK(split_assignments("text='x,b=3',b=4", "--set") == Pairs{{"text", "'x,b=3'"}, {"b", "4"}});
  CHECK(split_assignments("a=,b=1", "--set") == Pairs{{"a", ""}, {"b", "1"}});
  CHECK(contains(error_of([] { split_assignments("a", "--set"); }), "not of the form name=value"));
  CHECK(contains(error_of([] { split_assignments("=1", "--set"); }), "not of the form name=value"));
  CHECK(contains(error_of([] { split_assignments("a=1,a=2", "--set"); }), "set twice"));
  CHECK(contains(error_of([] { split_assignments("a='1", "--set"); }), "not closed"));
}

TEST_CASE("axis from JSON: are pointers named for wrong values?") {
  const auto table = demo_table();
  const ParameterSpec& n = find_parameter(table.specs(), "n", "test");
  CHECK(Json(axis_from_json(n, {1, "2Ki", "4:5"}, "f.json", "/parameters/n")) ==
        Json({1, 2048, 4, 5}));
  CHECK(contains(error_of([&] {
                   axis_from_json(n, {1, true}, "f.json", "/parameters/n");
                 }),
                 "f.json: /parameters/n/1: true is true or false"));
  CHECK(contains(error_of([&] { axis_from_json(n, Json::array(), "f.json", "/parameters/n"); }),
                 "is empty"));
  CHECK(contains(error_of([&] {
                   axis_from_json(n, {{"a", 1}}, "f.json", "/parameters/n");
                 }),
                 "an object"));
}

TEST_CASE("numbers: are suffixes powers of 1000 and of 1024, and nonsense refused?") {
  CHECK(axis("rate", "1k") == Json({1000.0}));
  CHECK(axis("rate", "1.5Ki") == Json({1536.0}));
  for (const char* text : {"1kk", "k", "1 k", "0x10", "1_000", "--1", "1e", "1.2.3"}) {
    CHECK_FALSE(error_of([&] { axis("rate", text); }).empty());
  }
}

TEST_CASE("axis: is a range of whole numbers with a fractional step refused, a factor rounded?") {
  CHECK(contains(error_of([] { axis("n", "1:2:0.5"); }), "whole number"));
  CHECK(axis("n", "2:9:*1.5") == Json({2, 3, 5, 7}));
}

TEST_CASE("parameter: are only multiples of a step accepted?") {
  const ParameterSpec eighths =
      ParameterSpec{.name = "share", .type = ParameterType::number}.between(0, 1).in_steps_of(
          0.125);
  CHECK(eighths.check(0.375, "x") == 0.375);
  CHECK(contains(error_of([&] { eighths.check(0.3, "x"); }), "multiples of 0.125"));
}
