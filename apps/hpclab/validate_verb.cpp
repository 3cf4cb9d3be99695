// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "core/record_file.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

// A file that cannot be read is no invalid one: the caller named the wrong thing.
bool can_be_read(const std::string& name) {
  std::error_code error;
  if (std::filesystem::is_directory(name, error)) {
    log_error("cannot read '{}': it is a folder", name);
    return false;
  }
  if (std::ifstream(name, std::ios::binary)) return true;
  log_error("cannot read '{}': {}", name, std::strerror(errno));
  return false;
}

// Returns false when the file is no valid record file; says why on standard error.
bool validate_file(const std::string& name) {
  RecordFile file;
  try {
    file = read_records(name);
  } catch (const UsageError& error) {
    log_error("{}", error.what());
    return false;
  }
  if (file.runs.empty()) {
    log_error("{}: it holds no run record", name);
    return false;
  }
  std::map<std::string, int> counts;
  for (const Json& record : file.cases) ++counts[record["status"].get<std::string>()];
  print(fmt::format("{}: valid; {} run{}, {} cases ({} ok, {} failed, {} skipped){}{}\n", name,
                    file.runs.size(), file.runs.size() == 1 ? "" : "s", file.cases.size(),
                    counts["ok"], counts["failed"], counts["skipped"],
                    !file.ended ? "; a run did not end" : "",
                    file.torn ? "; the last line is torn, --resume drops it" : ""));
  return true;
}

ExitCode validate(Program&, const Arguments& arguments) {
  bool readable = true;
  bool valid = true;
  for (const std::string& name : arguments.all("files")) {
    if (!can_be_read(name)) {
      readable = false;
    } else if (!validate_file(name)) {
      valid = false;
    }
  }
  if (!readable) return ExitCode::usage;
  return valid ? ExitCode::ok : ExitCode::gate_failed;
}

}  // namespace

Verb validate_verb() {
  Verb verb;
  verb.name = "validate";
  verb.summary = "checks record files line by line";
  verb.options = {{.name = "files",
                   .kind = OptionKind::positional,
                   .value_name = "FILE.jsonl...",
                   .help = "record files",
                   .required = true,
                   .many = true,
                   .takes_file = true}};
  verb.run = validate;
  return verb;
}

}  // namespace hpclab::app
