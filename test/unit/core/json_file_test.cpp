// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/json_file.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"

#include <filesystem>
#include <iterator>
#include <random>
#include <string>

#include <sys/stat.h>

using namespace hpclab;
using namespace hpclab::test;

namespace {

std::string refused(const std::string& text) {
  return error_of([&] { parse_json(text, "f.json"); });
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("json: is a key given twice in one object refused at any depth?") {
  CHECK(contains(refused(R"({"a":1,"a":2})"), "f.json: the key 'a' is given twice"));
  CHECK(contains(refused(R"({"a":{"b":{"c":1,"d":2,"c":3}}})"), "the key 'c' is given twice"));
  CHECK(contains(refused(R"([{"x":1},[{"y":1,"y":1}]])"), "the key 'y' is given twice"));
  CHECK(contains(refused(R"({"a":{},"b":1,"a":{}})"), "the key 'a' is given twice"));
  CHECK(contains(refused("{\"a\":1,\"\\u0061\":2}"), "the key 'a' is given twice"));
  CHECK(parse_json(R"({"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}})", "").size() == 2);
}

TEST_CASE("json: does an error of syntax say line and column?") {
  CHECK(contains(refused("{\n  \"a\": 1,\n  \"b\": x\n}"), "f.json: line 3, column 8"));
  CHECK(contains(refused("x"), "line 1, column 1"));
  CHECK(contains(refused(""), "line 1, column 1"));
  CHECK(contains(refused("\n\n"), "line 3, column 1"));
  CHECK(contains(refused("[1,2\n"), "line 2, column 1"));
  CHECK(contains(refused("[1 2]"), "line 1, column 4"));
  CHECK(contains(refused("{} {}"), "line 1, column 4"));
  CHECK(contains(refused("\n[1,\n  2,]"), "line 3, column 5"));
  CHECK_FALSE(contains(refused("[1 2]"), "json.exception"));
  CHECK_FALSE(refused("// comments are not JSON\n{}").empty());
  CHECK_FALSE(refused("[\"\xff\"]").empty());
  CHECK_FALSE(refused("[NaN]").empty());
}

TEST_CASE("json: is a number that no double holds a usage error?") {
  CHECK(contains(refused("{\"n\": 1e400}"), "f.json: "));
  CHECK(contains(refused("{\"n\": 1e400}"), "1e400"));
  CHECK_THROWS_AS(parse_json("[-1e999]", "f"), UsageError);
}

TEST_CASE("json: is nesting counted outside strings, and refused where recursion would be deep?") {
  CHECK(nesting_of("1") == 0);
  CHECK(nesting_of("[]") == 1);
  CHECK(nesting_of(R"({"a":[{"b":"[[[["}]})") == 3);
  CHECK(nesting_of(R"(["\"[[[",[]])") == 2);
  CHECK(nesting_of(R"(["\\",[[]]])") == 3);
  CHECK(nesting_of("[],[],[]") == 1);
  CHECK(nesting_of("]]]][") == 1);
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_json(nested(max_json_nesting), "f").is_array());
  CHECK(contains(refused(nested(max_json_nesting + 1)), "within each other"));
  CHECK_THROWS_AS(parse_json(std::string(3'000'000, '['), "f"), UsageError);
}

TEST_CASE("json: is every damaged document a usage error or a value, never anything else?") {
  const std::string good =
      R"({"lab":"demo","study":"steps","parameters":{"n":[1,2.5,"4Ki"],"x":null},"exclude":["n > 4"],"seed":3})";
  std::mt19937 random(3);
  int refusals = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (std::uint32_t change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 4);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 12));
      }
      if (text.empty()) text = "x";
    }
    try {
      parse_json(text, "f");
    } catch (const UsageError& error) {
      ++refusals;
      CHECK(std::string(error.what()).starts_with("f: "));
    }
  }
  CHECK(refusals > 1000);
}

TEST_CASE("json: are a folder, a missing file and too large a file refused with the reason?") {
  FixtureRoot root;
  root.file("ok.json", "{\"a\":1}").file("large", std::string(100, 'x'));
  CHECK(read_json_file(root.path() / "ok.json")["a"] == 1);
  CHECK(contains(error_of([&] { read_json_file(root.path()); }), "it is a folder"));
  CHECK(contains(error_of([&] { read_json_file(root.path() / "none.json"); }), "No such file"));
  CHECK(read_text_file(root.path() / "large", 100).size() == 100);
  CHECK(contains(error_of([&] { read_text_file(root.path() / "large", 99); }), "larger than"));
  CHECK_THROWS_AS(read_text_file("/dev/zero", 1 << 20), UsageError);
  root.file("bad.json", "{");
  CHECK(contains(error_of([&] { read_json_file(root.path() / "bad.json"); }), "bad.json: line 1"));
}

TEST_CASE("json: does an unknown key say its pointer and the nearest key?") {
  const std::string error = error_of([] {
    require_known_keys({{"method", 1}, {"sed", 2}}, {"method", "seed"}, "f.json", "/experiments/0");
  });
  CHECK(contains(error, "f.json: /experiments/0/sed: unknown key 'sed'"));
  CHECK(contains(error, "did you mean 'seed'?"));
  CHECK_NOTHROW(require_known_keys(Json::object(), {}, "f", ""));
}

TEST_CASE("writing: is a file replaced whole, and nothing left beside it?") {
  FixtureRoot root;
  const auto path = root.path() / "out.txt";
  write_text_file(path, "first, and longer");
  write_text_file(path, "second");
  CHECK(read_text_file(path) == "second");
  CHECK(files_in(root.path()) == 1);
}

TEST_CASE("writing: does a failure say why and leave the old file and no other?") {
  FixtureRoot root;
  CHECK(contains(error_of([&] { write_text_file(root.path() / "none" / "f", "x"); }),
                 "No such file"));
  std::filesystem::create_directories(root.path() / "folder");
  CHECK_THROWS_AS(write_text_file(root.path() / "folder", "x"), UsageError);
  CHECK(std::filesystem::is_directory(root.path() / "folder"));
  CHECK(files_in(root.path()) == 1);
}

TEST_CASE("writing: is a device written to and never replaced, a link followed?") {
  FixtureRoot root;
  CHECK(contains(error_of([] { write_text_file("/dev/full", "text"); }), "No space left"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
  CHECK_NOTHROW(write_text_file("/dev/null", "text"));
  CHECK(std::filesystem::is_character_file("/dev/null"));
  root.file("target", "old");
  std::filesystem::create_symlink(root.path() / "target", root.path() / "link");
  write_text_file(root.path() / "link", "new");
  CHECK(std::filesystem::is_symlink(root.path() / "link"));
  CHECK(read_text_file(root.path() / "target") == "new");
}
