// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/sweep.hpp"

#include "core/axis.hpp"
#include "core/case.hpp"
#include "core/json_file.hpp"
#include "core/log.hpp"
#include "core/progress.hpp"
#include "core/record.hpp"
#include "core/record_file.hpp"
#include "core/runner.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "hpclab/machines.hpp"
#include "hpclab/result_table.hpp"
#include "hpclab/resume.hpp"
#include "hpclab/run_record.hpp"
#include "hpclab/text_table.hpp"

#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

std::uint64_t whole_number(const Arguments& arguments, const std::string& option,
                           std::uint64_t fallback, double low, double high) {
  const auto text = arguments.one(option);
  if (!text) return fallback;
  const ParameterSpec spec =
      ParameterSpec{.name = option, .type = ParameterType::integer}.between(low, high);
  return spec.check_text(*text, "--" + option).get<std::uint64_t>();
}

std::pair<std::uint64_t, std::uint64_t> shard_argument(const Arguments& arguments) {
  const auto text = arguments.one("shard");
  if (!text) return {0, 1};
  const std::size_t slash = text->find('/');
  const auto index = parse_number(text->substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : parse_number(text->substr(slash + 1));
  const auto whole = [](double x) {
    return x == static_cast<double>(static_cast<std::int64_t>(x));
  };
  if (!index || !count || !whole(*index) || !whole(*count) || *count < 1 || *count > 1e9) {
    throw UsageError(fmt::format("--shard: '{}' is not i/n, e.g. 0/16", *text));
  }
  if (*index < 0 || *index >= *count) {
    throw UsageError(fmt::format("--shard: {} is out of range; shards of {} count from 0 to {}",
                                 *text, *count, *count - 1));
  }
  return {static_cast<std::uint64_t>(*index), static_cast<std::uint64_t>(*count)};
}

std::string counts_text(const std::vector<Case>& cases) {
  std::string text = fmt::format("{} case{}:", cases.size(), cases.size() == 1 ? "" : "s");
  double seconds = 0;
  const char* separator = " ";
  for (Method method : all_methods) {
    std::size_t count = 0;
    for (const Case& c : cases) {
      if (c.method != method) continue;
      ++count;
      if (c.study->estimate) seconds += c.study->estimate(c.parameters, method).seconds;
    }
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, name_of(method));
    separator = ", ";
  }
  if (seconds >= 1) text += fmt::format("; about {:.0f} s", seconds);
  return text;
}

void print_dry_run(const std::vector<Case>& cases, bool json, bool color) {
  TextTable table;
  for (const char* heading : {"id", "lab", "study", "method", "backend"}) table.add_column(heading);
  table.add_column("memory", true);
  table.add_column("time", true);
  table.add_column("parameters");
  for (const Case& c : cases) {
    const Estimate estimate =
        c.study->estimate ? c.study->estimate(c.parameters, c.method) : Estimate{};
    const std::string backend = c.backend ? name_of(*c.backend) : "";
    if (json) {
      print(Json{{"record", "plan"},
                 {"id", c.id},
                 {"lab", c.study->lab},
                 {"study", c.study->name},
                 {"method", name_of(c.method)},
                 {"backend", c.backend ? Json(backend) : Json(nullptr)},
                 {"parameters", c.recorded},
                 {"estimate", {{"memory_bytes", estimate.bytes}, {"time_s", estimate.seconds}}}}
                .dump() +
            "\n");
      continue;
    }
    table.add_row({c.id, c.study->lab, c.study->name, name_of(c.method), backend,
                   estimate.bytes > 0 ? readable("memory_bytes", estimate.bytes).text() : "",
                   estimate.seconds > 0 ? readable("time_s", estimate.seconds).text() : "",
                   parameters_text(c.recorded)});
  }
  if (!json) print(table.text(color));
}

Json declarations_of(const std::vector<Case>& cases) {
  Json studies = Json::object();
  for (const Case& c : cases) {
    if (!studies.contains(c.study->full_name()))
      studies[c.study->full_name()] = study_declaration(*c.study);
  }
  return studies;
}

// A sweep of which every case fails says why a few times, and how many in all at its end.
constexpr std::size_t most_failures_told = 10;

