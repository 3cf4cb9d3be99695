// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab compare A B`: did it get faster, and may one believe it.
#include "core/log.hpp"
#include "decisions/comparison.hpp"
#include "hpclab/comparison_output.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

// Both sides at once: reading is most of the work. The error of A goes first.
std::pair<decisions::Side, decisions::Side> read_sides(const Arguments& arguments) {
  const auto files_a = decisions::record_files(*arguments.one("a"));
  const auto files_b = decisions::record_files(*arguments.one("b"));
  const auto value = arguments.one("value");
  decisions::Side b;
  std::exception_ptr error;
  std::thread reader([&] {
    try {
      b = decisions::read_side(files_b, value);
    } catch (...) {
      error = std::current_exception();
    }
  });
  decisions::Side a;
  try {
    a = decisions::read_side(files_a, value);
  } catch (...) {
    reader.join();
    throw;
  }
  reader.join();
  if (error) std::rethrow_exception(error);
  return {std::move(a), std::move(b)};
}

void warn(const decisions::Side& side, const char* name) {
  for (const std::string& warning : side.warnings) log_warning("{}: {}", name, warning);
  if (side.repeated > 0) {
    log_warning("{}: {} records of a run that another file of this side holds too are counted once",
                name, side.repeated);
  }
}

ExitCode gate(const ComparisonView& view, double limit) {
  const auto beyond = decisions::beyond_gate(view.comparison, limit);
  std::size_t unsure = 0;
  for (const auto& c : view.comparison.cases) unsure += c.verdict == decisions::Verdict::unsure;
  if (beyond.empty()) {
    log_info(
        "gate {:g} %: held{}", 100.0 * limit,
        unsure > 0 ? fmt::format("; {} cases are UNSURE, more processes would tell", unsure) : "");
    return ExitCode::ok;
  }
  std::size_t broke = 0;
  for (const auto* c : beyond) broke += c->broke;
  log_error("gate {:g} %: {} cases are slower than that, {} broke", 100.0 * limit,
            beyond.size() - broke, broke);
  return ExitCode::gate_failed;
}

ExitCode compare(Program& program, const Arguments& arguments) {
  if (arguments.has("json") && arguments.has("markdown"))
    throw UsageError("hpclab compare: --json and --markdown exclude each other");
  decisions::ComparisonOptions options;
  options.rule.level = share_argument(arguments, "level", options.rule.level, 1e-6, 0.5);
  options.rule.margin = share_argument(arguments, "margin", options.rule.margin, 0.0, 1.0);
  const double limit = share_argument(arguments, "gate", 0.0, 0.0, 100.0);
  if (const auto name = arguments.one("adjust"))
    options.adjustment = decisions::parse_adjustment(*name, "--adjust");
  options.ignored = comma_words(arguments, "ignore");
  const auto [a, b] = read_sides(arguments);
  warn(a, "A");
  warn(b, "B");
  const decisions::Comparison comparison = decisions::compare(a, b, options);
  for (const std::string& warning : comparison.warnings) log_warning("{}", warning);
  ComparisonView view{a, b, comparison, options, decisions::provenance_differences(a, b)};
  if (arguments.has("all")) view.most_rows = comparison.cases.size();
  if (arguments.has("json")) {
    print(comparison_json(view).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  } else if (arguments.has("markdown")) {
    print(comparison_markdown(view));
  } else {
    print(comparison_text(view, program.color));
  }
  return arguments.has("gate") ? gate(view, limit) : ExitCode::ok;
}

Option side_option(const std::string& name, const std::string& value_name) {
  return {.name = name,
          .kind = OptionKind::positional,
          .value_name = value_name,
          .help = "record file, or a folder of files with one process each",
          .required = true,
          .takes_file = true};
}

}  // namespace

Verb compare_verb() {
  Verb verb;
  verb.name = "compare";
  verb.summary =
      "is B slower or faster than A: a verdict for each case that both have (SLOW, FAST, SAME, "
      "UNSURE)";
  verb.options = {side_option("a", "A"),
                  side_option("b", "B"),
                  {.name = "gate",
                   .kind = OptionKind::value,
                   .value_name = "2%",
                   .help = "exit 1 when a case is SLOW by at least this, or broke"},
                  {.name = "value",
                   .kind = OptionKind::value,
                   .value_name = "NAME",
                   .help = "the value that is compared (the study's first headline value)"},
                  {.name = "ignore",
                   .kind = OptionKind::list,
                   .value_name = "NAME,...",
                   .help = "parameters that may differ between A and B"},
                  {.name = "margin",
                   .kind = OptionKind::value,
                   .value_name = "0.5%",
                   .help = "differences below it are of no interest: SAME"},
                  {.name = "level",
                   .kind = OptionKind::value,
                   .value_name = "1%",
                   .help = "chance of a false alarm among all cases together"},
                  {.name = "adjust",
                   .kind = OptionKind::value,
                   .value_name = "METHOD",
                   .help = "of p over many cases: holm, benjamini-hochberg (share of false alarms "
                           "among the alarms), none",
                   .choices = {"holm", "benjamini-hochberg", "none"}},
                  {.name = "all", .help = "every row, however many"},
                  {.name = "json", .help = "as JSON"},
                  {.name = "markdown", .help = "as Markdown, for a pull request"}};
  verb.run = compare;
  return verb;
}

}  // namespace hpclab::app
