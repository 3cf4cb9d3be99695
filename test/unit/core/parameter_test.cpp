// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/parameter.hpp"

#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <cstdint>
#include <string>

using namespace hpclab;
using namespace hpclab::test;

namespace {

const ParameterSpec& spec_of(const std::string& name) {
  static const ParameterTable<DemoParameters> table = demo_table();
  return find_parameter(table.specs(), name, "here");
}

std::string refused(const std::string& name, const Json& value) {
  return error_of([&] { spec_of(name).check(value, "f.json: /parameters/" + name); });
}

std::string refused_text(const std::string& name, const std::string& text) {
  return error_of([&] { spec_of(name).check_text(text, "--" + name); });
}

struct Widths {
  int narrow = 1;
  std::uint32_t count = 2;
  std::uint64_t wide = 3;
  std::int64_t plain = 4;
  double number = 5;
  std::string word = "six";
};

ParameterTable<Widths> widths() {
  ParameterTable<Widths> table;
  table.add(&Widths::narrow, "narrow", "an int");
  table.add(&Widths::count, "count", "32 bits");
  table.add(&Widths::wide, "wide", "64 bits");
  table.add(&Widths::plain, "plain", "64 bits, signed");
  table.add(&Widths::number, "number", "a double").in_unit("m");
  table.add(&Widths::word, "word", "text");
  return table;
}

}  // namespace

TEST_CASE("parameters: does each member become its type, with its own default?") {
  const auto check = [](const char* name, ParameterType type, const char* type_name,
                        const Json& value) {
    INFO(name);
    CHECK(spec_of(name).type == type);
    CHECK(name_of(spec_of(name).type) == type_name);
    CHECK(spec_of(name).default_value == value);
  };
  check("n", ParameterType::integer, "integer", 4);
  check("rate", ParameterType::number, "number", 2.0);
  check("shape", ParameterType::choice, "choice", "line");
  check("mode", ParameterType::choice, "choice", "plain");
  check("warm", ParameterType::flag, "flag", true);
  check("input", ParameterType::file, "file", "");
  CHECK(widths().specs()[5].type == ParameterType::text);
  CHECK(name_of(ParameterType::text) == "text");
  CHECK(spec_of("n").numeric());
  CHECK_FALSE(spec_of("mode").numeric());
  CHECK(spec_of("warm").has_method(Method::measure));
  CHECK_FALSE(spec_of("warm").has_method(Method::model));
  CHECK(spec_of("n").has_method(Method::simulate));
}

TEST_CASE("parameters: are good values given back in their own JSON type?") {
  CHECK(spec_of("n").check(7, "").dump() == "7");
  CHECK(spec_of("n").check(7.0, "").dump() == "7");
  CHECK(spec_of("n").check("4Ki", "").dump() == "4096");
  CHECK(spec_of("n").check("1.5k", "").dump() == "1500");
  CHECK(spec_of("rate").check(3, "").dump() == "3.0");
  CHECK(spec_of("rate").check("2.5", "").dump() == "2.5");
  CHECK(spec_of("shape").check("mix", "") == "mix");
  CHECK(spec_of("warm").check(false, "") == false);
  CHECK(spec_of("input").check("a/b", "") == "a/b");
  for (const char* yes : {"true", "on", "yes", "1"})
    CHECK(spec_of("warm").check_text(yes, "") == true);
  for (const char* no : {"false", "off", "no", "0"})
    CHECK(spec_of("warm").check_text(no, "") == false);
}

TEST_CASE("parameters: does a wrong type say where, what it is and what is valid?") {
  CHECK(refused("n", "many") ==
        "f.json: /parameters/n: \"many\" is text, but 'n' takes 1 to 1000000000");
  CHECK(contains(refused("n", true), "true is true or false"));
  CHECK(contains(refused("n", nullptr), "null is null"));
  CHECK(contains(refused("n", Json::array({1})), "[1] is a list"));
  CHECK(contains(refused("n", Json::object()), "{} is an object"));
  CHECK(contains(refused("rate", "fast"), "takes 0.5 to 1000000 steps/s"));
  CHECK(contains(refused("warm", "yes"), "'warm' takes true or false"));
  CHECK(contains(refused("warm", 1), "1 is a number"));
  CHECK(contains(refused("mode", 3), "takes plain, fancy"));
  CHECK(contains(refused("mode", "fancey"), "unknown mode 'fancey'"));
  CHECK(contains(refused("mode", "fancey"), "did you mean 'fancy'?"));
  CHECK(contains(refused("input", 3), "takes a file name"));
  CHECK(contains(refused_text("warm", "maybe"), "takes true or false"));
  CHECK(contains(refused_text("n", ""), "'n' takes"));
  CHECK(refused("n", std::string(5000, 'x')).size() < 200);
}

