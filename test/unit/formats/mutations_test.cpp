// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Readers under random damage. HPCLAB_FUZZ sets how many mutations of each sample are read; the
// sanitizer build runs 100,000.
#include "core/error.hpp"
#include "formats/json_lines.hpp"
#include "formats/table_reader.hpp"
#include "support/catch.hpp"
#include "support/mutation.hpp"
#include "support/packed.hpp"

#include <algorithm>
#include <string>

using namespace hpclab;
using namespace hpclab::formats;
using namespace hpclab::test;

namespace {

// Reads `sample` and its mutations; every other exception than UsageError fails the test. Returns
// the share that could be read.
template <class Read>
double readable_share(const std::string& sample, unsigned seed, Read read) {
  read(sample);
  Mutator mutator(seed);
  const int count = mutation_count(3000);
  int good = 0;
  for (int i = 0; i < count; ++i) {
    const std::string text = mutator.mutated(sample);
    try {
      read(text);
      ++good;
    } catch (const UsageError& error) {
      const std::string message = error.what();
      if (message.rfind("f:", 0) != 0) FAIL("no place in: " << message);
    } catch (const std::exception& error) {
      FAIL("mutation " << i << ": " << error.what() << "\n" << text);
    }
  }
  return static_cast<double>(good) / count;
}

void read_lines(const std::string& text) {
  LineReader lines(bytes_of(text), "f");
  for (std::string_view line; lines.next(line);) {
  }
}

void read_table(const std::string& text) {
  LineReader lines(bytes_of(text), "f");
  TableReader table(lines);
  while (table.next()) {
    table.integer(table.columns().require("n"));
    table.number(table.columns().require("time"));
  }
}

void read_json(const std::string& text) {
  LineReader lines(bytes_of(text), "f");
  JsonLineReader reader(lines);
  while (const auto value = reader.next()) {
    value->number("t");
    if (const auto ids = value->find("ids")) {
      ids->for_each([](const JsonValue& id) { id.integer(); });
    }
  }
}

const std::string csv =
    "name,n,time\n\"a, \"\"quoted\"\" name\",12,1.5e-3\nplain,13,2.5\n\"two\nlines\",-1,+3\n";

}  // namespace

TEST_CASE("mutations: is damaged text read or refused with its place?") {
  const double lines = readable_share("first\r\nsecond\nthird\rlast", 1, read_lines);
  CHECK(lines > 0.5);
  for (const std::string& table : {csv, std::string("p n time\n 1 16 1.6e-5\n 1 32  1.9e-5\n")}) {
    const double share = readable_share(table, 2, read_table);
    CHECK(share > 0.02);  // damage must reach every depth, not die in the header
    CHECK(share < 0.9);
  }
  const double json =
      readable_share("{\"t\":1.5,\"ids\":[1,2],\"o\":{\"a\":\"b\"}}\n{\"t\":2}\n", 3, read_json);
  CHECK(json > 0.02);
  CHECK(json < 0.9);
}

TEST_CASE("mutations: are damaged packed files read or refused with their place?") {
  std::string text;
  for (int i = 0; i < 60; ++i) text += std::to_string(i * i) + " some words of a log\n";
  CHECK(readable_share(as_gz(text), 4, read_lines) < 0.5);
  CHECK(readable_share(as_zst(text), 5, read_lines) < 0.9);
}
