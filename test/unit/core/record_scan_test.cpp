// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record_scan.hpp"

#include "core/record_file.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/record_samples.hpp"

using namespace hpclab;

namespace {

// More lines than are parsed at once.
constexpr int many = 5000;

std::string long_text() {
  test::RecordText text("long");
  for (int i = 0; i < many; ++i) text.add_predicted({{"threads", i}}, {{"time_s", i + 0.5}});
  return text.end();
}

}  // namespace

TEST_CASE("are records taken in order, with their lines and offsets, beyond one batch") {
  const test::RecordFolder folder;
  const std::string text = long_text();
  const auto file = folder.write("a.jsonl", text);
  std::uint64_t lines = 0;
  std::uint64_t offset = 0;
  const ScannedFile scanned = scan_records(file, [&](Json& record, const RecordPlace& place) {
    REQUIRE(place.line == ++lines);
    REQUIRE(place.offset == offset);
    REQUIRE(Json::parse(text.substr(place.offset, place.bytes)) == record);
    if (record["record"] == "case") {
      REQUIRE(record["parameters"]["threads"] == static_cast<int>(place.line) - 2);
    }
    offset += place.bytes;
  });
  CHECK(lines == many + 2);
  CHECK(scanned.whole_bytes == text.size());
  CHECK(scanned.ended);
  CHECK(!scanned.torn);
}

TEST_CASE("does a fault far into a file name its line, after what came before it was taken") {
  const test::RecordFolder folder;
  std::string text = long_text();
  const std::size_t place = text.find("4000.5");
  text.replace(place, 6, "\"x\"   ");
  int taken = 0;
  const std::string message = test::usage_error_of([&] {
    scan_records(folder.write("a.jsonl", text), [&](Json&, const RecordPlace&) { ++taken; });
  });
  CHECK(message.find("a.jsonl:4002: /values/time_s is not a finite number") != std::string::npos);
  CHECK(taken == 4001);
}

TEST_CASE("does merging long shards keep every case once and the bytes of its line") {
  const test::RecordFolder folder;
  const std::string text = long_text();
  const std::size_t middle = text.find('\n', text.size() / 2) + 1;
  const std::string run = text.substr(0, text.find('\n') + 1);
  const auto first = folder.write("a.jsonl", text.substr(0, middle));
  const auto second = folder.write("b.jsonl", run + text.substr(middle));
  const auto out = folder.path() / "out.jsonl";
  merge_records({first, second, second}, out);
  const RecordFile merged = read_records(out);
  CHECK(merged.runs.size() == 1);
  REQUIRE(merged.cases.size() == many);
  for (int i = 0; i < many; ++i) REQUIRE(merged.cases[i]["values"]["time_s"] == i + 0.5);
  CHECK(merged.ends.at(0)["ok"] == many);
}
