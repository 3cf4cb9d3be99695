// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/json_lines.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/packed.hpp"

#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

namespace {

// What reading all lines throws, `use` being done with each.
template <class Use>
std::string refused(const std::string& text, Use use) {
  return usage_error_of([&] {
    LineReader lines(bytes_of(text), "f.jsonl");
    JsonLineReader reader(lines);
    while (const auto value = reader.next()) use(*value);
  });
}

std::string refused(const std::string& text) {
  return refused(text, [](const JsonValue&) {});
}

}  // namespace

TEST_CASE("json lines: are numbers, text, flags, lists and objects read?") {
  LineReader lines(
      bytes_of(as_gz(R"({"t":1.5,"n":-7,"name":"a\u00e9\n","on":true,"ids":[1,2,3],"o":{"x":2}})"
                     "\r\n\n"
                     R"({"t":9007199254740993,"n":9223372036854775807,"gone":null})")),
      "f.jsonl");
  JsonLineReader reader(lines);
  const auto first = reader.next();
  REQUIRE(first);
  CHECK(first->number("t") == 1.5);
  CHECK(first->integer("n") == -7);
  CHECK(first->text("name") == "a\xc3\xa9\n");
  CHECK(first->require("on").flag());
  CHECK(first->require("o").number("x") == 2);
  std::vector<std::int64_t> ids;
  first->require("ids").for_each([&](const JsonValue& id) { ids.push_back(id.integer()); });
  CHECK(ids == std::vector<std::int64_t>{1, 2, 3});
  CHECK_FALSE(first->find("absent").has_value());
  const auto second = reader.next();
  REQUIRE(second);
  CHECK(lines.line_number() == 3);
  CHECK(second->integer("n") == 9223372036854775807);
  CHECK(second->number("t") == 9007199254740992.0);
  CHECK_FALSE(second->find("gone").has_value());
  CHECK_FALSE(reader.next().has_value());
}

TEST_CASE("json lines: is a line that is no JSON refused with its number?") {
  CHECK(refused("{\"a\":1}\n{\"a\":\n").find("f.jsonl:2: no JSON: ") == 0);
  CHECK(refused("{\"a\":1}\n{\"a\":1").find("the file ends within this line") != std::string::npos);
  CHECK(refused("{\"a\":nan}\n").find("f.jsonl:1: no JSON: ") == 0);
  CHECK(refused("{\"a\":1e999}\n").find("f.jsonl:1: no JSON: ") == 0);
  CHECK(refused("{\"a\":1} {\"b\":2}\n").find("f.jsonl:1: no JSON: ") == 0);
  CHECK(refused("{\"a\":\"\xff\"}\n").find("f.jsonl:1: no JSON: ") == 0);
  CHECK(refused("[1,2]\n") == "f.jsonl:1: the value is a list, not an object");
  CHECK(refused("7\n") == "f.jsonl:1: the value is a number, not an object");
  CHECK(refused(std::string(5000, '[')).find("f.jsonl:1: no JSON: ") == 0);
}

TEST_CASE("json lines: do wrong types and missing keys say which, where and what is near?") {
  const auto number = [](const JsonValue& value) { value.number("input_length"); };
  CHECK(refused("{\"input_length\":\"7\"}\n", number) ==
        "f.jsonl:1: 'input_length' is text, not a number");
  CHECK(refused("{\"inputlength\":7,\"t\":0}\n", number) ==
        "f.jsonl:1: missing key 'input_length', found inputlength, t; nearest 'inputlength'");
  CHECK(refused("{}\n", number) == "f.jsonl:1: missing key 'input_length', found none");
  CHECK(refused("{\"n\":1.5}\n", [](const JsonValue& v) { v.integer("n"); }) ==
        "f.jsonl:1: 'n' is a number, not an integer of 64 bits");
  CHECK(refused("{\"n\":1}\n", [](const JsonValue& v) { v.require("n").find("x"); }) ==
        "f.jsonl:1: 'n' is a number, not an object");
  CHECK(refused("{\"n\":[1,\"x\"]}\n", [](const JsonValue& v) {
          v.require("n").for_each([](const JsonValue& item) { item.number(); });
        }) == "f.jsonl:1: 'n' is text, not a number");
  CHECK(refused("{\"n\":{}}\n", [](const JsonValue& v) { v.text("n"); }) ==
        "f.jsonl:1: 'n' is an object, not text");
}
