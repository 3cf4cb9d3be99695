// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_check.hpp"

#include "core/claim_data.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"

using namespace hpclab;
using namespace hpclab::test;

namespace {

// The demo study with what else a claim can look at: a word, work, and a table. Its time is n/rate,
// with an interval of +- 10 %; measured it is 1.25 times that.
Study told_study() {
  Study study = demo_study();
  study.model = [plain = study.model](const Json& p, Context& context) {
    Result result = plain(p, context);
    result.set_text("bound", "steps of the staircase");
    result.set_work("flops", 3.0 * p["n"].get<double>());
    result.set_table("levels", {{"level", "size_bytes"},
                                {"", "bytes"},
                                {{"l1", 32768}, {"l2", 1048576}, {"l2", 7}, {"l3", 9}}});
    return result;
  };
  return study;
}

Registry told_registry() {
  Registry registry;
  registry.add(told_study());
  registry.set_backend_check(
      Backend::cuda, [] { return std::optional(NotAvailable("no driver", "install one")); });
  return registry;
}

// The outcome of a claim about 4 steps at 2 steps/s, changed as stated.
std::vector<ClaimOutcome> outcomes_of(const Json& changes, ClaimCheckOptions options = {}) {
  static const Registry registry = told_registry();
  Json claim = {{"id", "c"},
                {"parameters", {{"n", 4}}},
                {"ours", "values.time_s"},
                {"expected", 2},
                {"tolerance", "exact"},
                {"source", "division"},
                {"kind", "closed form"}};
  claim.update(changes);
  const Json file = {{"lab", "demo"}, {"study", "steps"}, {"claims", Json::array({claim})}};
  return check_claims(claims_from_json(file, registry, "demo.json"), registry, options);
}

ClaimOutcome outcome_of(const Json& changes, const ClaimCheckOptions& options = {}) {
  return outcomes_of(changes, options).front();
}

ClaimVerdict verdict_of(const Json& expected, const Json& tolerance) {
  return outcome_of({{"expected", expected}, {"tolerance", tolerance}}).verdict;
}

}  // namespace

TEST_CASE("claim check: is each tolerance met at its edge and not met beyond it?") {
  constexpr auto met = ClaimVerdict::met;
  constexpr auto not_met = ClaimVerdict::not_met;
  CHECK(verdict_of(2, "exact") == met);
  CHECK(verdict_of(2.0000001, "exact") == not_met);
  CHECK(verdict_of(2.5, {{"absolute", 0.5}}) == met);
  CHECK(verdict_of(2.5, {{"absolute", 0.49}}) == not_met);
  CHECK(verdict_of(1.6, {{"relative", 0.25001}}) == met);  // 2 is 25 % above 1.6
  CHECK(verdict_of(1.6, {{"relative", 0.24999}}) == not_met);
  CHECK(verdict_of(-1.6, {{"relative", 0.5}}) == not_met);
  CHECK(verdict_of(2, "at_least") == met);
  CHECK(verdict_of(2.1, "at_least") == not_met);
  CHECK(verdict_of(2, "at_most") == met);
  CHECK(verdict_of(1.9, "at_most") == not_met);
  CHECK(verdict_of({2, 3}, "within") == met);
  CHECK(verdict_of({1, 2}, "within") == met);
  CHECK(verdict_of({2.1, 3}, "within") == not_met);
  // The interval is 1.8 to 2.2: a standard error of 0.2 / 1.96.
  CHECK(verdict_of(2.3, {{"standard_errors", 3}}) == met);
  CHECK(verdict_of(2.31, {{"standard_errors", 3}}) == not_met);
}

TEST_CASE("claim check: is the error ours over expected less one, and that to the near end?") {
  CHECK(*outcome_of({{"expected", 1.6}}).error_ratio == Approx(0.25));
  CHECK(*outcome_of({{"expected", 2.5}}).error_ratio == Approx(-0.2));
  CHECK_FALSE(outcome_of({{"expected", 0}}).error_ratio);
  CHECK(*outcome_of({{"expected", {2.5, 4}}, {"tolerance", "within"}}).error_ratio == Approx(-0.2));
  CHECK(*outcome_of({{"expected", {1, 1.6}}, {"tolerance", "within"}}).error_ratio == Approx(0.25));
}

TEST_CASE("claim check: are texts, work and cells of tables found, and what is absent named?") {
  CHECK(outcome_of({{"ours", "text.bound"}, {"expected", "steps of the staircase"}}).verdict ==
        ClaimVerdict::met);
  CHECK(outcome_of({{"ours", "text.bound"}, {"expected", "stair"}, {"tolerance", "contains"}})
            .verdict == ClaimVerdict::met);
  CHECK(outcome_of({{"ours", "text.bound"}, {"expected", "stair"}}).verdict ==
        ClaimVerdict::not_met);
  CHECK(outcome_of({{"ours", "work.flops"}, {"expected", 12}}).verdict == ClaimVerdict::met);
  const auto cell = [](const Json& row, const std::string& column = "size_bytes") {
    return outcome_of(
        {{"ours", {{"address", "tables.levels." + column}, {"row", row}}}, {"expected", 32768}});
  };
  CHECK(cell({{"level", "l1"}}).verdict == ClaimVerdict::met);
  CHECK(contains(cell({{"level", "l2"}}).reason, "several rows fit"));
  CHECK(contains(cell({{"level", "l4"}}).reason, "no row fits"));
  CHECK(contains(cell({{"levle", "l1"}}).reason, "did you mean 'level'"));
  CHECK(contains(cell({{"level", "l1"}}, "size").reason, "did you mean 'size_bytes'"));
  CHECK(contains(outcome_of({{"ours", "work.flop"}}).reason, "did you mean 'flops'"));
  CHECK(contains(outcome_of({{"ours", "text.bound"}}).reason, "is string, expected is number"));
}

