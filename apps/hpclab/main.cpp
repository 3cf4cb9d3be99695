// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"
#include "core/stop_token.hpp"
#include "hpclab/command_line.hpp"
#include "hpclab/help.hpp"
#include "hpclab/program.hpp"

#include <cerrno>
#include <csignal>
#include <exception>

#include <fcntl.h>
#include <unistd.h>

namespace hpclab::app {
namespace {

// The next file to be opened gets the lowest free descriptor: were standard output closed, that
// file would be the records, and what is printed would land among them. What cannot be read or
// written takes the place, so that output that is lost stays an error; only messages may be lost.
void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR);
  }
}

ExitCode dispatch(Program& program) {
  const Verb root = root_verb(program);
  const Invocation invocation = parse_command_line(
      root, std::vector<std::string>(program.argv.begin() + 1, program.argv.end()));
  const Verb& verb = *invocation.verb;
  if (invocation.verbose) set_log_level(LogLevel::debug);
  if (invocation.quiet) set_log_level(LogLevel::warning);
  if (invocation.help) {
    print(verb.help ? verb.help(program) : verb_help(verb, invocation.path));
    return ExitCode::ok;
  }
  if (invocation.arguments.has("version")) {
    print(version_text());
    return ExitCode::ok;
  }
  if (!verb.run) {
    print(verb.help ? verb.help(program) : verb_help(verb, invocation.path));
    return ExitCode::usage;
  }
  return verb.run(program, invocation.arguments);
}

int run(int argc, char** argv) {
  occupy_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit (ulimit -f) is an error of the write
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, seen by print()
  try {
    Program program = make_program(argc, argv);
    program.stop = stop_on_signals();
    return static_cast<int>(dispatch(program));
  } catch (const ClosedPipe&) {
    return closed_pipe_exit;
  } catch (const Error& error) {
    log_error("{}", error.what());
    return static_cast<int>(error.code());
  } catch (const Interrupted&) {
    log_warning("interrupted");
    return static_cast<int>(ExitCode::interrupted);
  } catch (const std::exception& error) {
    log_error("{}", std::string("internal error: ") + error.what());
    return static_cast<int>(ExitCode::cases_failed);
  }
}

}  // namespace
}  // namespace hpclab::app

int main(int argc, char** argv) {
  return hpclab::app::run(argc, argv);
}
