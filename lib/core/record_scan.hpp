// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reads a file of records one after another, checked, without keeping them: a million records pass
// through in constant memory.
#pragma once

#include "core/json.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace hpclab {

/// Where a record stands.
struct RecordPlace {
  const std::string* file;
  std::uint64_t line;    ///< from 1
  std::uint64_t offset;  ///< of its first byte
  std::uint64_t bytes;   ///< with the end of the line
  std::string where() const;
};

struct ScannedFile {
  std::uint64_t whole_bytes = 0;  ///< length of the file up to its last whole line
  bool ended = false;             ///< the last whole line is an end record
  bool torn = false;              ///< the last line was cut short; it was not taken
};

/// Calls `take` with each record in order; it may move the record away. Lines are parsed and
/// checked on all processing units, some thousand ahead. A torn last line is forgiven; any other
/// line that is no valid record, or a newer schema major, is a UsageError "file:line: ...", thrown
/// after the records before it were taken.
ScannedFile scan_records(const std::filesystem::path& path,
                         const std::function<void(Json& record, const RecordPlace& place)>& take);

}  // namespace hpclab
