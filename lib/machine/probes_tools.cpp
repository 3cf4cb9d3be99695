// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Programs and libraries beside hpclab: compilers, MPI, NCCL, profilers, plotting.
#include "machine/probe_groups.hpp"
#include "machine/profile_search.hpp"
#include "machine/program_output.hpp"

#include <cctype>
#include <memory>
#include <mutex>

#include <fmt/format.h>

namespace hpclab::machine {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The first version number in a text, "" without one: digits and dots, digits on both sides of a
/// dot.
std::string version_in(const std::string& text) {
  for (std::size_t start = 0; start < text.size(); ++start) {
    if (!is_digit(text[start])) continue;
    std::size_t end = start;
    bool dotted = false;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
      dotted = dotted || (text[end] == '.' && end + 1 < text.size() && is_digit(text[end + 1]));
      ++end;
    }
    if (dotted) {
      const std::string version = text.substr(start, end - start);
      return version.substr(0, version.find_last_not_of('.') + 1);
    }
    start = end;
  }
  return "";
}

/// Asks all tools for their version at once, the first time that one is wanted: the programs start
/// side by side, so that the doctor waits for the slowest and not for the sum.
class ToolVersions {
 public:
  ToolVersions(const ProbeInputs& inputs, std::vector<std::string> names)
      : inputs_(inputs), names_(std::move(names)) {}

  std::string output(const std::string& name) {
    std::call_once(once_, [&] {
      std::vector<std::vector<std::string>> commands;
      std::vector<std::string> present;
      for (const std::string& tool : names_) {
        const std::filesystem::path path = inputs_.program(tool);
        if (path.empty()) continue;
        present.push_back(tool);
        commands.push_back({path.string(), "--version"});
      }
      const std::vector<std::string> outputs = outputs_of(commands, 1.0);
      for (std::size_t i = 0; i < present.size(); ++i) outputs_[present[i]] = outputs[i];
    });
    return outputs_[name];
  }

 private:
  ProbeInputs inputs_;
  std::vector<std::string> names_;
  std::once_flag once_;
  std::map<std::string, std::string> outputs_;
};

Finding missing(const std::string& what, const std::string& meaning, const std::string& mend) {
  Finding finding;
  finding.status = FindingStatus::missing;
  finding.finding = what;
  finding.meaning = meaning;
  finding.mend = mend;
  finding.facts = {{"found", false}};
  return finding;
}

Finding present(const std::filesystem::path& path, const std::string& version) {
  Finding finding;
  finding.finding =
      version.empty() ? path.string() : fmt::format("{} ({})", version, path.string());
  finding.facts = {{"found", true}, {"version", version}};
  return finding;
}

Finding look_at_compilers(const ProbeInputs& inputs, ToolVersions& versions) {
  Finding finding;
  std::string text;
  for (const std::string name : {"g++", "nvcc"}) {
    const bool found = !inputs.program(name).empty();
    // nvcc prints its copyright years first; the release follows the word "release".
    std::string output = found ? versions.output(name) : "";
    if (const auto release = output.find("release "); release != std::string::npos) {
      output.erase(0, release);
    } else if (const auto bracket = output.find(')'); bracket != std::string::npos) {
      output.erase(0, bracket);  // "g++ (Debian 12.2.0-14) 12.2.0"
    }
    const std::string version = version_in(output);
    finding.facts[name] = found ? Json(version) : Json(nullptr);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, found ? version : "not found");
  }
  finding.finding = text;
  if (inputs.program("nvcc").empty()) {
    finding.status = FindingStatus::note;
    finding.meaning = "CUDA kernels cannot be compiled here; they still run in the emulator";
  }
  return finding;
}

Finding look_at_mpi(const ProbeInputs& inputs, ToolVersions& versions) {
  for (const std::string name : {"mpirun", "mpiexec"}) {
    const std::filesystem::path path = inputs.program(name);
    if (path.empty()) continue;
    const std::string output = versions.output(name);
    const bool open =
        output.find("Open MPI") != std::string::npos || output.find("OpenRTE") != std::string::npos;
    const bool hydra = output.find("HYDRA") != std::string::npos;
    const bool intel = output.find("Intel(R) MPI") != std::string::npos;
    const char* flavour = open ? "Open MPI" : intel ? "Intel MPI" : hydra ? "MPICH" : "unknown MPI";
    Finding finding = present(path, version_in(output));
    finding.finding = fmt::format("{} {} ({})", flavour, version_in(output), path.string());
    finding.facts["flavour"] = flavour;
    return finding;
  }
  return missing("no mpirun or mpiexec", "studies cannot measure over MPI",
                 "apt-get install libopenmpi-dev openmpi-bin");
}

Finding look_at_nccl(const ProbeInputs& inputs) {
  const std::filesystem::path path = inputs.library("libnccl.so.2");
  if (path.empty()) {
    return missing("libnccl.so.2 not found", "the nccl backend is not available",
                   "install NCCL, or put its folder on LD_LIBRARY_PATH");
  }
  // The library's real file carries the version: libnccl.so.2.18.3
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(path, ignored);
  const std::string name = real.filename().string();
  const auto number = name.find(".so.");
  return present(path, number == std::string::npos ? "" : name.substr(number + 4));
}

