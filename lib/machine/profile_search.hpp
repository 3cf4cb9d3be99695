// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where machine profiles lie: the user's own ones, then those shipped with the program.
#pragma once

#include "machine/profile.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::machine {

/// Folders in the order in which they are searched; a test passes its own.
struct ProfileFolders {
  std::filesystem::path
      user;  ///< $XDG_DATA_HOME/hpclab or ~/.local/share/hpclab; empty without home
  std::filesystem::path shipped;  ///< configs/machines; empty when the program finds none
};

/// Shipped folder: $HPCLAB_SHARE/configs/machines, else share/hpclab/configs/machines beside the
/// program (build tree) or beside its bin folder (installation).
ProfileFolders profile_folders();

/// The shipped per-core facts, microarchitectures.json; empty path when nothing is shipped.
std::filesystem::path microarchitectures_file(const ProfileFolders& folders = profile_folders());

/// Names that find_profile() knows, sorted, each once.
std::vector<std::string> profile_names(const ProfileFolders& folders = profile_folders());

/// A profile by path (anything with "/" or ending in ".json") or by name. Throws UsageError that
/// lists the nearest name and the known ones.
MachineProfile find_profile(const std::string& name_or_path,
                            const ProfileFolders& folders = profile_folders());

/// Name of this host's own profile: the host name up to its first dot in lower case, other
/// characters as hyphens.
std::string host_profile_name();

/// This host's saved profile, else the shipped a100-40gb.
MachineProfile default_profile(const ProfileFolders& folders = profile_folders());

/// Saves in the user's folder as <name>.json and returns the path. Throws UsageError when there is
/// no home directory or it cannot be written.
std::filesystem::path save_profile(const MachineProfile& profile,
                                   const ProfileFolders& folders = profile_folders());

}  // namespace hpclab::machine
