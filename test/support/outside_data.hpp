// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Real traces and logs that are not part of the repository: below $HPCLAB_DATA, else beside the
// checkout in shared/data.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::test {

/// The file or folder `name` ("kvcache/mooncake_hit_handover.csv"); says so where it is missing,
/// and the test that asked for it has nothing to do.
inline std::optional<std::filesystem::path> outside_data(const std::string& name) {
  std::vector<std::filesystem::path> roots;
  if (const char* data = std::getenv("HPCLAB_DATA")) roots.emplace_back(data);
  roots.push_back(std::filesystem::path(HPCLAB_SOURCE_DIR) / ".." / "shared" / "data");
  roots.push_back(std::filesystem::path(HPCLAB_SOURCE_DIR) / ".." / ".." / "shared" / "data");
  for (const auto& root : roots) {
    if (std::filesystem::exists(root / name)) return root / name;
  }
  std::cerr << "skipped: no " << name << " (set HPCLAB_DATA)\n";
  return std::nullopt;
}

}  // namespace hpclab::test