Finding look_at_program(const ProbeInputs& inputs, ToolVersions& versions, const std::string& name,
                        const std::string& meaning, const std::string& mend) {
  const std::filesystem::path path = inputs.program(name);
  if (path.empty()) return missing(fmt::format("no {}", name), meaning, mend);
  return present(path, version_in(versions.output(name)));
}

/// Importing matplotlib takes half a second; its folder below the interpreter's prefix says as
/// much.
bool has_matplotlib(const std::filesystem::path& prefix) {
  std::error_code ignored;
  for (const char* library : {"lib", "lib64", "local/lib"}) {
    for (std::filesystem::directory_iterator it(prefix / library, ignored), end;
         !ignored && it != end; it.increment(ignored)) {
      if (it->path().filename().string().rfind("python3", 0) != 0) continue;
      for (const char* packages : {"site-packages", "dist-packages"}) {
        if (std::filesystem::exists(it->path() / packages / "matplotlib", ignored)) return true;
      }
    }
  }
  return false;
}

/// Python with the plotting packages: $HPCLAB_PYTHON, else the environment that scripts/setup
/// makes.
Finding look_at_plotting(const ProbeInputs& inputs) {
  std::vector<std::filesystem::path> candidates;
  if (const auto python = inputs.variable("HPCLAB_PYTHON")) candidates.emplace_back(*python);
  if (const auto share = inputs.variable("HPCLAB_SHARE")) {
    candidates.push_back(std::filesystem::path(*share) / ".venv/bin/python3");
  }
  candidates.push_back(".venv/bin/python3");
  // The build tree links its configurations to the checkout, where scripts/setup makes the
  // environment.
  if (inputs.root.is_host()) {
    std::error_code absent;
    const auto shipped = std::filesystem::canonical(profile_folders().shipped, absent);
    if (!absent) candidates.push_back(shipped.parent_path().parent_path() / ".venv/bin/python3");
  }
  if (const auto python = inputs.program("python3"); !python.empty()) candidates.push_back(python);
  for (const std::filesystem::path& python : candidates) {
    std::error_code ignored;
    if (!std::filesystem::exists(python, ignored)) continue;
    std::filesystem::path prefix = python.parent_path().parent_path();
    if (has_matplotlib(prefix)) return present(python, "");
    // An environment with the system's packages: its configuration names the folder of the
    // interpreter.
    const std::map<std::string, std::string> configuration =
        SystemRoot("/").table((std::filesystem::absolute(prefix, ignored) / "pyvenv.cfg").string());
    const auto shares = configuration.find("include-system-site-packages");
    const auto home = configuration.find("home");
    if (shares == configuration.end() || home == configuration.end()) continue;
    if (shares->second.find("true") == std::string::npos) continue;
    std::string folder = home->second;
    folder.erase(0, folder.find('/'));
    if (has_matplotlib(std::filesystem::path(folder).parent_path())) return present(python, "");
  }
  return missing("no Python with matplotlib", "hpclab plot and the figures of reports need it",
                 "scripts/setup makes one, or set HPCLAB_PYTHON");
}

}  // namespace

std::vector<Probe> tool_probes(const ProbeInputs& inputs) {
  // nsys and ncu take a second to print their version: they are only located.
  const auto versions = std::make_shared<ToolVersions>(
      inputs,
      std::vector<std::string>{"g++", "nvcc", "cmake", "mpirun", "mpiexec", "likwid-bench"});
  const auto none = std::make_shared<ToolVersions>(inputs, std::vector<std::string>{});
  const auto program = [=](const std::shared_ptr<ToolVersions>& source, const char* name,
                           const char* meaning, const char* mend) {
    return [=] { return look_at_program(inputs, *source, name, meaning, mend); };
  };
  return {{"compilers", "tools", false, [=] { return look_at_compilers(inputs, *versions); }},
          {"cmake", "tools", false,
           program(versions, "cmake", "hpclab cannot be built here", "apt-get install cmake")},
          {"mpi", "tools", false, [=] { return look_at_mpi(inputs, *versions); }},
          {"nccl", "tools", false, [=] { return look_at_nccl(inputs); }},
          {"nsys", "tools", false,
           program(none, "nsys", "no timelines from Nsight Systems; --trace works without it",
                   "install NVIDIA Nsight Systems")},
          {"ncu", "tools", false,
           program(none, "ncu", "no kernel counters from Nsight Compute",
                   "install NVIDIA Nsight Compute")},
          {"likwid", "tools", false,
           program(versions, "likwid-bench", "peer comparison of CPU ceilings is skipped",
                   "apt-get install likwid")},
          {"plotting", "tools", false, [=] { return look_at_plotting(inputs); }}};
}

}  // namespace hpclab::machine
