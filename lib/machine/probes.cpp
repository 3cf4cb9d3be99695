// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/probes.hpp"

#include "machine/probe_groups.hpp"

#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace hpclab::machine {
namespace {

std::vector<std::filesystem::path> folders_of(const std::string& colon_separated) {
  std::vector<std::filesystem::path> folders;
  std::istringstream words(colon_separated);
  for (std::string folder; std::getline(words, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

ProbeInputs ProbeInputs::host() {
  ProbeInputs inputs;
  for (char** entry = environ; entry && *entry; ++entry) inputs.environment.emplace_back(*entry);
  inputs.program_folders = folders_of(inputs.variable("PATH").value_or("/usr/bin:/bin"));
  inputs.program_folders.emplace_back("/usr/local/cuda/bin");  // often installed but not on PATH
  return inputs;
}

std::optional<std::string> ProbeInputs::variable(std::string_view name) const {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::filesystem::path ProbeInputs::program(const std::string& name) const {
  for (const std::filesystem::path& folder : program_folders) {
    std::filesystem::path candidate = folder / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) &&
        access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
  }
  return {};
}

std::filesystem::path ProbeInputs::library(const std::string& file_name) const {
  std::vector<std::filesystem::path> folders = folders_of(variable("LD_LIBRARY_PATH").value_or(""));
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib",
        "/usr/local/lib", "/usr/local/cuda/lib64", "/usr/local/nvidia/lib64"}) {
    folders.push_back(root.resolve(folder));
  }
  for (const std::filesystem::path& folder : folders) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / file_name, ignored)) return folder / file_name;
  }
  return {};
}

void register_probes(ProbeRegistry& registry, const ProbeInputs& inputs) {
  for (const auto& group : {processor_probes(inputs), clock_probes(inputs), memory_probes(inputs),
                            system_probes(inputs), load_probes(inputs), tool_probes(inputs)}) {
    for (const Probe& probe : group) registry.add(probe);
  }
}

}  // namespace hpclab::machine
