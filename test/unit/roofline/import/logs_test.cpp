// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Recognition of formats, and every reader under random damage.
#include "roofline/import/log.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fixture_root.hpp"
#include "support/mutation.hpp"
#include "support/packed.hpp"
#include "support/text.hpp"
#include "unit/roofline/import/samples.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace hpclab;
using namespace hpclab::test;
using roofline::import::Launches;
using roofline::import::Log;
using roofline::import::Point;

namespace {

// A log that could be read holds finite numbers and unique names, or the reader let damage through.
std::string fault_of(const Log& log) {
  std::set<std::string> names;
  for (const Point& point : log.points) {
    if (!names.insert(point.name).second) return "the name '" + point.name + "' is there twice";
    std::vector<double> numbers{point.time_s.value, point.flops, point.dof, point.latency_s};
    for (const auto& [level, bytes] : point.bytes) numbers.push_back(bytes);
    for (const auto& [figure, value] : point.figures) numbers.push_back(value);
    for (const auto& [name, value] : point.further_values) numbers.push_back(value);
    for (const double number : numbers) {
      if (!std::isfinite(number))
        return "point '" + point.name + "' has a number that is not finite";
    }
    if (point.latency_s == 0 && point.time_s.value <= 0) return "no time";
    if (point.flops < 0 || point.dof < 0) return "negative work";
    contradictions_of(point);
  }
  return log.points.empty() ? "no point" : "";
}

}  // namespace

TEST_CASE("logs: is the format of every sample recognised, plain, packed and named?") {
  for (const auto& [format, text] : all_samples()) {
    INFO(format << "\n" << text);
    CHECK(log_of(text).format == format);
    CHECK(log_of("some words before\n\n" + text).format == format);
    CHECK(log_of(as_gz(text)).format == format);
    CHECK(log_of(as_zst(text)).points.size() == log_of(text, format).points.size());
    CHECK(fault_of(log_of(text)).empty());
  }
}

TEST_CASE("logs: does an unknown file list the known formats, and a wrong format say so?") {
  const std::string message = usage_error_of([] { log_of("hello\nworld\n"); });
  CHECK(contains(message, "f: none of its first 2 lines is of a known log format; known are\n"));
  for (const auto& [format, text] : all_samples()) CHECK(contains(message, "\n  " + format));
  CHECK(usage_error_of([] { log_of(""); }) == "f: the file is empty");
  CHECK(contains(usage_error_of([] { log_of(nekrs_log, "nekr"); }),
                 "unknown log format 'nekr'; did you mean 'nekrs'?"));
  for (const auto& [format, text] : all_samples()) {
    if (format == "nekrs") continue;
    INFO(format);
    CHECK(contains(usage_error_of([&, name = format] { log_of(nekrs_log, name); }), "f"));
  }
}

TEST_CASE("logs: is a file read again when it has changed?") {
  FixtureRoot root;
  root.file("a.log", nekrs_log);
  CHECK(read_log(root.path() / "a.log", "auto", Launches::together)->points.size() == 2);
  root.file("a.log", nekrs_log + nekrs_log);
  CHECK(read_log(root.path() / "a.log", "auto", Launches::together)->points.size() == 4);
}

TEST_CASE("logs: is a number that leaves the range of doubles an error with its line?") {
  std::string huge = babelstream_text;
  huge.replace(huge.find("268.4 MB"), 8, "1e308 MB");
  CHECK(contains(usage_error_of([&] { log_of(huge); }), "numbers are too large or too small"));
}

// HPCLAB_FUZZ sets how many mutations each reader gets; the sanitizer build runs 100,000.
TEST_CASE("logs mutations: does each damaged sample give sound points or an error with its line?") {
  std::map<std::string, std::vector<std::string>> samples;
  // Long sweeps are cut: what is damaged is a row, and rows are alike.
  for (const auto& [format, sample] : all_samples())
    samples[format].push_back(sample.substr(0, 1500));
  const int count = mutation_count(500);
  unsigned seed = 100;
  for (const auto& [format, texts] : samples) {
    Mutator mutator(seed++);
    int good = 0;
    for (int i = 0; i < count; ++i) {
      const std::string& text = texts[static_cast<std::size_t>(i) % texts.size()];
      const std::string damaged = mutator.mutated(text);
      try {
        const std::string fault = fault_of(log_of(damaged, i % 4 < 2 ? "auto" : format));
        if (!fault.empty()) FAIL(format << " mutation " << i << ": " << fault << "\n" << damaged);
        ++good;
      } catch (const UsageError& error) {
        if (std::string(error.what()).rfind("f", 0) != 0) FAIL("no place in: " << error.what());
      } catch (const std::exception& error) {
        FAIL(format << " mutation " << i << ": " << error.what() << "\n" << damaged);
      }
    }
    INFO(format);
    CHECK(good > count / 100);  // damage must reach the numbers, not die at the first line
  }
}
