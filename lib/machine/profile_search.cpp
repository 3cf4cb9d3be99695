// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/profile_search.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

#include <fmt/format.h>
#include <unistd.h>

namespace hpclab::machine {
namespace {

namespace fs = std::filesystem;

constexpr const char* fallback_name = "a100-40gb";
constexpr const char* microarchitectures_name = "microarchitectures";

/// Value of an environment variable, empty when unset.
std::string environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path shipped_folder() {
  std::vector<fs::path> shares;
  if (const std::string share = environment("HPCLAB_SHARE"); !share.empty()) {
    shares.emplace_back(share);
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = program.parent_path();
    shares.push_back(folder / "share/hpclab");                // build/<preset>/hpclab
    shares.push_back(folder.parent_path() / "share/hpclab");  // <prefix>/bin/hpclab, build/x/test/
  }
  for (const fs::path& share : shares) {
    if (is_file(share / "configs/machines" / (std::string(fallback_name) + ".json"))) {
      return share / "configs/machines";
    }
  }
  return {};
}

fs::path user_folder() {
  if (const std::string data = environment("XDG_DATA_HOME"); !data.empty()) {
    return fs::path(data) / "hpclab";
  }
  const std::string home = environment("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local/share/hpclab";
}

fs::path in_folder(const fs::path& folder, const std::string& name) {
  return folder.empty() ? fs::path() : folder / (name + ".json");
}

}  // namespace

ProfileFolders profile_folders() {
  return {user_folder(), shipped_folder()};
}

fs::path microarchitectures_file(const ProfileFolders& folders) {
  return in_folder(folders.shipped, microarchitectures_name);
}

std::vector<std::string> profile_names(const ProfileFolders& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : {folders.user, folders.shipped}) {
    std::error_code error;
    if (folder.empty()) continue;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
    }
  }
  names.erase(microarchitectures_name);
  return {names.begin(), names.end()};
}

MachineProfile find_profile(const std::string& name_or_path, const ProfileFolders& folders) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json")) {
    return read_profile(name_or_path);
  }
  if (name_or_path != microarchitectures_name) {
    for (const fs::path& folder : {folders.user, folders.shipped}) {
      const fs::path path = in_folder(folder, name_or_path);
      if (!path.empty() && is_file(path)) return read_profile(path);
    }
  }
  const std::vector<std::string> names = profile_names(folders);
  if (names.empty()) {
    throw UsageError(fmt::format(
        "machine profile \"{}\" not found, and no shipped profiles either; set HPCLAB_SHARE to the "
        "folder that holds configs/machines, or give a path",
        name_or_path));
  }
  throw UsageError(
      fmt::format("unknown machine '{}'{}", name_or_path, suggestion(name_or_path, names)));
}

std::string host_profile_name() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') return "this-host";
  const std::string_view name(host.data());
  return profile_name_from(name.substr(0, name.find('.')));
}

MachineProfile default_profile(const ProfileFolders& folders) {
  const fs::path own = in_folder(folders.user, host_profile_name());
  if (!own.empty() && is_file(own)) return read_profile(own);
  return find_profile(fallback_name, {{}, folders.shipped});
}

fs::path save_profile(const MachineProfile& profile, const ProfileFolders& folders) {
  if (folders.user.empty()) {
    throw UsageError("cannot save a machine profile: neither XDG_DATA_HOME nor HOME is set");
  }
  fs::path path = in_folder(folders.user, profile.name);
  write_profile(profile, path);
  return path;
}

}  // namespace hpclab::machine
