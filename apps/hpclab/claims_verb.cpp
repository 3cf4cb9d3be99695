// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab claims [LAB [STUDY]]`: our figures beside those of papers, logs and oracles.
#include "core/claim_check.hpp"
#include "core/claim_schema.hpp"
#include "core/nearest_name.hpp"
#include "core/parameter.hpp"
#include "core/progress.hpp"
#include "cuda/core/runtime.hpp"
#include "hpclab/claims_table.hpp"
#include "hpclab/machines.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::app {
namespace {

namespace fs = std::filesystem;

fs::path claims_folder() {
  fs::path folder = share_folder() / "configs" / "claims";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw NotAvailable("no claims were found beside the program",
                       "Set HPCLAB_SHARE to the folder that holds configs/");
  }
  return folder;
}

// Outside data is not shipped: $HPCLAB_DATA, or the folder that a checkout has beside it. Files
// that are shipped are found below the share folder.
std::vector<fs::path> data_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("HPCLAB_DATA"); chosen && *chosen) {
    folders.emplace_back(chosen);
  }
  std::error_code error;
  const fs::path configs = fs::canonical(share_folder() / "configs", error);
  if (!error) folders.push_back(configs.parent_path().parent_path() / "shared" / "data");
  folders.push_back(share_folder());
  return folders;
}

// LAB/STUDY.json files in order of the registry. A file of no study is an error: its claims would
// never be checked.
std::vector<fs::path> files_of(const Registry& registry, const std::string& lab,
                               const std::string& study) {
  const fs::path folder = claims_folder();
  std::vector<fs::path> files;
  std::vector<fs::path> known;
  for (const Study& one : registry.studies()) {
    const fs::path file = folder / one.lab / (one.name + ".json");
    std::error_code error;
    if (!fs::is_regular_file(file, error)) continue;
    known.push_back(file);
    if ((lab.empty() || one.lab == lab) && (study.empty() || one.name == study))
      files.push_back(file);
  }
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json" &&
        std::find(known.begin(), known.end(), entry.path()) == known.end()) {
      throw UsageError(fmt::format("{}: this program has no such study", entry.path().string()));
    }
  }
  return files;
}

std::vector<Claim> chosen_claims(const Program& program, const Arguments& arguments) {
  std::vector<fs::path> files;
  for (const std::string& file : arguments.all("file")) files.emplace_back(file);
  const std::string lab = arguments.one("lab").value_or("");
  const std::string study = arguments.one("study").value_or("");
  if (files.empty()) {
    const auto labs = program.registry.labs();
    if (!lab.empty() && std::find(labs.begin(), labs.end(), lab) == labs.end())
      throw UsageError(fmt::format("claims: unknown lab '{}'{}", lab, suggestion(lab, labs)));
    if (!study.empty()) program.registry.find(lab, study, "claims");
    files = files_of(program.registry, lab, study);
  } else if (!lab.empty()) {
    throw UsageError("claims: --file takes the place of LAB and STUDY");
  }
  std::vector<Claim> claims;
  for (const fs::path& file : files) {
    std::vector<Claim> more = read_claims(file, program.registry);
    claims.insert(claims.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  if (claims.empty()) {
    throw UsageError(
        fmt::format("claims: there are none for {}", study.empty() ? lab : lab + " " + study));
  }
  return claims;
}

ExitCode check(Program& program, const Arguments& arguments) {
  if (arguments.has("schema")) {
    print(claims_schema().dump(2) + "\n");
    return ExitCode::ok;
  }
  ClaimCheckOptions options;
  options.find_machine = shipped_machine;  // a claim says the same on every host
  options.data_folders = data_folders();
  options.stop = program.stop;
  if (!program.registry.why_not(Backend::cuda)) options.gpu_name = cuda::facts_of_device(0).name;
  for (const std::string& name : comma_words(arguments, "method"))
    options.methods.push_back(parse_method(name, "--method"));
  if (const auto jobs = arguments.one("jobs")) {
    const ParameterSpec spec =
        ParameterSpec{.name = "jobs", .type = ParameterType::integer}.between(1, 4096);
    options.jobs = spec.check_text(*jobs, "--jobs").get<std::uint64_t>();
  }
  const std::vector<Claim> claims = chosen_claims(program, arguments);
  std::unique_ptr<Progress> progress;
  options.progress = [&](std::size_t, std::size_t total) {
    if (!progress) progress = std::make_unique<Progress>(total);
    progress->advance();
  };
  const std::vector<ClaimOutcome> outcomes = check_claims(claims, program.registry, options);
  progress.reset();
  print(arguments.has("json") ? claims_json(claims, outcomes).dump(2) + "\n"
                              : claims_text(claims, outcomes, program.color));
  const bool failed = std::any_of(
      outcomes.begin(), outcomes.end(),
      [](const ClaimOutcome& outcome) { return outcome.verdict == ClaimVerdict::not_met; });
  return failed ? ExitCode::gate_failed : ExitCode::ok;
}

}  // namespace

Verb claims_verb() {
  Verb verb;
  verb.name = "claims";
  verb.summary = "figures of papers, logs and oracles beside ours: met, not met or skipped";
  verb.options = {{.name = "lab", .kind = OptionKind::positional, .value_name = "LAB"},
                  {.name = "study", .kind = OptionKind::positional, .value_name = "STUDY"},
                  {.name = "json", .help = "as JSON"},
                  {.name = "method",
                   .kind = OptionKind::list,
                   .value_name = "M,...",
                   .help = "check claims of these methods only (model, simulate, measure)",
                   .choices = {"model", "simulate", "measure"}},
                  {.name = "jobs",
                   .kind = OptionKind::value,
                   .value_name = "N",
                   .help = "threads for model and simulate cases"},
                  {.name = "file",
                   .kind = OptionKind::list,
                   .value_name = "FILE.json",
                   .help = "claims files of your own, LAB/STUDY.json, instead of the shipped ones",
                   .takes_file = true},
                  {.name = "schema", .help = "JSON Schema of claims files"}};
  verb.run = check;
  return verb;
}

}  // namespace hpclab::app
