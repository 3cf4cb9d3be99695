// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Prints how many lines of a request trace the readers take a second: plain and packed, as lines,
// JSON objects and a table.
#include "formats/json_lines.hpp"
#include "formats/table_reader.hpp"
#include "support/packed.hpp"

#include <chrono>
#include <cstdio>
#include <string>

namespace {

using hpclab::formats::JsonLineReader;
using hpclab::formats::JsonValue;
using hpclab::formats::LineReader;
using hpclab::formats::TableReader;

constexpr int lines_count = 2'000'000;

template <class Read>
void print_rate(const char* what, const std::string& text, Read read) {
  const auto begin = std::chrono::steady_clock::now();
  LineReader lines(hpclab::formats::bytes_of(text), "trace");
  const double sum = read(lines);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%-28s %7.2f million lines/s  (%.0f bytes a line, checksum %.6g)\n", what,
              lines_count / seconds / 1e6, static_cast<double>(text.size()) / lines_count, sum);
}

double read_lines(LineReader& lines) {
  double bytes = 0;
  for (std::string_view line; lines.next(line);) bytes += static_cast<double>(line.size());
  return bytes;
}

double read_json(LineReader& lines) {
  double sum = 0;
  JsonLineReader reader(lines);
  while (const auto value = reader.next()) {
    sum += value->number("timestamp") + value->number("input_length");
    value->require("hash_ids").for_each([&](const JsonValue& id) { sum += id.number(); });
  }
  return sum;
}

double read_table(LineReader& lines) {
  double sum = 0;
  TableReader table(lines);
  const std::size_t time = table.columns().require("timestamp");
  const std::size_t length = table.columns().require("input_length");
  while (table.next()) sum += table.number(time) + static_cast<double>(table.integer(length));
  return sum;
}

}  // namespace

int main() {
  std::string json;
  std::string csv = "timestamp,input_length,output_length,name\n";
  for (int i = 0; i < lines_count; ++i) {
    const std::string time = std::to_string(i * 0.001);
    const std::string length = std::to_string(100 + i * 37LL % 7919);
    const std::string id = std::to_string(i % 1000);
    json += "{\"timestamp\": " + time + ", \"input_length\": " + length +
            ", \"output_length\": 52, \"hash_ids\": [46, 47, " + id + "]}\n";
    csv += time + "," + length + ",52,request " + id + "\n";
  }
  print_rate("lines", json, read_lines);
  print_rate("lines of gz", hpclab::test::as_gz(json), read_lines);
  print_rate("lines of zst", hpclab::test::as_zst(json), read_lines);
  print_rate("JSON lines", json, read_json);
  print_rate("JSON lines of zst", hpclab::test::as_zst(json), read_json);
  print_rate("CSV", csv, read_table);
}
