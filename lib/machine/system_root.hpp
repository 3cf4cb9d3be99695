// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where /proc, /sys and /dev are read from: "/" on a real machine, a fixture tree in a unit test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::machine {

/// Read-only view of the kernel's text files below a root directory. Paths are given absolute
/// ("/proc/meminfo"); what is absent or unreadable is nullopt, because kernels and containers
/// differ.
class SystemRoot {
 public:
  explicit SystemRoot(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Content without trailing white space.
  std::optional<std::string> text(std::string_view path) const;
  /// First word of the file as a decimal integer; nullopt for "max" and other words.
  std::optional<std::int64_t> integer(std::string_view path) const;
  bool exists(std::string_view path) const;
  /// Names (not paths) of the directory's entries, sorted; empty when there is no such directory.
  std::vector<std::string> entries(std::string_view path) const;
  /// Lines "key: value" or "key value" as a map, e.g. /proc/meminfo, cpu.stat.
  std::map<std::string, std::string> table(std::string_view path) const;
  std::filesystem::path resolve(std::string_view path) const;
  bool is_host() const { return root_ == "/"; }

 private:
  std::filesystem::path root_;
};

}  // namespace hpclab::machine
