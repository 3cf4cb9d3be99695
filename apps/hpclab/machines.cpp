// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/machines.hpp"

#include "machine/profile_search.hpp"
#include "machine/this_cpu.hpp"

#include <memory>

namespace hpclab::app {
namespace {

MachineReference reference_to(const machine::MachineProfile& profile) {
  return {profile.name, profile.sha256, std::make_shared<const machine::MachineProfile>(profile)};
}

}  // namespace

MachineReference find_machine(const std::string& name) {
  if (name.empty()) return reference_to(machine::default_profile());
  if (name == machine::this_cpu_name) return reference_to(machine::this_cpu_profile());
  return reference_to(machine::find_profile(name));
}

MachineReference shipped_machine(const std::string& name) {
  machine::ProfileFolders folders = machine::profile_folders();
  folders.user.clear();
  return reference_to(machine::find_profile(name, folders));
}

}  // namespace hpclab::app
