// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/measured_command.hpp"

#include "core/child_process.hpp"
#include "core/error.hpp"
#include "core/sampler.hpp"
#include "core/statistics.hpp"
#include "core/units.hpp"
#include "hpclab/program.hpp"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <fnmatch.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

namespace hpclab::app {
namespace {

// Longer lines are data: the library's matcher recurses once a character.
constexpr std::size_t longest_line = 2000;

std::string last_lines(const std::string& text) {
  constexpr std::size_t limit = 600;
  return text.size() <= limit ? text : "..." + text.substr(text.size() - limit);
}

double own_peak_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

struct RangeTotal {
  double count = 0.0;
  double total_s = 0.0;
};

// Where the tool that NVTX loads into the program lies.
std::filesystem::path range_tool() {
  const std::filesystem::path tool = share_folder() / "lib" / "libhpclab_nvtx_ranges.so";
  std::error_code error;
  if (std::filesystem::exists(tool, error)) return tool;
  throw NotAvailable("the tool that captures NVTX ranges is not in this build",
                     "It needs the NVTX headers of a CUDA toolkit when hpclab is built");
}

class Command {
 public:
  explicit Command(const CommandRequest& request) : request_(request) {
    for (const OutputMetric& metric : request.metrics) {
      try {
        patterns_.emplace_back(metric.pattern);
      } catch (const std::regex_error& error) {
        throw UsageError(fmt::format("--metric {}: '{}' is no regular expression: {}", metric.name,
                                     metric.pattern, error.what()));
      }
      if (patterns_.back().mark_count() == 0) {
        throw UsageError(fmt::format("--metric {}: '{}' has no group ( ) around the number",
                                     metric.name, metric.pattern));
      }
    }
    options_.stop = request.stop;
    options_.time_limit_s = request.time_limit_s;
    if (!request.range_patterns.empty()) {
      ranges_file_ =
          std::filesystem::temp_directory_path() / fmt::format("hpclab-ranges-{}", ::getpid());
      options_.environment["NVTX_INJECTION64_PATH"] = range_tool().string();
      options_.environment["HPCLAB_NVTX_RANGES"] = ranges_file_.string();
    }
  }
  ~Command() {
    std::error_code ignored;
    if (!ranges_file_.empty()) std::filesystem::remove(ranges_file_, ignored);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  double run(bool keep) {
    if (!ranges_file_.empty()) std::ofstream(ranges_file_, std::ios::trunc);
    const ChildResult child = run_child(request_.command, options_);
    if (!child.succeeded()) {
      const std::string how = child.timed_out
                                  ? fmt::format("took longer than {:g} s", request_.time_limit_s)
                              : child.signal ? fmt::format("ended by signal {}", child.signal)
                                             : fmt::format("exit code {}", child.exit_code);
      throw CaseFailed(fmt::format("{}: {}", how, last_lines(child.stderr_text)));
    }
    std::vector<double> metrics;
    for (std::size_t i = 0; i < patterns_.size(); ++i) metrics.push_back(metric(i, child));
    const auto ranges = read_ranges();
    if (!keep) return child.wall_s;
    samples_["time_s"].push_back(child.wall_s);
    samples_["cpu_s"].push_back(child.cpu_s);
    // What hpclab itself held when it started the program counts as the program's, too: only more
    // than that is known to be its own.
    if (child.peak_memory_bytes > own_peak_bytes()) {
      samples_["peak_memory_bytes"].push_back(child.peak_memory_bytes);
    } else {
      memory_unknown_ = true;
    }
    for (std::size_t i = 0; i < metrics.size(); ++i)
      samples_[request_.metrics[i].name].push_back(metrics[i]);
    for (const auto& [name, total] : ranges) {
      samples_[value_name_of(name) + "_s"].push_back(total.total_s);
      ranges_[name].count += total.count;
      ranges_[name].total_s += total.total_s;
    }
    ++kept_;
    return child.wall_s;
  }

  Result result(const SampleSet& set) const {
    Result result;
    for (const auto& [name, values] : samples_) {
      std::vector<double> scratch = values;
      const MedianEstimate estimate = estimate_median_in_place(scratch);
      if (estimate.interval) {
        result.set_value(name, estimate.median, estimate.interval->low, estimate.interval->high);
      } else {
        result.set_value(name, estimate.median);
      }
      result.set_samples(name, thinned(values, 200));
    }
    for (const auto& [name, amount] : request_.work) {
      result.set_work(name, amount);
      result.set_value(name + "_per_s", amount / set.median_s);
    }
    if (!ranges_.empty()) {
      Table table{{"range", "count", "total", "mean"}, {"", "per run", "s", "s"}, {}};
      for (const auto& [name, total] : ranges_) {
        const auto runs = static_cast<double>(kept_);
        table.rows.push_back(
            {name, total.count / runs, total.total_s / runs, total.total_s / total.count});
      }
      result.set_table("ranges", table);
    }
    result.set_text("command", fmt::format("{}", fmt::join(request_.command, " ")));
    result.set_text("stopped", set.stop_reason);
    for (const std::string& note : set.notes) result.add_note(note);
    if (memory_unknown_) {
      result.add_note(fmt::format("peak memory is at most {}, what hpclab itself holds",
                                  readable("memory_bytes", own_peak_bytes()).text()));
    }
    return result;
  }

 private:
  double metric(std::size_t index, const ChildResult& child) const {
    std::string found;
    for (const std::string* stream : {&child.stderr_text, &child.stdout_text}) {
      std::istringstream lines(*stream);
      std::smatch match;
      for (std::string line; std::getline(lines, line);) {
        if (line.size() <= longest_line && std::regex_search(line, match, patterns_[index]))
          found = match[1].str();
      }
    }
    const OutputMetric& wanted = request_.metrics[index];
    if (found.empty()) {
      throw CaseFailed(fmt::format("metric {}: no line of the output matches '{}'", wanted.name,
                                   wanted.pattern));
    }
    const auto number = parse_number(found);
    if (!number) {
      throw CaseFailed(fmt::format("metric {}: '{}' is no number", wanted.name, found));
    }
    return *number;
  }

  // Lines "count<TAB>total nanoseconds<TAB>name" that the tool leaves when the program ends.
  std::map<std::string, RangeTotal> read_ranges() const {
    std::map<std::string, RangeTotal> ranges;
    if (ranges_file_.empty()) return ranges;
    std::ifstream in(ranges_file_);
    std::size_t seen = 0;
    for (std::string line; std::getline(in, line);) {
      std::istringstream words(line);
      double count = 0.0;
      double nanoseconds = 0.0;
      std::string name;
      if (!(words >> count >> nanoseconds) || !std::getline(words.ignore(1), name)) continue;
      ++seen;
      for (const std::string& pattern : request_.range_patterns) {
        if (::fnmatch(pattern.c_str(), name.c_str(), 0) != 0) continue;
        RangeTotal& total = ranges[name];
        total.count += count;
        total.total_s += 1e-9 * nanoseconds;
        break;
      }
    }
    if (ranges.empty()) {
      throw CaseFailed(seen == 0 ? std::string("the program opened no NVTX range")
                                 : fmt::format("none of its {} NVTX ranges matches {}", seen,
                                               fmt::join(request_.range_patterns, ", ")));
    }
    return ranges;
  }

  const CommandRequest& request_;
  ChildOptions options_;
  std::filesystem::path ranges_file_;
  std::vector<std::regex> patterns_;
  std::map<std::string, std::vector<double>> samples_;
  std::map<std::string, RangeTotal> ranges_;
  std::size_t kept_ = 0;
  bool memory_unknown_ = false;
};

std::string better(const std::string& name) {
  if (name.ends_with("_per_s")) return "higher";
  return name.ends_with("_s") || name.ends_with("_bytes") ? "lower" : "neither";
}

}  // namespace

std::string value_name_of(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name.empty() ? "range" : name;
}

Result measure_command(const CommandRequest& request) {
  Command command(request);
  for (std::size_t i = 0; i < request.warm_up; ++i) command.run(false);
  SamplerOptions options;
  options.stopping_rule = request.stopping_rule;
  options.warm_up_samples = 0;
  options.watch_thread = false;
  options.stop = request.stop;
  const SampleSet set = collect([&] { return command.run(true); }, options);
  return command.result(set);
}

Json command_declaration(const CommandRequest& request) {
  Json values = Json::object();
  for (const OutputMetric& metric : request.metrics) {
    values[metric.name] = {{"meaning", "printed by the program: " + metric.pattern},
                           {"better", better(metric.name)},
                           {"headline", true}};
  }
  values["time_s"] = {{"meaning", "wall time of one run"}, {"better", "lower"}, {"headline", true}};
  values["cpu_s"] = {{"meaning", "user and system time of the processes"},
                     {"better", "lower"},
                     {"headline", true}};
  values["peak_memory_bytes"] = {
      {"meaning", "largest resident set of one process"}, {"better", "lower"}, {"headline", true}};
  for (const auto& [name, amount] : request.work) {
    values[name + "_per_s"] = {
        {"meaning", "declared work over wall time"}, {"better", "higher"}, {"headline", true}};
  }
  return {
      {"question", "How long does this program take, and how surely?"},
      {"values", std::move(values)},
      {"plot", {{"kind", "bar"}, {"x", "command"}, {"y", "time_s"}, {"series", Json::array()}}}};
}

}  // namespace hpclab::app
