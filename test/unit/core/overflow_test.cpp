// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/overflow.hpp"

#include "core/json_file.hpp"
#include "core/sha256.hpp"
#include "support/catch.hpp"
#include "support/demo_cases.hpp"
#include "support/fixture_root.hpp"

#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::test;

namespace {

Json record_of(const Result& result) {
  return case_record(demo_case(5), "run", CaseStatus::ok, result);
}

Table table_of(std::size_t rows) {
  Table table{{"x", "y"}, {"s", ""}, {}};
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({0.125 * static_cast<double>(i), i});
  return table;
}

std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 1 + static_cast<double>(i) / 7;
  return values;
}

}  // namespace

TEST_CASE("overflow: does a record that fits stay as it is?") {
  Result result;
  result.set_value("time_s", 1);
  result.set_samples("time_s", ramp(1000));
  result.set_table("t", table_of(100));
  const Json record = record_of(result);
  CHECK(fit_record(record, "") == record);
}

TEST_CASE("overflow: are samples thinned first, evenly, and is it said?") {
  Result result;
  result.set_samples("time_s", ramp(6000));
  result.set_samples("other_s", ramp(3000));
  result.set_samples("short_s", ramp(100));
  const Json fitted = fit_record(record_of(result), "");
  CHECK(fault_of_record(fitted).empty());
  CHECK(fitted["samples"]["time_s"].size() == 512);
  CHECK(fitted["samples"]["time_s"].front() == ramp(6000).front());
  CHECK(fitted["samples"]["time_s"].back() == ramp(6000).back());
  CHECK(fitted["samples"]["short_s"].size() == 100);
  REQUIRE(fitted["notes"].size() == 2);
  CHECK(fitted["notes"][0] == "samples of time_s: 512 of 6000 kept, evenly spaced");
  result.add_note("before");
  CHECK(fit_record(record_of(result), "")["notes"].size() == 3);
}

TEST_CASE("overflow: do the largest tables move to files with the right digest?") {
  FixtureRoot root;
  const auto folder = root.path() / "out.jsonl.files";
  Result result;
  result.set_value("time_s", 1);
  result.set_table("small", table_of(100));
  result.set_table("large", table_of(9000));
  result.set_table("larger", table_of(20000));
  const Json record = record_of(result);
  const Json fitted = fit_record(record, folder);
  CHECK(fault_of_record(fitted).empty());
  CHECK(fitted.dump().size() < max_record_bytes);
  CHECK(fitted["tables"].size() == 1);
  CHECK(fitted["tables"].contains("small"));
  REQUIRE(fitted["files"].size() == 2);
  CHECK(fitted["files"][0]["table"] == "larger");
  for (const Json& file : fitted["files"]) {
    const std::string text = read_text_file(root.path() / file["path"].get<std::string>());
    CHECK(sha256_hex(text) == file["sha256"]);
    CHECK(Json::parse(text) == record["tables"][file["table"].get<std::string>()]);
  }
}

TEST_CASE("overflow: is the list of tables dropped with its last one?") {
  FixtureRoot root;
  Result result;
  result.set_table("only", table_of(9000));
  CHECK_FALSE(fit_record(record_of(result), root.path() / "f").contains("tables"));
}

TEST_CASE("overflow: does a record that cannot fit fail its case with the reason?") {
  Result result;
  result.set_table("large", table_of(9000));
  CHECK_THROWS_AS(fit_record(record_of(result), ""), CaseFailed);
  CHECK(contains(error_of([&] { fit_record(record_of(result), ""); }),
                 "table 'large' makes the record larger"));
  Result words;
  words.set_text("essay", std::string(100'000, 'x'));
  FixtureRoot root;
  CHECK(contains(error_of([&] { fit_record(record_of(words), root.path() / "f"); }),
                 "without a table to move out"));
  root.file("blocked", "a file where the folder should be");
  CHECK_FALSE(error_of([&] { fit_record(record_of(result), root.path() / "blocked"); }).empty());
}

TEST_CASE("overflow: does a table with bytes that are no UTF-8 move out too?") {
  FixtureRoot root;
  Table table = table_of(9000);
  table.rows[0][1] = "\xff";
  Result result;
  result.set_table("t", table);
  CHECK(fit_record(record_of(result), root.path() / "f")["files"].size() == 1);
}
