// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/expression.hpp"

#include "core/random_stream.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::test;

namespace {

bool holds(const std::string& text) {
  const Json parameters = {
      {"degree", 9}, {"dof", 5e4}, {"kind", "write-nontemporal"}, {"warm", true}};
  return Expression(text, "--exclude").holds(parameters);
}

}  // namespace

TEST_CASE("expression: do comparisons and connectives follow the usual precedence?") {
  CHECK(holds("degree > 8 && dof < 1e5"));
  CHECK_FALSE(holds("degree > 8 && dof > 1e5"));
  CHECK(holds("degree > 8 || dof > 1e5"));
  CHECK(holds("degree == 1 + 2 * 4"));
  CHECK(holds("(1 + 2) * 3 == degree"));
  CHECK(holds("dof / 10 >= 5k"));
  CHECK(holds("degree % 2 == 1"));
  CHECK(holds("-degree < 0"));
  CHECK(holds("!(degree < 3)"));
  CHECK(holds("warm"));
  CHECK(holds("kind == write-nontemporal"));
  CHECK(holds("kind == \"write-nontemporal\""));
  CHECK(holds("kind != 'copy'"));
  CHECK(holds("dof==5e+4"));
  CHECK(holds("degree - 1 == 8"));
  CHECK(holds("false || degree>8&&true"));
}

TEST_CASE("expression: is every unreadable text refused with its position?") {
  for (const char* text :
       {"", "degree >", "(degree > 1", "degree > 1)", "&& 1", "degree 8", "'open", "1x > 2", "@"}) {
    INFO(text);
    CHECK(contains(error_of([&] { Expression(text, "--exclude"); }), "at character"));
  }
  CHECK(contains(error_of([] { holds("kind > 3"); }), "compares a number with text"));
  CHECK(contains(error_of([] { holds("kind + kind == 2"); }), "is text where a number is needed"));
}

TEST_CASE("expression: is deep nesting an error and not a crash?") {
  CHECK(contains(error_of([] { Expression(std::string(100000, '('), "x"); }), "nested too deeply"));
  CHECK(contains(error_of([] { Expression(std::string(100000, '!'), "x"); }), "nested too deeply"));
}

TEST_CASE("expression: does random text end in a value or a usage error, never otherwise?") {
  RandomStream random(1, "expression fuzz");
  const std::string alphabet = "ab1.e+-*/%<>=!&|()'\" kMdegree";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::uint64_t n = random.below(24); n > 0; --n)
      text += alphabet[random.below(alphabet.size())];
    try {
      Expression(text, "fuzz").holds({{"degree", 3}, {"a", "b"}});
    } catch (const UsageError&) {
    }
  }
  SUCCEED();
}
