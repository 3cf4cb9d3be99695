// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/comparison.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "decisions/join.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::decisions {
namespace {

Centre95 centre_of(const std::vector<ProcessFigure>& figures) {
  std::vector<double> values;
  for (const ProcessFigure& figure : figures) values.push_back(figure.value);
  const MedianEstimate estimate = estimate_median_in_place(values);
  return {estimate.median, estimate.interval};
}

bool all_positive(const std::vector<ProcessFigure>& figures) {
  return std::all_of(figures.begin(), figures.end(),
                     [](const ProcessFigure& figure) { return figure.value > 0.0; });
}

std::vector<double> process_costs(const std::vector<ProcessFigure>& figures, bool higher) {
  std::vector<double> costs;
  for (const ProcessFigure& figure : figures)
    costs.push_back(higher ? 1.0 / figure.value : figure.value);
  return costs;
}

std::vector<double> pooled_samples(const std::vector<ProcessFigure>& figures) {
  std::vector<double> costs;
  for (const ProcessFigure& figure : figures)
    costs.insert(costs.end(), figure.costs.begin(), figure.costs.end());
  return costs;
}

// The very same process measured both sides: a file against itself.
bool same_records(const Side& a, const SideCase& x, const Side& b, const SideCase& y) {
  if (x.figures.size() != y.figures.size()) return false;
  for (std::size_t i = 0; i < x.figures.size(); ++i) {
    if (a.run_ids[x.figures[i].run] != b.run_ids[y.figures[i].run] ||
        x.figures[i].value != y.figures[i].value)
      return false;
  }
  return true;
}

std::string few_processes(const SideCase& x, const SideCase& y) {
  const std::size_t fewer = std::min(x.figures.size(), y.figures.size());
  return fewer == 1 ? "single process" : fmt::format("{} processes only", fewer);
}

class Judge {
 public:
  Judge(const Side& a, const Side& b, const ComparisonOptions& options)
      : a_(a), b_(b), options_(options) {}

  // Everything but the verdict of tested cases, which waits for the adjusted p.
  ComparedCase look_at(std::uint32_t index_a, std::uint32_t index_b) const {
    ComparedCase result;
    result.a = index_a;
    result.b = index_b;
    const SideCase& x = a_.cases[index_a];
    const SideCase& y = b_.cases[index_b];
    result.processes_a = static_cast<std::uint32_t>(x.figures.size());
    result.processes_b = static_cast<std::uint32_t>(y.figures.size());
    if (!x.figures.empty()) result.value_a = centre_of(x.figures);
    if (!y.figures.empty()) result.value_b = centre_of(y.figures);
    if (x.figures.empty() || y.figures.empty()) {
      result.broke = !x.figures.empty() && y.failed;
      result.remark = x.figures.empty() ? "A: " + x.trouble : "B: " + y.trouble;
      return result;
    }
    const Quantity& quantity = a_.quantities[x.quantity];
    if (!(quantity == b_.quantities[y.quantity])) {
      result.remark =
          fmt::format("A has {}, B has {}", quantity.name, b_.quantities[y.quantity].name);
      return result;
    }
    const double sign = quantity.higher_is_better ? -1.0 : 1.0;
    const bool positive = all_positive(x.figures) && all_positive(y.figures);
    if (positive) {
      result.slowdown = relative_change(
          sign * (std::log(result.value_b.median) - std::log(result.value_a.median)));
    }
    if (same_records(a_, x, b_, y)) {
      result.basis = Basis::same_record;
      result.verdict = Verdict::same;
      result.remark = "the same measurement";
    } else if (!a_.groups[x.group].measured()) {
      judge_exact(sign, result);
    } else if (!positive) {
      result.remark = "a value is not positive: no relative change";
    } else {
      test(x, y, quantity.higher_is_better, result);
    }
    return result;
  }

 private:
  void judge_exact(double sign, ComparedCase& result) const {
    result.basis = Basis::exact;
    const double difference = sign * (result.value_b.median - result.value_a.median);
    const double scale = std::max(std::abs(result.value_a.median), std::abs(result.value_b.median));
    if (std::abs(difference) <= options_.rule.margin * scale) {
      result.verdict = Verdict::same;
    } else {
      result.verdict = difference > 0.0 ? Verdict::slow : Verdict::fast;
    }
  }