class Sweep {
 public:
  Sweep(Program& program, const SweepRequest& request, const Arguments& arguments)
      : program_(program), request_(request), arguments_(arguments) {
    if (const auto out = arguments.one("out")) out_ = *out;
    json_ = arguments.has("json") || (!program.stdout_is_terminal && !out_);
    reader_gone_ = out_ && !json_ && !program.stdout_is_writable;  // the file gets everything
    if (arguments.has("retry-failed") && !arguments.has("resume")) {
      throw UsageError("--retry-failed needs --resume");
    }
    if (arguments.has("profile")) {
      for (const char* other : {"stop", "resume"}) {
        if (!arguments.has(other)) continue;
        throw UsageError(
            fmt::format("--profile takes one sample a case and keeps its records apart from "
                        "measurements: it does not go with --{}",
                        other));
      }
      if (!program.profiler.begin) {
        log_warning(
            "--profile: this program was built without CUDA and opens no window of "
            "cudaProfilerApi; use nsys --capture-range=nvtx -p 'case/measure@hpclab'");
      }
    }
    if (arguments.has("resume") && !out_) throw UsageError("--resume needs --out");
  }

  ExitCode run() {
    plan();
    if (arguments_.has("dry-run")) {
      announce();
      print_dry_run(cases_, arguments_.has("json"), program_.color);
      return ExitCode::ok;
    }
    const auto trace_file = arguments_.one("trace");
    if (trace_file) trace::start(*trace_file);
    open_file();
    announce();
    {
      static const trace::Name name("sweep/provenance");
      const trace::Range range(name, trace::Category::setup);
      emit(run_record(program_, run_id_, declarations_of(cases_)));
    }
    const RunOutcome outcome = execute();
    emit({{"record", "end"},
          {"run", run_id_},
          {"cases", cases_.size()},
          {"ok", outcome.ok},
          {"failed", outcome.failed},
          {"skipped", outcome.skipped},
          {"already_finished", outcome.already_finished},
          {"interrupted", outcome.interrupted},
          {"seconds", outcome.seconds}});
    if (writer_) writer_->flush();
    if (trace_file) trace::finish();
    report(outcome);
    if (outcome.interrupted) return ExitCode::interrupted;
    return outcome.failed > 0 ? ExitCode::cases_failed : ExitCode::ok;
  }

 private:
  void plan() {
    ExpansionOptions options;
    options.find_machine = find_machine;
    options.max_cases = whole_number(arguments_, "max-cases", options.max_cases, 1, 1e9);
    options.skip_unavailable = request_.skip_unavailable;
    options.stop = program_.stop;
    CaseList list = expand(request_.experiments, program_.registry, options);
    for (const std::string& name : list.unused) {
      log_warning("'{}' has no effect here: it does not apply to any of these cases", name);
    }
    if (list.duplicates > 0) {
      log_info("{} grid points differ only in parameters without effect on them; each is run once",
               list.duplicates);
    }
    jobs_ = whole_number(arguments_, "jobs", 1, 1, 4096);
    const auto [index, count] = shard_argument(arguments_);
    cases_ = count > 1 ? shard_of(std::move(list.cases), index, count) : std::move(list.cases);
    if (const auto rule = arguments_.one("stop")) {
      parse_stopping_rule(*rule);  // a wrong rule is refused before anything runs
      for (Case& c : cases_) c.stopping_rule = *rule;
    }
  }

  void announce() const {
    if (!request_.default_words.empty()) log_info("{}", request_.default_words);
    log_info("{}", counts_text(cases_));
  }

  void open_file() {
    if (!out_) return;
    const bool resume = arguments_.has("resume") && std::filesystem::exists(*out_);
    writer_ = std::make_unique<RecordWriter>(
        *out_, resume ? RecordWriter::Mode::append : RecordWriter::Mode::create);
    if (!resume) return;
    finished_ = finished_cases(*out_, cases_, arguments_.has("retry-failed"));
  }

