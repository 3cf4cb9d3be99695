// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What every verb works with.
#pragma once

#include "core/probe.hpp"
#include "core/profiler_hook.hpp"
#include "core/registry.hpp"
#include "core/stop_token.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::app {

struct Program {
  Registry registry;
  ProbeRegistry probes;
  StopToken stop;
  ProfilerHook profiler;  ///< what --profile opens around the samples
  std::vector<std::string> argv;
  bool color = false;  ///< stdout is a terminal and NO_COLOR is not set
  bool stdout_is_terminal = false;
  bool stdout_is_writable = true;  ///< false when the caller closed it
};

/// Version, git revision, compiler and flags of this build: the "hpclab" object of a run record.
Json build_facts();
std::string version_text();

/// Everything that this build and machine offer.
Program make_program(int argc, char** argv);

/// Prints to standard output; throws ClosedPipe when the reader is gone.
void print(std::string_view text);

/// The reader of standard output went away (`hpclab list | head -1`); the program ends quietly with
/// 141.
class ClosedPipe : public std::exception {};
inline constexpr int closed_pipe_exit = 141;

/// Folder with configs/ and plotting/ (see share.cpp for where it is looked for), or empty.
std::filesystem::path share_folder();

}  // namespace hpclab::app
