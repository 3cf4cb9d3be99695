// hpclab: SPDX-License-Identifier: Apache-2.0
//
// std::source_location for clang before 15, which parses libstdc++ without it. Read by clang-tidy
// only; nothing is built with it.
#pragma once

#include <version>

#if defined(__clang__) && !defined(__cpp_lib_source_location)
namespace std {
struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(),
                                           unsigned line = __builtin_LINE()) noexcept {
    source_location here;
    here.file_ = file;
    here.line_ = line;
    return here;
  }
  constexpr unsigned line() const noexcept { return line_; }
  constexpr const char* file_name() const noexcept { return file_; }
  constexpr const char* function_name() const noexcept { return ""; }
  constexpr unsigned column() const noexcept { return 0; }

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};
}  // namespace std
#endif
