// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab ab --a BIN --b BIN -- LAB STUDY ...`: which of two programs is faster, measured in turns.
#include "core/clock.hpp"
#include "core/log.hpp"
#include "core/units.hpp"
#include "hpclab/comparison_output.hpp"
#include "hpclab/interleaved_processes.hpp"
#include "hpclab/program.hpp"
#include "hpclab/result_table.hpp"
#include "hpclab/text_table.hpp"
#include "hpclab/verb.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace hpclab::app {
namespace {

namespace fs = std::filesystem;
using decisions::InterleavedFinding;
using decisions::Verdict;

double seconds_argument(const Arguments& arguments, const std::string& option, double fallback) {
  const auto text = arguments.one(option);
  if (!text) return fallback;
  std::string_view rest = *text;
  double scale = 1.0;
  if (rest.ends_with('s')) {
    rest.remove_suffix(1);
  } else if (rest.ends_with('m')) {
    rest.remove_suffix(1);
    scale = 60.0;
  }
  const auto number = parse_number(rest);
  if (!number || !(*number > 0.0) || *number > 1e6)
    throw UsageError(fmt::format("--{}: '{}' is no time, e.g. 30s or 5m", option, *text));
  return *number * scale;
}

// Folder for the records of the processes; a temporary one goes away again.
class Folder {
 public:
  explicit Folder(const std::optional<std::string>& keep) : temporary_(!keep) {
    if (keep) {
      path_ = fs::absolute(*keep);
      std::error_code error;
      if (fs::exists(path_, error) && !fs::is_empty(path_, error))
        throw UsageError(fmt::format("--keep: '{}' exists and is not empty", *keep));
    } else {
      path_ = fs::temp_directory_path() / fmt::format("hpclab-ab-{}", ::getpid());
    }
    for (const char* side : {"a", "b"}) fs::create_directories(path_ / side);
  }
  ~Folder() {
    std::error_code ignored;
    if (temporary_) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  bool temporary_;
  fs::path path_;
};

void refuse_own_options(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    for (const char* own : {"--out", "--json", "--resume", "--shard", "--dry-run"}) {
      if (word == own || word.starts_with(std::string(own) + "="))
        throw UsageError(fmt::format("hpclab ab: {} is ab's own business; leave it out", own));
    }
  }
}

std::vector<std::string> study_command(const std::string& binary, std::vector<std::string> words) {
  const bool method = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--method" || word.starts_with("--method=");
  });
  words.insert(words.begin(), binary);
  if (!method) words.insert(words.end(), {"--method", "measure"});
  return words;
}

InterleavedRequest request_of(const Program& program, const Arguments& arguments) {
  InterleavedRequest request;
  const auto a = arguments.one("a");
  const auto b = arguments.one("b");
  const auto& words = arguments.all("command");
  if (!a || !b) throw UsageError("hpclab ab: --a and --b are needed");
  if (arguments.has("commands")) {
    if (!words.empty())
      throw UsageError("hpclab ab: with --commands, --a and --b are whole commands");
    for (const auto& [text, side] : {std::pair{*a, &request.a}, std::pair{*b, &request.b}}) {
      *side = {program.argv.empty() ? "hpclab" : fs::read_symlink("/proc/self/exe").string(),
               "exec",
               "--stop",
               "count:1",
               "--warm-up",
               "0",
               "--",
               "/bin/sh",
               "-c",
               text};
    }
    request.ignored = {"command"};
  } else {
    if (words.empty()) throw UsageError("hpclab ab: what to run is missing, e.g. -- LAB STUDY");
    refuse_own_options(words);
    request.a = study_command(*a, words);
    request.b = study_command(*b, words);
  }
  request.value = arguments.one("value");
  request.rule.level = share_argument(arguments, "level", request.rule.level, 1e-6, 0.5);
  request.rule.margin = share_argument(arguments, "margin", request.rule.margin, 0.0, 1.0);
  request.budget_s = seconds_argument(arguments, "budget", 30.0);
  request.stop = program.stop;
  return request;
}

std::string percent_or_never(double share) {
  return std::isfinite(share) ? fmt::format("{:.2g} %", 100.0 * share) : "none";
}

double signed_change(const InterleavedCase& c, double log_cost) {
  return decisions::relative_change(c.quantity.higher_is_better ? -log_cost : log_cost);
}

