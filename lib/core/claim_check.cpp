// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/claim_check.hpp"

#include "core/claim_data.hpp"
#include "core/error.hpp"
#include "core/experiment.hpp"
#include "core/runner.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

// A figure with what its comparison needs.
struct Figure {
  Json value;
  double standard_error = 0;  // 0 where the comparison asks for none
};

class Checker {
 public:
  Checker(const std::vector<Claim>& claims, const Registry& registry,
          const ClaimCheckOptions& options)
      : claims_(claims), registry_(registry), options_(options), plans_(claims.size()) {}

  std::vector<ClaimOutcome> check() {
    for (std::size_t i = 0; i < claims_.size(); ++i) plan(claims_[i], plans_[i]);
    run();
    std::vector<ClaimOutcome> outcomes;
    for (std::size_t i = 0; i < claims_.size(); ++i)
      outcomes.push_back(judge(claims_[i], plans_[i]));
    return outcomes;
  }

 private:
  struct Plan {
    std::string ours;         // ids of the cases
    std::string over;         // likewise, or empty
    std::string skip_reason;  // nothing is run when there is one
  };

  void plan(const Claim& claim, Plan& plan) {
    plan.skip_reason = why_skipped(claim);
    if (!plan.skip_reason.empty()) return;
    plan.ours = case_of(claim, claim.ours);
    if (claim.over) plan.over = case_of(claim, *claim.over);
  }

  std::string why_skipped(const Claim& claim) const {
    std::vector<const ClaimTerm*> terms{&claim.ours};
    if (claim.over) terms.push_back(&*claim.over);
    bool gpu = claim.needs_gpu.has_value();
    std::vector<std::string> files = claim.needs_data;
    if (claim.expected_in) files.push_back(claim.expected_in->path);
    for (const ClaimTerm* term : terms) {
      const ClaimCase& of = term->of;
      if (!options_.methods.empty() && std::find(options_.methods.begin(), options_.methods.end(),
                                                 of.method) == options_.methods.end()) {
        return fmt::format("method {} is not asked for", name_of(of.method));
      }
      if (of.backend == Backend::cuda) {
        gpu = true;
      } else if (of.backend) {
        if (const auto why = registry_.why_not(*of.backend)) return why->reason();
      }
      for (const auto& [name, value] : of.parameters.items()) {
        if (is_file(of, name)) files.push_back(value.get<std::string>());
      }
    }
    if (gpu) {
      if (const auto why = registry_.why_not(Backend::cuda)) return "needs a GPU: " + why->reason();
      if (const std::string name = claim.needs_gpu.value_or("");
          options_.gpu_name.find(name) == std::string::npos) {
        return fmt::format("needs a GPU of the name {}; this one is {}", name, options_.gpu_name);
      }
    }
    for (const std::string& file : files) {
      if (!find_data(file, options_.data_folders)) return "data file is missing: " + file;
    }
    return "";
  }

  static bool is_file(const ClaimCase& of, const std::string& parameter) {
    return find_parameter(of.study->parameters, parameter, "claim").type == ParameterType::file;
  }

  // The one case of a term; the id under which its record will be found.
  std::string case_of(const Claim& claim, const ClaimTerm& term) {
    const ClaimCase& of = term.of;
    std::vector<Experiment> experiments(1);
    Experiment& experiment = experiments.front();
    experiment.study = of.study;
    experiment.methods = {of.method};
    if (of.backend) experiment.backends = {*of.backend};
    if (!of.machine.empty()) experiment.machines = {of.machine};
    experiment.seed = of.seed;
    for (const auto& [name, value] : of.parameters.items()) {
      Json resolved = value;
      if (is_file(of, name)) {
        resolved = find_data(value.get<std::string>(), options_.data_folders)->string();
      }
      experiment.set_axis(name, {std::move(resolved)});
    }
    ExpansionOptions expansion;
    expansion.find_machine = options_.find_machine;
    expansion.skip_unavailable = true;
    const std::string where =
        fmt::format("claim {} of {} {}", claim.id, of.study->lab, of.study->name);
    try {
      CaseList list = expand(experiments, registry_, expansion);
      if (!list.unused.empty()) {
        throw UsageError(
            fmt::format("parameter '{}' has no effect here: it does not apply to the "
                        "case",
                        list.unused.front()));
      }
      Case& found = list.cases.front();
      std::string id = found.id;
      if (planned_.insert(id).second) cases_.push_back(std::move(found));
      return id;
    } catch (const UsageError& error) {
      throw UsageError(where + ": " + error.what());
    }
  }

