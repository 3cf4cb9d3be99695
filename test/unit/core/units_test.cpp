// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/units.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace hpclab;

namespace {

std::string text_of(const std::string& name, double value) {
  return readable(name, value).text();
}

std::size_t significant_digits(const std::string& number) {
  std::size_t count = 0;
  bool leading = true;
  for (char c : number) {
    if (c == 'e') break;
    if (c < '0' || c > '9') continue;
    if (c == '0' && leading) continue;
    leading = false;
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("units: does every suffix name its unit and leave the stem?") {
  struct Row {
    const char* name;
    const char* unit;
    const char* stem;
  };
  const std::vector<Row> rows{{"bandwidth_bytes_per_s", "B/s", "bandwidth"},
                              {"peak_flops_per_s", "flop/s", "peak"},
                              {"intensity_flops_per_byte", "flop/byte", "intensity"},
                              {"throughput_dof_per_s", "DOF/s", "throughput"},
                              {"throughput_tokens_per_s", "token/s", "throughput"},
                              {"requests_per_s", "1/s", "requests"},
                              {"time_s", "s", "time"},
                              {"footprint_bytes", "B", "footprint"},
                              {"work_flops", "flop", "work"},
                              {"prompt_tokens", "tokens", "prompt"},
                              {"clock_hz", "Hz", "clock"},
                              {"energy_j", "J", "energy"},
                              {"power_w", "W", "power"},
                              {"die_celsius", "degC", "die"},
                              {"cache_lines", "lines", "cache"},
                              {"word_bits", "bits", "word"},
                              {"size_dof", "DOF", "size"},
                              {"error_ratio", "ratio", "error"},
                              {"threads", "", "threads"},
                              {"", "", ""}};
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(unit_of(row.name) == row.unit);
    CHECK(stem_of(row.name) == row.stem);
  }
}

TEST_CASE("units: does the longest suffix win, and is a suffix without its underscore no suffix?") {
  CHECK(unit_of("x_bytes_per_s") == "B/s");
  CHECK(unit_of("x_megabytes_per_s") == "1/s");
  CHECK(unit_of("flops_per_s") == "flop/s");  // the whole name is a unit
  CHECK(stem_of("flops_per_s") == "flops_per_s");
  CHECK(unit_of("bytes") == "B");
  CHECK(unit_of("kilobytes").empty());
  CHECK(unit_of("errors").empty());
}

TEST_CASE("units: are numbers readable at the borders of their scales?") {
  CHECK(text_of("x_bytes_per_s", 0) == "0 B/s");
  CHECK(text_of("x_bytes_per_s", 999.9) == "999.9 B/s");
  CHECK(text_of("x_bytes_per_s", 999.96) == "1.000 kB/s");
  CHECK(text_of("x_bytes_per_s", 1000) == "1.000 kB/s");
  CHECK(text_of("x_bytes_per_s", 999960) == "1.000 MB/s");
  CHECK(text_of("x_bytes_per_s", 12.3456e9) == "12.35 GB/s");
  CHECK(text_of("x_bytes_per_s", 9.9996e9) == "10.00 GB/s");
  CHECK(text_of("x_bytes_per_s", -2.5e9) == "-2.500 GB/s");
  CHECK(text_of("x_flops_per_s", 1e21) == "1000 Eflop/s");
  CHECK(text_of("x_bytes", 1023) == "1023 B");
  CHECK(text_of("x_bytes", 1024) == "1.000 KiB");
  CHECK(text_of("x_bytes", 1023.2 * 1024) == "1023 KiB");
  CHECK(text_of("x_bytes", 1023.9 * 1024) == "0.9999 MiB");
  CHECK(text_of("time_s", 1) == "1.000 s");
  CHECK(text_of("time_s", 0.9995) == "999.5 ms");
  CHECK(text_of("time_s", 0.99996) == "1.000 s");
  CHECK(text_of("time_s", 1.5e-3) == "1.500 ms");
  CHECK(text_of("time_s", 2e-6) == "2.000 us");
  CHECK(text_of("time_s", 81.3e-9) == "81.30 ns");
  CHECK(text_of("time_s", 5e-13) == "0.5000 ps");
  CHECK(text_of("time_s", 3600) == "3600 s");
  CHECK(text_of("x_flops_per_byte", 0.08333333) == "0.08333 flop/byte");
  CHECK(text_of("count", 123456789) == "123456789");
  CHECK(text_of("count", 2.5) == "2.500");
  CHECK(text_of("power_w", 250) == "250.0 W");
}

TEST_CASE("units: are ratios per cent where the name says so?") {
  CHECK(text_of("error_ratio", 0.25) == "+25.0 %");
  CHECK(text_of("simulation_error_ratio", -0.031) == "-3.1 %");
  CHECK(text_of("fraction_of_theory_ratio", 0.934) == "93.4 %");
  CHECK(text_of("predicted_fraction_of_theory_ratio", 0.934) == "93.4 %");
  CHECK(text_of("speedup_ratio", 3.25) == "3.250");
  CHECK(readable_percent(0.004) == "0.4 %");
  CHECK(readable_percent(0.0004) == "0.04 %");
}

TEST_CASE("units: is a readable number within rounding of its value, in 4 digits, and scaled?") {
  const std::map<std::string, double> decimal{{"B/s", 1},    {"kB/s", 1e3},  {"MB/s", 1e6},
                                              {"GB/s", 1e9}, {"TB/s", 1e12}, {"PB/s", 1e15},
                                              {"EB/s", 1e18}};
  const std::map<std::string, double> small{
      {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(0, 20);
  for (int i = 0; i < 5000; ++i) {
    const double rate = std::pow(10., exponent(random));
    const Readable shown = readable("x_bytes_per_s", rate);
    const double number = std::stod(shown.number);
    REQUIRE(decimal.contains(shown.unit));
    CHECK(number * decimal.at(shown.unit) == Catch::Approx(rate).epsilon(5.1e-4));
    CHECK(significant_digits(shown.number) == 4);
    CHECK((number >= 1 && (number < 1000 || shown.unit == "EB/s")));

    const double time = std::pow(10., -exponent(random) * 0.6);
    const Readable duration = readable("time_s", time);
    const double shown_time = std::stod(duration.number);
    REQUIRE(small.contains(duration.unit));
    CHECK(shown_time * small.at(duration.unit) == Catch::Approx(time).epsilon(5.1e-4));
    CHECK((shown_time >= 1 && shown_time < 1000));
  }
}

TEST_CASE("numbers: are suffixes powers of 1000 or 1024, and everything else refused?") {
  const std::map<std::string, double> good{
      {"12", 12},       {"+3", 3},           {"-2.5", -2.5},
      {"1.5e9", 1.5e9}, {"4k", 4000},        {"4K", 4000},
      {"4Ki", 4096},    {"2M", 2e6},         {"2Mi", 2097152},
      {"1G", 1e9},      {"1Gi", 1073741824}, {"1T", 1e12},
      {"0.5Ki", 512},   {".5", 0.5},         {"1Ti", 1099511627776.},
      {"-1k", -1000},   {"1e-3", 0.001},     {"0", 0},
      {"5.", 5},        {"1e3k", 1e6}};
  for (const auto& [text, value] : good) {
    INFO(text);
    REQUIRE(parse_number(text));
    CHECK(*parse_number(text) == value);
  }
  for (const char* text :
       {"",    "+",   "-",    "x",     "1x",     "1 k", " 1",  "1 ",  "4KI", "4ki", "1,5", "0x10",
        "nan", "inf", "-inf", "1e400", "1e308T", "+-5", "++5", "1kk", "k",   "1e",  "--1"}) {
    INFO(text);
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("numbers: is a byte count its own shortest text, read back exactly?") {
  CHECK(readable_bytes(0) == "0");
  CHECK(readable_bytes(1000) == "1000");
  CHECK(readable_bytes(4096) == "4Ki");
  CHECK(readable_bytes(1536) == "1536");
  CHECK(readable_bytes(3. * 1024 * 1024 * 1024) == "3Gi");
  std::mt19937_64 random(11);
  for (int i = 0; i < 5000; ++i) {
    const double bytes = std::floor(std::ldexp(1., static_cast<int>(random() % 53)) *
                                    (1 + static_cast<double>(random() % 1024) / 1024));
    INFO(readable_bytes(bytes));
    REQUIRE(parse_number(readable_bytes(bytes)));
    CHECK(*parse_number(readable_bytes(bytes)) == bytes);
  }
}
