// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/program.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace hpclab::app {

std::filesystem::path share_folder() {
  if (const char* chosen = std::getenv("HPCLAB_SHARE"); chosen && *chosen) return chosen;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const std::filesystem::path folder = program.parent_path();
  // The build tree keeps share/ beside the program; an installation has bin/ and share/ side by
  // side.
  for (const auto& candidate :
       {folder / "share" / "hpclab", folder.parent_path() / "share" / "hpclab"}) {
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return {};
}

}  // namespace hpclab::app