  void run() {
    std::stable_partition(cases_.begin(), cases_.end(),
                          [](const Case& c) { return c.method != Method::measure; });
    RunOptions options;
    options.jobs = options_.jobs;
    options.stop = options_.stop;
    options.progress = options_.progress;
    options.whole_records = true;
    options.take_record = [&](const Json& record) { records_[record["id"]] = record; };
    if (run_cases(cases_, options).interrupted) throw Interrupted();
  }

  ClaimOutcome judge(const Claim& claim, const Plan& plan) const {
    ClaimOutcome outcome;
    outcome.expected = claim.expected;
    outcome.reason = plan.skip_reason;
    if (!plan.skip_reason.empty()) return outcome;
    try {
      if (claim.expected_in) {
        outcome.expected = number_in_file(
            *find_data(claim.expected_in->path, options_.data_folders), *claim.expected_in);
      }
      const Figure figure = figure_of(claim, plan);
      outcome.ours = figure.value;
      const Json& sample = outcome.expected.is_array() ? outcome.expected[0] : outcome.expected;
      if (outcome.ours.is_number() != sample.is_number()) {
        throw CaseFailed(fmt::format("{} is {}, expected is {}", claim.ours.address.text(),
                                     outcome.ours.type_name(), sample.type_name()));
      }
      const ClaimMatch match =
          compare(outcome.ours, outcome.expected, claim.tolerance, figure.standard_error);
      outcome.error_ratio = match.error_ratio;
      outcome.verdict = match.met ? ClaimVerdict::met : ClaimVerdict::not_met;
    } catch (const CaseSkipped& skipped) {
      outcome.reason = skipped.what();
      return outcome;
    } catch (const CaseFailed& failed) {
      outcome.verdict = ClaimVerdict::not_met;
      outcome.reason = failed.what();
    }
    apply_mark(claim, outcome);
    return outcome;
  }

  // What is known not to be met stays visible with its reason. A mark that has become untrue is an
  // error where the answer is the same every time; a measurement may pass by luck.
  static void apply_mark(const Claim& claim, ClaimOutcome& outcome) {
    if (claim.known_not_met.empty()) return;
    if (outcome.verdict == ClaimVerdict::not_met) {
      outcome.verdict = ClaimVerdict::known_not_met;
      outcome.reason = claim.known_not_met + (outcome.reason.empty() ? "" : "; " + outcome.reason);
    } else if (claim.ours.of.method != Method::measure) {
      outcome.verdict = ClaimVerdict::not_met;
      outcome.reason = "it is met, but marked as not met: " + claim.known_not_met;
    }
  }

  const Json& record_of(const std::string& id) const {
    const Json& record = records_.at(id);
    const auto& status = record["status"].get_ref<const std::string&>();
    if (status == "skipped") throw CaseSkipped(record["reason"].get<std::string>());
    if (status == "failed")
      throw CaseFailed("the case failed: " + record["reason"].get<std::string>());
    return record;
  }

  Figure figure_of(const Claim& claim, const Plan& plan) const {
    Figure figure = figure_of(claim.ours, plan.ours, claim.tolerance);
    if (!claim.over && claim.divisor == 1) return figure;
    Figure divisor{Json(claim.divisor), 0};
    if (claim.over) divisor = figure_of(*claim.over, plan.over, claim.tolerance);
    for (const Figure* part : {&figure, &divisor}) {
      if (!part->value.is_number()) throw CaseFailed("a text is not divided");
    }
    const double below = divisor.value.get<double>();
    if (below == 0) throw CaseFailed(claim.over->address.text() + " is 0");
    const double ratio = figure.value.get<double>() / below;
    // Independent errors: relative variances add.
    return {Json(ratio),
            std::hypot(figure.standard_error, ratio * divisor.standard_error) / std::abs(below)};
  }

  Figure figure_of(const ClaimTerm& term, const std::string& id,
                   const ClaimTolerance& tolerance) const {
    const Json& record = record_of(id);
    Figure figure{figure_at(record, term.address), 0};
    if (tolerance.rule == ClaimTolerance::Rule::standard_errors)
      figure.standard_error = standard_error_at(record, term.address);
    return figure;
  }

  const std::vector<Claim>& claims_;
  const Registry& registry_;
  const ClaimCheckOptions& options_;
  std::vector<Plan> plans_;
  std::vector<Case> cases_;
  std::unordered_set<std::string> planned_;
  std::unordered_map<std::string, Json> records_;
};

}  // namespace

std::string name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::met:
      return "met";
    case ClaimVerdict::not_met:
      return "not met";
    case ClaimVerdict::known_not_met:
      return "known not met";
    case ClaimVerdict::skipped:
      return "skipped";
  }
  return "?";
}

std::vector<ClaimOutcome> check_claims(const std::vector<Claim>& claims, const Registry& registry,
                                       const ClaimCheckOptions& options) {
  return Checker(claims, registry, options).check();
}

}  // namespace hpclab
