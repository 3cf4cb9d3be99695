// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A temporary directory for one test case: fixture trees of /proc and /sys, files to read and
// write.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace hpclab::test {

class FixtureRoot {
 public:
  FixtureRoot() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("hpclab_fixture_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  FixtureRoot(const FixtureRoot&) = delete;
  FixtureRoot& operator=(const FixtureRoot&) = delete;
  ~FixtureRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Writes a file; `name` is absolute in the fixture ("/proc/meminfo") or relative to it.
  FixtureRoot& file(const std::string& name, const std::string& content) {
    const auto target = path_ / std::filesystem::path(name).relative_path();
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary) << content;
    return *this;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace hpclab::test