std::string text_of(const InterleavedOutcome& outcome, bool color) {
  TextTable table;
  table.add_column("verdict");
  for (const char* heading : {"change", "interval", "p", "blocks", "detectable"})
    table.add_column(heading, true);
  for (const char* heading : {"value", "case"}) table.add_column(heading);
  for (const InterleavedCase& c : outcome.cases) {
    const InterleavedFinding& finding = c.finding;
    const double low = signed_change(c, finding.log_cost.low);
    const double high = signed_change(c, finding.log_cost.high);
    const bool bounded = std::isfinite(finding.log_cost.low);
    table.add_row(
        {decisions::name_of(finding.verdict),
         finding.blocks > 0 ? signed_percent(signed_change(c, finding.log_cost.estimate)) : "",
         bounded ? fmt::format("[{}, {}]", signed_percent(std::min(low, high)),
                               signed_percent(std::max(low, high)))
                 : "",
         fmt::format("{:.2g}", finding.p_value), std::to_string(finding.blocks),
         percent_or_never(c.detectable), stem_of(c.quantity.name),
         parameters_text(Json::parse(c.parameters, nullptr, false))});
  }
  std::string text = table.text(color);
  text += fmt::format(
      "{} blocks of A B B A in {:.3g} s of {:g} s, {}; with the whole budget the smallest "
      "difference found with 95 % probability is the one in column `detectable`\n",
      outcome.blocks, outcome.seconds, outcome.budget_s, outcome.why);
  return text;
}

Json json_of(const InterleavedOutcome& outcome) {
  Json json = {{"blocks", outcome.blocks},
               {"seconds", outcome.seconds},
               {"budget_s", outcome.budget_s},
               {"ended", outcome.why},
               {"cases", Json::array()}};
  for (const InterleavedCase& c : outcome.cases) {
    Json one = {{"verdict", decisions::name_of(c.finding.verdict)},
                {"parameters", Json::parse(c.parameters, nullptr, false)},
                {"value", c.quantity.name},
                {"better", c.quantity.higher_is_better ? "higher" : "lower"},
                {"blocks", c.finding.blocks},
                {"p_value", c.finding.p_value},
                {"change_ratio", signed_change(c, c.finding.log_cost.estimate)},
                {"slowdown_ratio", decisions::relative_change(c.finding.log_cost.estimate)}};
    if (std::isfinite(c.finding.log_cost.low)) {
      const double low = signed_change(c, c.finding.log_cost.low);
      const double high = signed_change(c, c.finding.log_cost.high);
      one["change_interval"] = {std::min(low, high), std::max(low, high)};
    }
    one["detectable_ratio"] = std::isfinite(c.detectable) ? Json(c.detectable) : Json();
    json["cases"].push_back(std::move(one));
  }
  return json;
}

ExitCode ab(Program& program, const Arguments& arguments) {
  const double limit = share_argument(arguments, "gate", 0.0, 0.0, 100.0);
  InterleavedRequest request = request_of(program, arguments);
  const Folder folder(arguments.one("keep"));
  request.folder = folder.path();
  const InterleavedOutcome outcome = run_interleaved(request);
  print(arguments.has("json") ? json_of(outcome).dump(2) + "\n" : text_of(outcome, program.color));
  if (outcome.interrupted) return ExitCode::interrupted;
  if (!arguments.has("gate")) return ExitCode::ok;
  const bool lost =
      std::any_of(outcome.cases.begin(), outcome.cases.end(), [limit](const InterleavedCase& c) {
        return c.finding.verdict == Verdict::slow &&
               decisions::relative_change(c.finding.log_cost.estimate) >= limit;
      });
  if (lost) log_error("gate {:g} %: B is slower than that", 100.0 * limit);
  return lost ? ExitCode::gate_failed : ExitCode::ok;
}

}  // namespace

Verb ab_verb() {
  Verb verb;
  verb.name = "ab";
  verb.summary =
      "two programs measured in turns (A B B A) until it is clear which is faster: hpclab ab --a "
      "BIN --b BIN -- LAB STUDY ...";
  verb.command_name = "LAB STUDY ...";
  const auto value = [](std::string name, std::string shown, std::string help) {
    return Option{.name = std::move(name),
                  .kind = OptionKind::value,
                  .value_name = std::move(shown),
                  .help = std::move(help)};
  };
  verb.options = {
      value("a", "BIN", "an hpclab program; with --commands a shell command"),
      value("b", "BIN", "the other one; may be the same"),
      {.name = "commands", .help = "--a and --b are commands of any kind, timed as by exec"},
      value("budget", "30s", "how long at most; measuring ends when every case is decided"),
      value("gate", "2%", "exit 1 when B is SLOW by at least this"),
      value("margin", "0.5%", "differences below it are of no interest: SAME"),
      value("level", "1%", "chance of a false alarm among all cases and looks together"),
      value("value", "NAME", "the value that is compared (the study's first headline value)"),
      value("keep", "FOLDER", "keep the records, FOLDER/a and FOLDER/b, for compare and report"),
      {.name = "json", .help = "as JSON"}};
  verb.run = ab;
  return verb;
}

}  // namespace hpclab::app