TEST_CASE(
    "parameters: are numbers outside the range, between whole ones, or beyond 2^53 refused?") {
  CHECK(contains(refused("n", 0), "'n' = 0 is out of range, valid: 1 to 1000000000"));
  CHECK(contains(refused("n", 1.5), "takes a whole number, got 1.5"));
  CHECK(contains(refused("rate", 1e7), "out of range"));
  CHECK(contains(refused("rate", 0.25), "'rate' = 0.25 is out of range"));
  const ParameterTable<Widths> table = widths();
  const auto find = [&](const char* name) -> const ParameterSpec& {
    return find_parameter(table.specs(), name, "");
  };
  CHECK(find("plain").check(9007199254740991, "") == 9007199254740991);
  CHECK_THROWS_AS(find("plain").check(9007199254740993, ""), UsageError);  // as a double it is 2^53
  CHECK_THROWS_AS(find("plain").check("9007199254740993", ""), UsageError);
  CHECK_THROWS_AS(find("plain").check(-1e300, ""), UsageError);
  CHECK_THROWS_AS(find("number").check("1e308T", ""), UsageError);
}

TEST_CASE("parameters: is a value that the member cannot hold refused instead of wrapped?") {
  const ParameterTable<Widths> table = widths();
  const auto& specs = table.specs();
  const auto accepts = [&](const char* name, const Json& value) {
    return error_of([&] { find_parameter(specs, name, "").check(value, ""); }).empty();
  };
  CHECK(accepts("narrow", 2147483647));
  CHECK_FALSE(accepts("narrow", 2147483648));
  CHECK(accepts("narrow", -2147483648LL));
  CHECK(accepts("count", 4294967295LL));
  CHECK_FALSE(accepts("count", 4294967296LL));
  CHECK_FALSE(accepts("count", -1));
  CHECK_FALSE(accepts("wide", -1));
  CHECK(accepts("plain", -1));
  const Widths bound = table.bind({{"narrow", 2147483647}, {"count", 4294967295LL}});
  CHECK(bound.narrow == 2147483647);
  CHECK(bound.count == 4294967295u);
  CHECK(bound.word == "six");
}

TEST_CASE(
    "parameters: is text that is no UTF-8 a usage error, because records could not hold it?") {
  const std::string bad = "a\xff";
  CHECK(contains(refused_text("input", bad), "--input: 'input' is not UTF-8"));
  CHECK_THROWS_AS(spec_of("n").check_text(bad, ""), UsageError);
  CHECK_THROWS_AS(spec_of("mode").check_text(bad, ""), UsageError);
  CHECK_THROWS_AS(spec_of("warm").check_text(bad, ""), UsageError);
  CHECK(spec_of("input").check_text("gr\xc3\xbc\xc3\x9f", "") == "gr\xc3\xbc\xc3\x9f");
}

TEST_CASE("parameters: does the domain read as words?") {
  ParameterSpec spec;
  spec.type = ParameterType::integer;
  CHECK(spec.domain_text() == "a whole number");
  CHECK(spec.at_least(2).domain_text() == "a whole number of at least 2");
  spec.type = ParameterType::number;
  CHECK(spec.in_unit("W").domain_text() == "a number of at least 2 W");
  CHECK(spec.between(-std::numeric_limits<double>::infinity(), 0.5).domain_text() ==
        "a number of at most 0.5 W");
  CHECK(spec.between(1, 64).domain_text() == "1 to 64 W");
  CHECK(spec.between(0, 1e18).domain_text() == "0 to 1e+18 W");
  CHECK(spec_of("shape").domain_text() == "line, square, mix");
  CHECK(spec_of("input").domain_text() == "a file name");
  CHECK(spec_of("warm").domain_text() == "true or false");
  CHECK(widths().specs()[5].domain_text() == "text");
}

TEST_CASE("parameters: does bind fill the struct, and leave what is absent at its default?") {
  const ParameterTable<DemoParameters> table = demo_table();
  const DemoParameters p = table.bind({{"n", 9},
                                       {"rate", 1.5},
                                       {"shape", "square"},
                                       {"mode", "fancy"},
                                       {"warm", false},
                                       {"input", "x/y.json"},
                                       {"stranger", 1}});
  CHECK(p.n == 9);
  CHECK(p.rate == 1.5);
  CHECK(p.shape == Shape::square);
  CHECK(p.mode == "fancy");
  CHECK_FALSE(p.warm);
  CHECK(p.input == "x/y.json");
  CHECK(p.share == 0.5);
  CHECK(table.bind(Json::object()).n == 4);
}

TEST_CASE("parameters: does a misspelt name offer the nearest one?") {
  const std::string error = error_of([] { spec_of("thread"); });
  CHECK(contains(error, "here: unknown parameter 'thread'"));
  CHECK(contains(error, "did you mean 'threads'?"));
}

TEST_CASE("parameters: do the setters of a declaration set what they say?") {
  ParameterSpec spec;
  spec.as_positional()
      .as_inferred()
      .affects({Method::simulate})
      .when("kind", {"mix"})
      .resolved_by([](const Json&) { return Json(8); });
  CHECK(spec.positional);
  CHECK(spec.inferred);
  CHECK(spec.has_method(Method::simulate));
  CHECK_FALSE(spec.has_method(Method::model));
  REQUIRE(spec.condition);
  CHECK(spec.condition->parameter == "kind");
  CHECK(spec.resolve(0) == 8);
}