  void test(const SideCase& x, const SideCase& y, bool higher, ComparedCase& result) const {
    const double level = options_.rule.level;
    if (std::min(x.figures.size(), y.figures.size()) >= fewest_processes) {
      result.basis = Basis::processes;
      result.evidence =
          weigh(process_costs(x.figures, higher), process_costs(y.figures, higher), level);
    } else {
      const std::vector<double> samples_a = pooled_samples(x.figures);
      const std::vector<double> samples_b = pooled_samples(y.figures);
      result.remark = few_processes(x, y);
      if (std::min(samples_a.size(), samples_b.size()) < fewest_samples) {
        result.remark +=
            fmt::format(" with {} against {} samples: too few", samples_a.size(), samples_b.size());
        return;
      }
      result.basis = Basis::samples;
      result.evidence = weigh(samples_a, samples_b, level);
    }
    result.slowdown = relative_change(result.evidence->log_cost.estimate);
  }

  const Side& a_;
  const Side& b_;
  const ComparisonOptions& options_;
};

std::vector<double> adjusted(const std::vector<double>& p_values, Adjustment adjustment) {
  switch (adjustment) {
    case Adjustment::holm:
      return holm_adjusted(p_values);
    case Adjustment::benjamini_hochberg:
      return benjamini_hochberg_adjusted(p_values);
    case Adjustment::none:
      break;
  }
  return p_values;
}

// So few processes that no difference, however large, could be told over this many cases.
void warn_of_powerless_tests(Comparison& comparison, const ComparisonOptions& options) {
  for (const ComparedCase& c : comparison.cases) {
    if (c.basis != Basis::processes || options.adjustment != Adjustment::holm) continue;
    const auto smallest = [&](std::size_t n) {
      return static_cast<double>(comparison.tests) * smallest_rank_test_p(n, n);
    };
    std::size_t n = std::min(c.processes_a, c.processes_b);
    if (smallest(n) <= options.rule.level) return;
    const std::size_t present = n;
    while (smallest(n) > options.rule.level) ++n;
    comparison.warnings.push_back(
        fmt::format("{} processes a side cannot show a difference over {} cases at once; {} would",
                    present, comparison.tests, n));
    return;
  }
}

}  // namespace

std::string name_of(Adjustment adjustment) {
  switch (adjustment) {
    case Adjustment::holm:
      return "holm";
    case Adjustment::benjamini_hochberg:
      return "benjamini-hochberg";
    case Adjustment::none:
      return "none";
  }
  return "?";
}

Adjustment parse_adjustment(const std::string& name, const std::string& where) {
  std::vector<std::string> names;
  for (const Adjustment one :
       {Adjustment::holm, Adjustment::benjamini_hochberg, Adjustment::none}) {
    if (name_of(one) == name) return one;
    names.push_back(name_of(one));
  }
  throw UsageError(fmt::format("{}: '{}' is none of holm, benjamini-hochberg, none{}", where, name,
                               suggestion(name, names)));
}

Comparison compare(const Side& a, const Side& b, const ComparisonOptions& options) {
  Comparison comparison;
  const Join join = join_cases(a, b, options.ignored);
  comparison.only_a = join.only_a;
  comparison.only_b = join.only_b;
  const Judge judge(a, b, options);
  for (const auto& [x, y] : join.pairs) {
    const bool figures = !a.cases[x].figures.empty() || !b.cases[y].figures.empty();
    if (!figures) {
      ++comparison.without_figures;
      continue;
    }
    comparison.cases.push_back(judge.look_at(x, y));
  }
  std::vector<double> p_values;
  for (const ComparedCase& c : comparison.cases) {
    if (c.evidence) p_values.push_back(c.evidence->p_value);
  }
  comparison.tests = p_values.size();
  const std::vector<double> adjusted_p = adjusted(p_values, options.adjustment);
  std::size_t next = 0;
  for (ComparedCase& c : comparison.cases) {
    if (!c.evidence) continue;
    c.adjusted_p = adjusted_p[next++];
    c.verdict = decide(c.evidence->log_cost, c.adjusted_p, options.rule);
  }
  warn_of_powerless_tests(comparison, options);
  const bool all_same_records =
      !comparison.cases.empty() &&
      std::all_of(comparison.cases.begin(), comparison.cases.end(),
                  [](const ComparedCase& c) { return c.basis == Basis::same_record; });
  if (all_same_records)
    comparison.warnings.emplace_back("both sides hold the same measurements: is B the right file?");
  return comparison;
}

std::vector<const ComparedCase*> beyond_gate(const Comparison& comparison, double gate) {
  std::vector<const ComparedCase*> beyond;
  for (const ComparedCase& c : comparison.cases) {
    const bool loss = c.verdict == Verdict::slow && (!c.slowdown || *c.slowdown >= gate);
    if (loss || c.broke) beyond.push_back(&c);
  }
  return beyond;
}

}  // namespace hpclab::decisions
