// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "formats/line_reader.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fixture_root.hpp"
#include "support/packed.hpp"

#include <string>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

namespace {

// All lines, joined by LF; `count` gets how many came before a fault.
std::string joined(const std::string& bytes, int* count = nullptr) {
  LineReader lines(bytes_of(bytes), "f");
  std::string text;
  for (std::string_view line; lines.next(line);) {
    text += std::string(line) + "\n";
    if (count != nullptr) ++*count;
  }
  return text;
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 30000; ++i) text += std::to_string(i * 2654435761u) + " words\n";
  return text;
}

}  // namespace

TEST_CASE("packed files: are gz and zst recognised by content under any name?") {
  FixtureRoot root;
  root.file("a.csv", as_gz("one\ntwo\n")).file("b.gz", as_zst("one\ntwo\n")).file("c.zst", "one\n");
  std::string_view line;
  for (const char* name : {"a.csv", "b.gz", "c.zst"}) {
    LineReader lines(root.path() / name);
    REQUIRE(lines.next(line));
    CHECK(line == "one");
  }
}

TEST_CASE("packed files: does a text come back whole, in one or several members?") {
  const std::string text = long_text();
  CHECK(joined(as_gz(text)) == text);
  CHECK(joined(as_zst(text)) == text);
  CHECK(joined(as_gz(text) + as_gz("and\n") + as_gz("more\n")) == text + "and\nmore\n");
  CHECK(joined(as_zst(text) + as_zst("") + as_zst("more\n")) == text + "more\n");
  CHECK(joined(as_gz("")).empty());
  CHECK(joined(as_zst("")).empty());
}

TEST_CASE("packed files: is one that ends early refused at any cut, after the lines before it?") {
  const std::string text = long_text();
  for (const std::string& packed : {as_gz(text), as_zst(text)}) {
    for (const std::size_t cut : {packed.size() - 1, packed.size() / 2, std::size_t{20}}) {
      int count = 0;
      const std::string message = usage_error_of([&] { joined(packed.substr(0, cut), &count); });
      CHECK(message.find("f:" + std::to_string(count + 1) + ": the ") == 0);
      CHECK(message.find("data ends early") != std::string::npos);
    }
  }
}

TEST_CASE("packed files: is damage named, wherever it is?") {
  const std::string gz = as_gz(long_text());
  const std::string zst = as_zst(long_text());
  std::string bad_sum = gz;
  bad_sum[gz.size() - 6] = static_cast<char>(bad_sum[gz.size() - 6] ^ 1);
  CHECK(usage_error_of([&] { joined(bad_sum); }).find("damaged gz data: incorrect data check") !=
        std::string::npos);
  CHECK(usage_error_of([&] { joined(gz + "tail"); }).find("damaged gz data: incorrect header") !=
        std::string::npos);
  CHECK(usage_error_of([&] { joined(zst + "some tail"); }).find("damaged zst data: ") !=
        std::string::npos);
  // A frame that asks for a window of 2 GiB: refused, not allocated.
  const std::string wide("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00", 9);
  CHECK(usage_error_of([&] { joined(wide); }).find("f:1: damaged zst data: ") == 0);
}