TEST_CASE("claim check: is ours divided by a number, by its neighbour, or by another case?") {
  CHECK(outcome_of({{"over", 4}, {"expected", 0.5}}).verdict == ClaimVerdict::met);
  CHECK(outcome_of({{"ours", "work.flops"}, {"over", "values.time_s"}, {"expected", 6}}).verdict ==
        ClaimVerdict::met);
  const Json other = {{"address", "values.time_s"}, {"parameters", {{"n", 1}}}};
  const ClaimOutcome outcome = outcome_of({{"over", other}, {"expected", 4}});
  CHECK(outcome.verdict == ClaimVerdict::met);
  CHECK(outcome.ours == 4.0);
  // Both sides are uncertain by 5.1 %: together 7.2 %.
  const auto quotient = [&](double expected) {
    return outcome_of(
               {{"over", other}, {"expected", expected}, {"tolerance", {{"standard_errors", 1}}}})
        .verdict;
  };
  CHECK(quotient(4.28) == ClaimVerdict::met);
  CHECK(quotient(4.30) == ClaimVerdict::not_met);
}

TEST_CASE("claim check: is what is not there skipped with the reason, and a failed case not met?") {
  ClaimOutcome outcome = outcome_of({{"needs", {{"gpu", true}}}});
  CHECK(outcome.verdict == ClaimVerdict::skipped);
  CHECK(outcome.reason == "needs a GPU: no driver");
  outcome = outcome_of({{"method", "measure"}, {"backend", "cuda"}});
  CHECK(outcome.reason == "needs a GPU: no driver");
  outcome = outcome_of({{"needs", {{"data", {"none/such.txt"}}}}});
  CHECK(outcome.reason == "data file is missing: none/such.txt");
  outcome = outcome_of({{"parameters", {{"input", "none.txt"}}}});
  CHECK(outcome.reason == "data file is missing: none.txt");
  outcome = outcome_of({{"parameters", {{"fault", "skipped"}}}});
  CHECK(outcome.verdict == ClaimVerdict::skipped);
  CHECK(outcome.reason == "does not apply here");
  outcome = outcome_of({{"parameters", {{"fault", "failed"}}}});
  CHECK(outcome.verdict == ClaimVerdict::not_met);
  CHECK(outcome.reason == "the case failed: outside the validity range");
  ClaimCheckOptions simulations;
  simulations.methods = {Method::simulate};
  CHECK(outcome_of(Json::object(), simulations).reason == "method model is not asked for");
}

TEST_CASE("claim check: does a known miss keep its reason, and a mark that became untrue fail?") {
  ClaimOutcome outcome = outcome_of({{"expected", 3}, {"not_met", "the stairs are worn"}});
  CHECK(outcome.verdict == ClaimVerdict::known_not_met);
  CHECK(outcome.reason == "the stairs are worn");
  outcome = outcome_of({{"not_met", "the stairs are worn"}});
  CHECK(outcome.verdict == ClaimVerdict::not_met);
  CHECK(contains(outcome.reason, "it is met, but marked as not met"));
  // A measurement may pass by luck.
  outcome = outcome_of({{"method", "measure"},
                        {"backend", "cpu"},
                        {"expected", 2.5},
                        {"not_met", "the stairs are worn"}});
  CHECK(outcome.verdict == ClaimVerdict::met);
}

TEST_CASE("claim check: is the expected number read from its line, field and factor?") {
  FixtureRoot root;
  root.file("log/a.txt", "# n  t\n 4   5  2000\n 40  5  9\n 4 6 x\n");
  ClaimCheckOptions options;
  options.data_folders = {root.path() / "none", root.path()};
  const auto look = [&](const std::string& line, int column) {
    return outcome_of(
        {{"expected",
          {{"file", "log/a.txt"}, {"line", line}, {"column", column}, {"factor", 0.001}}}},
        options);
  };
  CHECK(look("4 5", 3).verdict == ClaimVerdict::met);
  CHECK(look("4 5", 3).expected == 2.0);
  CHECK(contains(look("4", 3).reason, "several lines start with '4'"));
  CHECK(contains(look("5", 3).reason, "no line starts with '5'"));
  CHECK(contains(look("4 6", 3).reason, "field 3 of the line '4 6 ...' is no number"));
  CHECK(contains(look("4 5", 4).reason, "is no number"));
}

TEST_CASE("claim check: is a parameter without effect an error, and a case run once for many?") {
  CHECK(contains(error_of([] {
                   outcome_of({{"parameters", {{"warm", true}}}});
                 }),
                 "claim c of demo steps: parameter 'warm' has no effect here"));
  ClaimCheckOptions options;
  std::size_t cases = 0;
  options.progress = [&](std::size_t, std::size_t total) { cases = total; };
  const auto outcomes =
      outcomes_of({{"for_each", {{"n", {4, 4, 8}}}}, {"expected", {2, 3, 4}}}, options);
  CHECK(cases == 2);
  CHECK(outcomes[0].verdict == ClaimVerdict::met);
  CHECK(outcomes[1].verdict == ClaimVerdict::not_met);
  CHECK(outcomes[2].verdict == ClaimVerdict::met);
}
