// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "core/record_file.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace hpclab::app {
namespace {

ExitCode merge(Program&, const Arguments& arguments) {
  const auto out = arguments.one("output");
  if (!out) throw UsageError("hpclab merge: -o FILE is missing");
  std::vector<std::filesystem::path> inputs;
  for (const std::string& file : arguments.all("files")) inputs.emplace_back(file);
  merge_records(inputs, *out);
  log_info("merged {} files into {}", inputs.size(), *out);
  return ExitCode::ok;
}

}  // namespace

Verb merge_verb() {
  Verb verb;
  verb.name = "merge";
  verb.summary = "joins the record files of shards into one";
  verb.options = {{.name = "files",
                   .kind = OptionKind::positional,
                   .value_name = "FILE.jsonl...",
                   .help = "record files",
                   .required = true,
                   .many = true,
                   .takes_file = true},
                  {.name = "output",
                   .kind = OptionKind::value,
                   .value_name = "FILE",
                   .help = "the joined file; must not exist",
                   .short_name = "o",
                   .takes_file = true}};
  verb.run = merge;
  return verb;
}

}  // namespace hpclab::app
