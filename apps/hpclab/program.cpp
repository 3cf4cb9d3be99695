// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/program.hpp"

#include "cuda/core/driver_state.hpp"
#include "cuda/core/gpu_probes.hpp"
#include "cuda/core/nvtx_listener.hpp"
#include "cuda/core/profiler.hpp"
#include "hpclab/build_info.hpp"
#include "machine/probes.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace hpclab::app {

Json build_facts() {
  return {{"version", build_info::version},       {"git", build_info::git},
          {"compiler", build_info::compiler},     {"flags", build_info::flags},
          {"build_type", build_info::build_type}, {"cuda", build_info::cuda}};
}

std::string version_text() {
  return fmt::format("hpclab {} (git {}; {}; {} {}; CUDA {})\n", build_info::version,
                     build_info::git, build_info::compiler, build_info::build_type,
                     build_info::flags, build_info::cuda);
}

Program make_program(int argc, char** argv) {
  Program program;
  for (int i = 0; i < argc; ++i) program.argv.emplace_back(argv[i]);
  program.stdout_is_terminal = ::isatty(STDOUT_FILENO) != 0;
  const int mode = ::fcntl(STDOUT_FILENO, F_GETFL);
  program.stdout_is_writable = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
  const char* no_color = std::getenv("NO_COLOR");
  program.color = program.stdout_is_terminal && !(no_color && *no_color);
  cuda::attach_nvtx();
  register_studies(program.registry);
  machine::register_probes(program.probes);
  cuda::register_gpu_probes(program.probes);
  program.registry.set_backend_check(
      Backend::cuda, [] { return cuda::why_no_device(cuda::query_driver_state()); });
  program.profiler = cuda::profiler_hook();
  return program;
}

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw ClosedPipe();
      throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)),
                  ExitCode::cases_failed);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace hpclab::app
