// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/table_reader.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Header and rows.
Rows rows_of(const std::string& text, TableOptions options = {}) {
  LineReader lines(bytes_of(text), "f.csv");
  TableReader table(lines, options);
  Rows rows{table.columns().names()};
  while (table.next()) rows.emplace_back(table.fields().begin(), table.fields().end());
  return rows;
}

std::string refused(const std::string& text) {
  return usage_error_of([&] { rows_of(text); });
}

}  // namespace

TEST_CASE("tables: are quotes read as RFC 4180 has them?") {
  CHECK(rows_of("a,b,c\n\"1,5\",\"say \"\"x\"\"\",\"\"\n") ==
        Rows{{"a", "b", "c"}, {"1,5", "say \"x\"", ""}});
  CHECK(rows_of("a,b\n\"two\r\nlines\",2\n") == Rows{{"a", "b"}, {"two\nlines", "2"}});
  CHECK(rows_of("\"a\",\"b\"\n1,2") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("a,b\n \"x\" , y \n") == Rows{{"a", "b"}, {"x", "y"}});
  CHECK(rows_of("a,b\n,\n") == Rows{{"a", "b"}, {"", ""}});
  CHECK(rows_of("a,b\n5\" disk,2\n") == Rows{{"a", "b"}, {"5\" disk", "2"}});
  CHECK(rows_of("a,b\n\" kept \",2\n") == Rows{{"a", "b"}, {" kept ", "2"}});
}

TEST_CASE("tables: is the delimiter found, and do blanks, comments and blank lines separate?") {
  CHECK(rows_of("a;b\n1,5;2\n") == Rows{{"a", "b"}, {"1,5", "2"}});
  CHECK(rows_of("a\tb c\n1\t2\n") == Rows{{"a", "b c"}, {"1", "2"}});
  CHECK(rows_of("a|b\n1|2\n") == Rows{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("  p   q  time/it\n\n 1 \t 2   3e-5\n") ==
        Rows{{"p", "q", "time/it"}, {"1", "2", "3e-5"}});
  CHECK(rows_of("# made today\r\n\r\na,b\r\n# first\r\n1,2\r\n \r\n") ==
        Rows{{"a", "b"}, {"1", "2"}});
}

TEST_CASE("tables: can a header come after other lines?") {
  TableOptions options;
  options.is_header = [](std::string_view line) { return line.starts_with("\"ID\""); };
  CHECK(rows_of("== prof == x, y, z\nresult\n\"ID\",\"n\"\n0,1\n", options) ==
        Rows{{"ID", "n"}, {"0", "1"}});
  CHECK(usage_error_of([&] { rows_of("a,b\n1,2\n", options); }) ==
        "f.csv:2: there is no header of the table up to the end");
}

TEST_CASE("tables: do rows that do not fit say where and why?") {
  CHECK(refused("") == "f.csv:1: the file is empty; a table with a header was expected");
  CHECK(refused("a,b,c\n1,2,3\n4,5\n6,7,8\n") == "f.csv:3: 2 fields, but the header has 3");
  CHECK(refused("a,b,c\n1,2,3\n4,5") ==
        "f.csv:3: 2 fields, but the header has 3; the file ends within this line");
  CHECK(refused("a,b\n1,2,3\n") == "f.csv:2: 3 fields, but the header has 2");
  CHECK(refused("a,b\n1,\"two\n3,4\n") ==
        "f.csv:2: a quote opened here is not closed by the end of the file");
  CHECK(refused("a,b\n1,\"two\"x\n") == "f.csv:2: 'x' follows the closing quote of field 2");
  CHECK(refused("a,b\n1,\"two\" \"three\"\n") ==
        "f.csv:2: ' \"three\"' follows the closing quote of field 2");
}

TEST_CASE("tables: does a missing column name what is there and the nearest?") {
  LineReader lines(bytes_of("function,num_times,max_mbytes_per_s,x,x\n"), "f.csv");
  const TableReader table(lines);
  CHECK(table.columns().require("num_times") == 1);
  CHECK(table.columns().require_one_of({"runs", "num_times"}) == 1);
  CHECK_FALSE(table.columns().find("runs").has_value());
  CHECK(usage_error_of([&] { table.columns().require("max_mbytes_per_sec"); }) ==
        "f.csv:1: missing column 'max_mbytes_per_sec'; found function, num_times, "
        "max_mbytes_per_s, x, x; nearest 'max_mbytes_per_s'");
  CHECK(usage_error_of([&] {
          table.columns().require_one_of({"alpha", "beta"});
        }).find("missing column 'alpha' or 'beta'; found function") != std::string::npos);
  CHECK(usage_error_of([&] { table.columns().require("x"); }) ==
        "f.csv:1: column 'x' is there twice");
}

TEST_CASE("tables: are numbers read with the place of a wrong one?") {
  LineReader lines(bytes_of("time,n\n1.5e-3,7\nnan,7.5\n"), "f.csv");
  TableReader table(lines);
  REQUIRE(table.next());
  CHECK(table.number(0) == 1.5e-3);
  CHECK(table.integer(1) == 7);
  REQUIRE(table.next());
  CHECK(usage_error_of([&] { table.number(0); }) ==
        "f.csv:3: 'time' is 'nan', which is not finite");
  CHECK(usage_error_of([&] { table.integer(1); }) ==
        "f.csv:3: 'n' is '7.5', which is no integer of 64 bits");
}
