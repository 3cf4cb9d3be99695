// hpclab: SPDX-License-Identifier: Apache-2.0
//
// `hpclab report` and `hpclab plot`: the Python package in share/hpclab/plotting draws; this file
// finds an interpreter that has matplotlib and passes the arguments on.
#include "core/child_process.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpclab::app {
namespace {

// $HPCLAB_PYTHON, else the environment that scripts/setup makes beside the sources, else python3 on
// PATH.
std::string find_python(const std::filesystem::path& share) {
  if (const char* chosen = std::getenv("HPCLAB_PYTHON"); chosen && *chosen) return chosen;
  std::error_code error;
  const auto plotting =
      std::filesystem::canonical(share / "plotting", error);  // build trees link to the sources
  if (!error) {
    const auto environment = plotting.parent_path().parent_path() / ".venv" / "bin" / "python";
    if (std::filesystem::exists(environment)) return environment.string();
  }
  if (const auto found = find_in_path("python3")) return found->string();
  throw NotAvailable("no Python interpreter was found", "Run scripts/setup, or set HPCLAB_PYTHON");
}

ExitCode draw(const std::string& verb, const Arguments& arguments) {
  const std::filesystem::path share = share_folder();
  if (share.empty() || !std::filesystem::exists(share / "plotting")) {
    throw NotAvailable("the plotting package was not found beside the program",
                       "Set HPCLAB_SHARE to the folder that holds plotting/ and configs/");
  }
  const std::string python = find_python(share);
  std::vector<std::string> command{python, "-m", "hpclab_plotting", verb};
  for (const std::string& argument : arguments.all("extras")) command.push_back(argument);
  std::string path = (share / "plotting").string();
  if (const char* inherited = std::getenv("PYTHONPATH"); inherited && *inherited)
    path += std::string(":") + inherited;
  ::setenv("PYTHONPATH", path.c_str(), 1);
  ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);  // the share folder may be read-only
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  // Drawing is all that is left to do: the interpreter takes this process's place, its exit code is
  // ours.
  ::execv(python.c_str(), argv.data());
  throw NotAvailable(fmt::format("cannot start '{}': {}", python, std::strerror(errno)),
                     "Run scripts/setup");
}

Verb drawing_verb(const std::string& name, const std::string& summary) {
  Verb verb;
  verb.name = name;
  verb.summary = summary;
  verb.passes_extras = true;
  verb.run = [name](Program&, const Arguments& arguments) { return draw(name, arguments); };
  return verb;
}

}  // namespace

Verb report_verb() {
  return drawing_verb("report", "F.jsonl... -o report.html: one readable HTML file");
}

Verb plot_verb() {
  return drawing_verb("plot", "F.jsonl... --x NAME --y NAME [--series NAME] -o F.svg|F.png");
}

}  // namespace hpclab::app
