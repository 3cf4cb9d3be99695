// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/line_reader.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fixture_root.hpp"

#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

namespace {

using Lines = std::vector<std::string>;

LineReader reader(const std::string& text, std::size_t limit = max_line_bytes) {
  return LineReader(bytes_of(text), "f.txt", limit);
}

Lines lines_of(const std::string& text, std::size_t limit = max_line_bytes) {
  LineReader from = reader(text, limit);
  Lines lines;
  for (std::string_view line; from.next(line);) lines.emplace_back(line);
  return lines;
}

std::string refused(const std::string& text, std::size_t limit = max_line_bytes) {
  return usage_error_of([&] { lines_of(text, limit); });
}

// One byte a call: what a slow pipe gives.
class Drops final : public ByteSource {
 public:
  explicit Drops(std::string text) : text_(std::move(text)) {}
  std::size_t read(char* to, std::size_t) override {
    if (at_ == text_.size()) return 0;
    *to = text_[at_++];
    return 1;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

TEST_CASE("lines: are LF, CRLF and CR line ends, mixed as they come?") {
  CHECK(lines_of("a\nb\n") == Lines{"a", "b"});
  CHECK(lines_of("a\r\nb\r\n") == Lines{"a", "b"});
  CHECK(lines_of("a\rb\r") == Lines{"a", "b"});
  CHECK(lines_of("a\nb\r\nc\rd\n\re\r\r\n\nf") == Lines{"a", "b", "c", "d", "", "e", "", "", "f"});
  CHECK(lines_of("\n\n") == Lines{"", ""});
  CHECK(lines_of("") == Lines{});
  CHECK(lines_of("no end") == Lines{"no end"});
}

TEST_CASE("lines: does it matter in what pieces the bytes come?") {
  const std::string text =
      "\xef\xbb\xbf"
      "first\r\nsecond\rthird\n\r\n\nlast";
  LineReader whole = reader(text);
  LineReader drops(std::make_unique<Drops>(text), "f.txt");
  std::string_view a, b;
  while (whole.next(a)) {
    REQUIRE(drops.next(b));
    CHECK(a == b);
    CHECK(whole.line_number() == drops.line_number());
  }
  CHECK_FALSE(drops.next(b));
  CHECK(whole.line_number() == 6);
}

TEST_CASE("lines: do long files keep every line across the blocks in which they are read?") {
  Lines expected;
  std::string text;
  const char* ends[] = {"\n", "\r\n", "\r"};
  for (std::size_t i = 0; i < 30000; ++i) {
    // "x" before, so that no line is empty: an empty one between a CR and an LF would be none.
    expected.push_back("x" + std::to_string(i) + std::string(i * 7919 % 61, 'y'));
    text += expected.back() + ends[i * 31 % 3];
  }
  REQUIRE(text.size() > 1000000);
  CHECK(lines_of(text) == expected);
}

TEST_CASE("lines: is an open last line told from an ended one?") {
  std::string_view line;
  LineReader ended = reader("a\nb\n");
  while (ended.next(line)) CHECK_FALSE(ended.line_is_open());
  LineReader open = reader("a\nb");
  REQUIRE(open.next(line));
  CHECK_FALSE(open.line_is_open());
  REQUIRE(open.next(line));
  CHECK(open.line_is_open());
  CHECK(open.where() == "f.txt:2");
}

TEST_CASE("lines: are byte order marks passed over, and UTF-16 and NUL bytes refused?") {
  CHECK(lines_of("\xef\xbb\xbfname,value\n") == Lines{"name,value"});
  CHECK(refused(std::string("\xff\xfen\0a\0", 6)) ==
        "f.txt:1: the text is UTF-16; save it as UTF-8");
  CHECK(refused(std::string("good\nba\0d\n", 10)) ==
        "f.txt:2: a NUL byte in column 3: this is no text");
  CHECK(refused(std::string(1, '\0')) == "f.txt:1: a NUL byte in column 1: this is no text");
}

TEST_CASE("lines: is a line above the limit refused with the limit, and one at it read?") {
  CHECK(lines_of(std::string(100, 'x') + "\n", 100).size() == 1);
  CHECK(lines_of(std::string(100, 'x'), 100).size() == 1);
  CHECK(refused("ok\n" + std::string(101, 'x') + "\n", 100) ==
        "f.txt:2: the line has 101 bytes, more than 100 bytes, the limit");
  const std::string endless(max_line_bytes + 500000, 'x');
  CHECK(refused(endless) ==
        "f.txt:1: the line is longer than 16 MiB, the limit; has the file lost its line ends?");
  CHECK(lines_of(endless.substr(0, max_line_bytes)).size() == 1);
}

TEST_CASE("lines: do files that cannot be read say why?") {
  const FixtureRoot root;
  const auto missing = root.path() / "missing.txt";
  CHECK(usage_error_of([&] { LineReader{missing}; }) ==
        "cannot read '" + missing.string() + "': No such file or directory");
  CHECK(usage_error_of([&] { LineReader{root.path()}; }) ==
        "cannot read '" + root.path().string() + "': it is a folder");
}
