// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/comparison.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/record_samples.hpp"

#include <random>

using namespace hpclab;
using namespace hpclab::decisions;

namespace {

// One file a process; each holds the case with a time drawn around `centre`.
Side processes(const test::RecordFolder& folder, const std::string& name, int count, double centre,
               double spread, unsigned seed, int samples = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0.0, spread);
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < count; ++i) {
    test::RecordText text(name + std::to_string(i));
    std::vector<double> drawn;
    for (int s = 0; s < samples; ++s) drawn.push_back(centre * std::exp(normal(random)));
    text.add_measured({{"threads", 1}}, centre * std::exp(normal(random)), drawn);
    files.push_back(folder.write(name + std::to_string(i) + ".jsonl", text.end()));
  }
  return read_side(files);
}

Verdict verdict(const Side& a, const Side& b) {
  const Comparison comparison = compare(a, b, {});
  REQUIRE(comparison.cases.size() == 1);
  return comparison.cases[0].verdict;
}

}  // namespace

TEST_CASE("do processes that are clearly slower, faster, equal or few get the right verdict") {
  const test::RecordFolder folder;
  const Side base = processes(folder, "base", 8, 1.0, 0.001, 1);
  CHECK(verdict(base, processes(folder, "slow", 8, 1.03, 0.001, 2)) == Verdict::slow);
  CHECK(verdict(base, processes(folder, "fast", 8, 0.97, 0.001, 3)) == Verdict::fast);
  CHECK(verdict(base, processes(folder, "same", 8, 1.0, 0.001, 4)) == Verdict::same);
  CHECK(verdict(base, processes(folder, "wild", 8, 1.0, 0.1, 5)) == Verdict::unsure);
  CHECK(verdict(base, processes(folder, "few", 4, 1.5, 0.001, 6)) == Verdict::unsure);
}

TEST_CASE("does a pair of single processes rest on samples, and say so") {
  const test::RecordFolder folder;
  const Side a = processes(folder, "a", 1, 1.0, 0.001, 1, 20);
  const Side b = processes(folder, "b", 1, 1.05, 0.001, 2, 20);
  const Comparison comparison = compare(a, b, {});
  CHECK(comparison.cases[0].verdict == Verdict::slow);
  CHECK(comparison.cases[0].basis == Basis::samples);
  CHECK(comparison.cases[0].remark == "single process");
  CHECK(*comparison.cases[0].slowdown == Catch::Approx(0.05).margin(0.003));
  const Side nine = processes(folder, "nine", 1, 1.05, 0.001, 3, 9);
  CHECK(compare(a, nine, {}).cases[0].verdict == Verdict::unsure);
}

TEST_CASE("is the same file on both sides the same measurement") {
  const test::RecordFolder folder;
  const Side a = processes(folder, "a", 1, 1.0, 0.1, 1, 20);
  const Comparison comparison = compare(a, a, {});
  CHECK(comparison.cases[0].verdict == Verdict::same);
  CHECK(comparison.cases[0].basis == Basis::same_record);
  REQUIRE(comparison.warnings.size() == 1);
  CHECK(beyond_gate(comparison, 0.0).empty());
}

TEST_CASE("are false alarms of equal sides at most 1 % over many cases together") {
  // 300 comparisons of 12 equal cases: alarms among all cases of one comparison count once.
  std::mt19937_64 random(21);
  std::normal_distribution<double> normal(0.0, 0.02);
  int alarms = 0;
  constexpr int trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> p;
    for (int c = 0; c < 12; ++c) {
      std::vector<double> a(8);
      std::vector<double> b(8);
      for (double& value : a) value = std::exp(normal(random));
      for (double& value : b) value = std::exp(normal(random));
      p.push_back(weigh(a, b, 0.01).p_value);
    }
    const std::vector<double> holm = holm_adjusted(p);
    alarms += std::any_of(holm.begin(), holm.end(), [](double x) { return x <= 0.01; });
  }
  CHECK(alarms <= 9);  // 3 expected at most; 10 or more has probability 0.001
}

TEST_CASE("does a higher value that falls count as slower") {
  const test::RecordFolder folder;
  test::RecordText a("a");
  test::RecordText b("b");
  a.add_predicted({{"threads", 1}}, {{"bandwidth_bytes_per_s", 100.0}});
  b.add_predicted({{"threads", 1}}, {{"bandwidth_bytes_per_s", 90.0}});
  const Side left = read_side({folder.write("a.jsonl", a.end())});
  const Side right = read_side({folder.write("b.jsonl", b.end())});
  const Comparison comparison = compare(left, right, {});
  CHECK(comparison.cases[0].verdict == Verdict::slow);
  CHECK(comparison.cases[0].basis == Basis::exact);
  CHECK(*comparison.cases[0].slowdown == Catch::Approx(100.0 / 90.0 - 1.0));
  CHECK(beyond_gate(comparison, 0.1).size() == 1);
  CHECK(beyond_gate(comparison, 0.2).empty());
}

TEST_CASE("does a case that failed on the other side break the gate") {
  const test::RecordFolder folder;
  test::RecordText a("a");
  test::RecordText b("b");
  a.add_predicted({{"threads", 1}}, {{"time_s", 1.0}});
  b.add_failed({{"threads", 1}}, "out of memory");
  const Comparison comparison = compare(read_side({folder.write("a.jsonl", a.end())}),
                                        read_side({folder.write("b.jsonl", b.end())}), {});
  CHECK(comparison.cases[0].broke);
  CHECK(comparison.cases[0].remark == "B: failed: out of memory");
  CHECK(beyond_gate(comparison, 1.0).size() == 1);
}

TEST_CASE("is the parameter named that keeps cases apart, and joined over when ignored") {
  const test::RecordFolder folder;
  test::RecordText a("a");
  test::RecordText b("b");
  a.add_predicted({{"threads", 1}, {"variant", "old"}}, {{"time_s", 1.0}});
  b.add_predicted({{"threads", 1}, {"variant", "new"}}, {{"time_s", 0.5}});
  const Side left = read_side({folder.write("a.jsonl", a.end())});
  const Side right = read_side({folder.write("b.jsonl", b.end())});
  const std::string message = test::usage_error_of([&] { compare(left, right, {}); });
  CHECK(message.find("variant: \"old\" in A, \"new\" in B") != std::string::npos);
  ComparisonOptions options;
  options.ignored = {"variant"};
  CHECK(compare(left, right, options).cases[0].verdict == Verdict::fast);
  options.ignored = {"varient"};
  CHECK(test::usage_error_of([&] {
          compare(left, right, options);
        }).find("did you mean 'variant'") != std::string::npos);
}

TEST_CASE("are differing machines, compilers and clocks told, and loads not") {
  const test::RecordFolder folder;
  test::RecordText a("a", {{"hpclab", {{"compiler", "GNU 12"}}},
                           {"machine", {{"cpu", {{"model_name", "X"}}}, {"load", 1}}}});
  test::RecordText b("b", {{"hpclab", {{"compiler", "GNU 13"}}},
                           {"machine", {{"cpu", {{"model_name", "X"}}}, {"load", 2}}}});
  a.add_predicted({{"threads", 1}}, {{"time_s", 1.0}});
  b.add_predicted({{"threads", 1}}, {{"time_s", 1.0}});
  const auto lines = provenance_differences(read_side({folder.write("a.jsonl", a.end())}),
                                            read_side({folder.write("b.jsonl", b.end())}));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "hpclab/compiler: GNU 12 in A, GNU 13 in B");
}
