// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab exec -- CMD ...`: any program under the same instrument; its records are like any others.
#include "core/case.hpp"
#include "core/clock.hpp"
#include "core/log.hpp"
#include "core/parameter.hpp"
#include "core/record.hpp"
#include "core/record_file.hpp"
#include "core/stopping_rule.hpp"
#include "core/units.hpp"
#include "hpclab/measured_command.hpp"
#include "hpclab/program.hpp"
#include "hpclab/run_record.hpp"
#include "hpclab/text_table.hpp"
#include "hpclab/verb.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

constexpr const char* default_rule = "relative:1%,min=10,time=30s";

CommandRequest request_of(const Program& program, const Arguments& arguments) {
  CommandRequest request;
  request.command = arguments.all("command");
  if (request.command.empty())
    throw UsageError("hpclab exec: the command is missing, e.g. hpclab exec -- ./solver -n 100");
  for (const std::string& text : arguments.all("metric")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw UsageError(fmt::format("--metric: '{}' is not NAME=REGEX", text));
    const std::string name = text.substr(0, equals);
    if (value_name_of(name) != name) {
      throw UsageError(fmt::format("--metric: '{}' is no name of a value; perhaps {}", name,
                                   value_name_of(name)));
    }
    request.metrics.push_back({name, text.substr(equals + 1)});
  }
  for (const std::string& text : comma_words(arguments, "work")) {
    const std::size_t equals = text.find('=');
    const auto amount =
        equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!amount || !(*amount > 0.0) || equals == 0)
      throw UsageError(fmt::format("--work: '{}' is not NAME=AMOUNT, e.g. flops=2e9", text));
    request.work[text.substr(0, equals)] = *amount;
  }
  request.range_patterns = arguments.all("nvtx");
  request.stopping_rule = arguments.one("stop").value_or(default_rule);
  parse_stopping_rule(request.stopping_rule);
  const auto count = [&](const char* option, std::uint64_t fallback) {
    const auto text = arguments.one(option);
    if (!text) return fallback;
    const ParameterSpec spec =
        ParameterSpec{.name = option, .type = ParameterType::integer}.between(0, 1e6);
    return spec.check_text(*text, std::string("--") + option).get<std::uint64_t>();
  };
  request.warm_up = count("warm-up", 1);
  request.time_limit_s = static_cast<double>(count("time-limit", 0));
  request.stop = program.stop;
  return request;
}

Json case_of(const CommandRequest& request, const Arguments& arguments, const std::string& run) {
  Json parameters = Json::object();
  if (const auto name = arguments.one("name")) {
    parameters["name"] = *name;
  } else {
    parameters["command"] = fmt::format("{}", fmt::join(request.command, " "));
  }
  return {{"record", "case"},
          {"id", case_id("exec", "command", "measure", "process", parameters, 1)},
          {"run", run},
          {"lab", "exec"},
          {"study", "command"},
          {"method", "measure"},
          {"backend", "process"},
          {"parameters", std::move(parameters)},
          {"seed", 1U},
          {"status", "ok"},
          {"stopping_rule", request.stopping_rule},
          {"values", Json::object()}};
}

void fill(Json& record, const Result& result) {
  record["values"] = result.values();
  record["interval95"] = result.intervals();
  record["text"] = result.text();
  if (!result.tables().empty()) record["tables"] = result.tables();
  record["samples"] = result.samples();
  if (!result.work().empty()) record["work"] = result.work();
  if (!result.notes().empty()) record["notes"] = result.notes();
}

std::string table_of(const Json& record, bool color) {
  TextTable table;
  table.add_column("value");
  table.add_column("median", true);
  table.add_column("95 %", true);
  table.add_column("samples", true);
  for (const auto& [name, value] : record["values"].items()) {
    const Readable shown = readable(name, value.get<double>());
    std::string half;
    std::string samples;
    if (record["interval95"].contains(name) && value.get<double>() != 0.0) {
      const Json& ends = record["interval95"][name];
      half = "+- " + readable_percent((ends[1].get<double>() - ends[0].get<double>()) / 2.0 /
                                      value.get<double>());
    }
    if (record["samples"].contains(name)) samples = std::to_string(record["samples"][name].size());
    table.add_row({stem_of(name), shown.text(), half, samples});
  }
  std::string text = table.text(color);
  for (const Json& note : record.value("notes", Json::array()))
    text += note.get<std::string>() + "\n";
  return text + record["text"]["stopped"].get<std::string>() + "\n";
}

ExitCode exec(Program& program, const Arguments& arguments) {
  const CommandRequest request = request_of(program, arguments);
  std::unique_ptr<RecordWriter> writer;
  const auto out = arguments.one("out");
  if (out) writer = std::make_unique<RecordWriter>(*out, RecordWriter::Mode::create);
  const bool json = arguments.has("json") || (!program.stdout_is_terminal && !out);
  const auto emit = [&](const Json& record) {
    if (writer) writer->append(record);
    if (json) print(record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  };
  const std::string run = new_run_id();
  const double begin_s = now_s();
  Json record = case_of(request, arguments, run);
  emit(run_record(program, run, {{"exec/command", command_declaration(request)}}));
  try {
    fill(record, measure_command(request));
  } catch (const CaseFailed& error) {
    record["status"] = "failed";
    record["reason"] = error.what();
    log_error("{}", error.what());
  }
  const bool ok = record["status"] == "ok";
  emit(record);
  emit({{"record", "end"},
        {"run", run},
        {"cases", 1U},
        {"ok", ok ? 1U : 0U},
        {"failed", ok ? 0U : 1U},
        {"skipped", 0U},
        {"seconds", now_s() - begin_s}});
  if (!json && ok) print(table_of(record, program.color));
  return ok ? ExitCode::ok : ExitCode::cases_failed;
}

}  // namespace

Verb exec_verb() {
  Verb verb;
  verb.name = "exec";
  verb.summary =
      "measures any program: wall and CPU time, peak memory, figures it prints, its NVTX ranges";
  verb.command_name = "CMD ...";
  const auto value = [](std::string name, std::string shown, std::string help) {
    return Option{.name = std::move(name),
                  .kind = OptionKind::value,
                  .value_name = std::move(shown),
                  .help = std::move(help)};
  };
  const auto list = [](std::string name, std::string shown, std::string help) {
    return Option{.name = std::move(name),
                  .kind = OptionKind::list,
                  .value_name = std::move(shown),
                  .help = std::move(help)};
  };
  verb.options = {
      list("metric", "NAME=REGEX", "a number that the program prints: first group, last match"),
      list("work", "NAME=AMOUNT,...", "work of one run, e.g. flops=2e9,dram_bytes=1e9"),
      list("nvtx", "GLOB", "capture NVTX ranges whose names match, e.g. 'solve*'"),
      value("name", "NAME", "name of the case in place of the command, so that versions compare"),
      value("stop", "RULE", std::string("when there are enough runs (") + default_rule + ")"),
      value("warm-up", "N", "runs thrown away first (1)"),
      value("time-limit", "SECONDS", "fail when one run takes longer"),
      {.name = "out",
       .kind = OptionKind::value,
       .value_name = "FILE.jsonl",
       .help = "write records to a file",
       .takes_file = true},
      {.name = "json", .help = "JSON lines on standard output"}};
  verb.run = exec;
  return verb;
}

}  // namespace hpclab::app
