// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/fields.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

TEST_CASE("numbers: is a text a number as a whole or not at all?") {
  CHECK(number_in("1.5e3") == 1500.0);
  CHECK(number_in("+2") == 2.0);
  CHECK(number_in("-0.25") == -0.25);
  CHECK(number_in("9007199254740993") == 9007199254740992.0);
  for (const char* text : {"", " 1", "1 ", "1,5", "1x", "0x10", "+-1", "++1", "1e999", "nan", "inf",
                           "-infinity", "1e-999", "."}) {
    INFO(text);
    CHECK_FALSE(number_in(text).has_value());
  }
  CHECK(integer_in("9223372036854775807") == 9223372036854775807);
  CHECK(integer_in("-4") == -4);
  for (const char* text : {"9223372036854775808", "1.0", "1e3", "", "+"}) {
    CHECK_FALSE(integer_in(text).has_value());
  }
}

TEST_CASE("numbers: does the error say what is wrong with the text?") {
  const auto refused = [](const char* text) {
    return usage_error_of([&] { require_number(text, "time", "f:3"); });
  };
  CHECK(refused("") == "f:3: 'time' is empty");
  CHECK(refused("abc") == "f:3: 'time' is 'abc', which is no number");
  CHECK(refused("1.5s") == "f:3: 'time' is '1.5s', which is no number");
  CHECK(refused("-nan") == "f:3: 'time' is '-nan', which is not finite");
  CHECK(refused("inf") == "f:3: 'time' is 'inf', which is not finite");
  CHECK(refused("1e999") == "f:3: 'time' is '1e999', which is beyond a double");
  CHECK(usage_error_of([] { require_integer("1.5", "n", "f:3"); }) ==
        "f:3: 'n' is '1.5', which is no integer of 64 bits");
  CHECK(require_number("2.5", "time", "f:3") == 2.5);
}

TEST_CASE("words: are they split at runs of blanks and tabs?") {
  std::vector<std::string_view> words{"old"};
  split_words("  a\t\tbc  d ", words);
  CHECK(words == std::vector<std::string_view>{"a", "bc", "d"});
  split_words(" \t ", words);
  CHECK(words.empty());
  CHECK(trimmed(" \t a b\t") == "a b");
  CHECK(trimmed("  ").empty());
}

TEST_CASE("printable: does any text become UTF-8 without control characters?") {
  CHECK(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  CHECK(printable("a\x1b[31m\n") == "a?[31m?");
  // Cut, overlong, surrogate, beyond U+10FFFF.
  CHECK(printable("\xc3") == "?");
  CHECK(printable("\xc0\xaf|\xe0\x80\x80|\xed\xa0\x80|\xf4\x90\x80\x80") == "??|???|???|????");
  CHECK(printable("abcdef", 3) == "abc...");
  CHECK(printable("a\xe2\x82\xac", 3) == "a...");
}
