// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "core/record_scan.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <unordered_map>

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
  std::size_t runs = 0;
  std::unordered_map<std::uint64_t, char> statuses;  // first letter, by case id
  ScannedFile file;
  try {
    file = scan_records(name, [&](const Json& record, const RecordPlace& place) {
      const std::string& kind = record["record"].get_ref<const std::string&>();
      if (kind == "run") ++runs;
      if (kind != "case") return;
      if (runs == 0) throw UsageError(place.where() + ": a case comes before any run record");
      const std::string& id = record["id"].get_ref<const std::string&>();
      char& status = statuses[std::stoull(id, nullptr, 16)];
      if (status != '\0' && status != 'f') {
        throw UsageError(
            fmt::format("{}: case {} is already finished in an earlier line", place.where(), id));
      }
      status = record["status"].get_ref<const std::string&>().front();
    });
  } catch (const UsageError& error) {
    log_error("{}", error.what());
    return false;
  }
  if (runs == 0) {
    log_error("{}: it holds no run record", name);
    return false;
  }
  std::map<char, std::size_t> counts;
  for (const auto& [id, status] : statuses) ++counts[status];
  print(fmt::format("{}: valid; {} run{}, {} cases ({} ok, {} failed, {} skipped){}{}\n", name,
                    runs, runs == 1 ? "" : "s", statuses.size(), counts['o'], counts['f'],
                    counts['s'], !file.ended ? "; a run did not end" : "",
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
