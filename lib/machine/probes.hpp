// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Probes of the host: what `hpclab doctor` says about it and what every run record keeps.
#pragma once

#include "core/probe.hpp"
#include "machine/system_root.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::machine {

/// Everything that the probes read from outside CPUID and system calls; unit tests pass fixtures.
struct ProbeInputs {
  SystemRoot root;
  std::vector<std::string> environment;                ///< "NAME=value"
  std::vector<std::filesystem::path> program_folders;  ///< where programs are looked for, in order

  /// This process: "/", its environment and its PATH.
  static ProbeInputs host();

  /// Value of an environment variable; nullopt when unset.
  std::optional<std::string> variable(std::string_view name) const;
  /// First executable file of that name; empty path when there is none.
  std::filesystem::path program(const std::string& name) const;
  /// First shared library of that file name in LD_LIBRARY_PATH and the usual system folders.
  std::filesystem::path library(const std::string& file_name) const;
};

/// Adds all probes of this layer. Names: cpu, caches, numa, smt, governor, clock-source, counters,
/// aslr; memory, huge-pages, storage; kernel, container, virtualisation, steal, load, environment;
/// compilers, cmake, mpi, nccl, nsys, ncu, likwid, plotting.
void register_probes(ProbeRegistry& registry, const ProbeInputs& inputs = ProbeInputs::host());

}  // namespace hpclab::machine
