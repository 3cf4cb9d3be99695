// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab export --csv F.jsonl...`: records as a flat table.
#include "core/error.hpp"
#include "core/log.hpp"
#include "decisions/csv_export.hpp"
#include "decisions/side.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

ExitCode export_records(Program&, const Arguments& arguments) {
  if (!arguments.has("csv")) {
    throw UsageError(
        "hpclab export: --csv is missing; results/README.md has the line that makes "
        "Parquet of it");
  }
  std::vector<std::filesystem::path> files;
  for (const std::string& name : arguments.all("files")) {
    for (const auto& file : decisions::record_files(name)) files.push_back(file);
  }
  const auto out = arguments.one("output");
  if (!out) {
    decisions::export_csv(files, [](std::string_view text) { print(text); });
    return ExitCode::ok;
  }
  if (std::filesystem::exists(*out))
    throw UsageError(fmt::format("'{}' exists; give another -o", *out));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(out->c_str(), "w"),
                                                             &std::fclose);
  if (!file) throw UsageError(fmt::format("cannot write '{}': {}", *out, std::strerror(errno)));
  const auto failed = [&] {
    throw Error(fmt::format("cannot write '{}': {}", *out, std::strerror(errno)),
                ExitCode::cases_failed);
  };
  const auto rows = decisions::export_csv(files, [&](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) failed();
  });
  if (std::fflush(file.get()) != 0) failed();
  log_info("wrote {} ({} rows)", *out, rows);
  return ExitCode::ok;
}

}  // namespace

Verb export_verb() {
  Verb verb;
  verb.name = "export";
  verb.summary = "records as a flat table: hpclab export --csv F.jsonl -o F.csv";
  verb.options = {{.name = "files",
                   .kind = OptionKind::positional,
                   .value_name = "FILE.jsonl...",
                   .help = "record files, or folders of them",
                   .required = true,
                   .many = true,
                   .takes_file = true},
                  {.name = "csv", .help = "one row a case: parameters, values, intervals, words"},
                  {.name = "output",
                   .kind = OptionKind::value,
                   .value_name = "FILE.csv",
                   .help = "the table; must not exist (standard output)",
                   .short_name = "o",
                   .takes_file = true}};
  verb.run = export_records;
  return verb;
}

}  // namespace hpclab::app