  void emit(const Json& record) {
    static const trace::Name name("sweep/record");
    const trace::Range range(name, trace::Category::io);
    if (writer_) writer_->append(record);
    if (!json_) return;
    show(record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  }

  // Prints; when the reader is gone the file still gets every record, and the study its conclusion.
  void show(const std::string& text) {
    if (reader_gone_) return;
    try {
      print(text);
    } catch (const ClosedPipe&) {
      if (!writer_) throw;
      reader_gone_ = true;
    }
  }

  RunOutcome execute() {
    RunOptions options;
    options.run_id = run_id_;
    options.jobs = jobs_;
    options.stop = program_.stop;
    if (arguments_.has("profile")) options.profile = program_.profiler;
    options.finished = std::move(finished_);
    if (out_) options.overflow_folder = *out_ + ".files";
    Progress progress(cases_.size());
    options.progress = [&](std::size_t, std::size_t) { progress.advance(); };
    std::size_t failures = 0;
    options.take_record = [&](const Json& record) {
      emit(record);
      if (record["status"] == "failed" && ++failures <= most_failures_told) {
        log_warning("case {} failed ({}): {}", record["id"].get<std::string>(),
                    parameters_text(record["parameters"]), record["reason"].get<std::string>());
      }
    };
    return run_cases(cases_, options);
  }

  void report(const RunOutcome& outcome) {
    std::vector<const Study*> studies;
    for (const Case& c : cases_) {
      if (std::find(studies.begin(), studies.end(), c.study) == studies.end())
        studies.push_back(c.study);
    }
    for (const Study* study : studies) {
      RunSummary summary;
      for (const Json& record : outcome.records) {
        if (record["lab"] == study->lab && record["study"] == study->name)
          summary.records.push_back(record);
      }
      if (!json_) {
        if (studies.size() > 1)
          show(fmt::format("{} {}: {}\n", study->lab, study->name, study->question));
        show(result_table(*study, summary.records, program_.color));
      }
      if (!study->conclude) continue;
      summary.outputs = request_.outputs;
      summary.complete = outcome.failed == 0 && !outcome.interrupted && !arguments_.has("shard");
      summary.default_experiment =
          std::any_of(request_.experiments.begin(), request_.experiments.end(),
                      [&](const Experiment& experiment) {
                        return experiment.study == study && experiment.from_defaults;
                      });
      for (const std::string& line : study->conclude(summary)) {
        if (json_) {
          log_info("{}", line);
        } else {
          show(line + "\n");
        }
      }
    }
    if (outcome.already_finished > 0) {
      log_info("{} cases were already finished in {}", outcome.already_finished, *out_);
    }
    if (outcome.failed > 0) log_warning("{} of {} cases failed", outcome.failed, cases_.size());
    if (outcome.interrupted) {
      log_warning("interrupted after {} of {} cases{}",
                  outcome.ok + outcome.failed + outcome.skipped + outcome.already_finished,
                  cases_.size(),
                  out_ ? "; everything measured is kept, continue with --resume" : "");
    }
  }

  Program& program_;
  const SweepRequest& request_;
  const Arguments& arguments_;
  std::optional<std::string> out_;
  bool json_ = false;
  bool reader_gone_ = false;
  std::uint64_t jobs_ = 1;
  std::string run_id_ = new_run_id();
  std::vector<Case> cases_;
  std::unique_ptr<RecordWriter> writer_;
  std::unordered_map<std::string, Json> finished_;
};

}  // namespace

std::vector<Option> sweep_options() {
  const std::string group = "Options of every study";
  return {
      {.name = "out",
       .kind = OptionKind::value,
       .value_name = "FILE.jsonl",
       .help = "write records to a file",
       .group = group,
       .takes_file = true},
      {.name = "resume", .help = "continue --out: skip the cases that it holds", .group = group},
      {.name = "retry-failed", .help = "with --resume: run failed cases again", .group = group},
      {.name = "json", .help = "JSON lines on standard output instead of a table", .group = group},
      {.name = "dry-run", .help = "list the cases with their estimates and stop", .group = group},
      {.name = "shard",
       .kind = OptionKind::value,
       .value_name = "I/N",
       .help = "run part I of N, counted from 0",
       .group = group},
      {.name = "jobs",
       .kind = OptionKind::value,
       .value_name = "N",
       .help = "threads for model and simulate cases",
       .group = group},
      {.name = "stop",
       .kind = OptionKind::value,
       .value_name = "RULE",
       .help = "when a measurement has enough samples: relative:1%,min=10,time=10s (default), "
               "count:N, time:2s, stdrel:0.5%, entropy",
       .group = group},
      {.name = "max-cases",
       .kind = OptionKind::value,
       .value_name = "N",
       .help = "refuse more cases than this (100000)",
       .group = group},
      {.name = "trace",
       .kind = OptionKind::value,
       .value_name = "FILE.json",
       .help = "write a Perfetto/Chrome trace of the run",
       .group = group,
       .takes_file = true},
      {.name = "profile",
       .help = "one sample a measurement, between cudaProfilerStart and cudaProfilerStop; see "
               "scripts/nsys",
       .group = group},
      {.name = "seed",
       .kind = OptionKind::value,
       .value_name = "N",
       .help = "seed of the random streams (1)",
       .group = group},
      {.name = "machine",
       .kind = OptionKind::list,
       .value_name = "NAME|FILE",
       .help = "profile that model and simulation read",
       .group = group,
       .takes_file = true},
      {.name = "method",
       .kind = OptionKind::list,
       .value_name = "M,...",
       .help = "model, simulate, measure; all by default",
       .choices = {"model", "simulate", "measure"},
       .group = group},
      {.name = "backend",
       .kind = OptionKind::list,
       .value_name = "B,...",
       .help = "where measurements run",
       .choices = {"cpu", "cuda", "emulator", "process", "mpi", "gloo", "nccl"},
       .group = group},
  };
}

ExitCode run_sweep(Program& program, const SweepRequest& request, const Arguments& arguments) {
  return Sweep(program, request, arguments).run();
}

}  // namespace hpclab::app
