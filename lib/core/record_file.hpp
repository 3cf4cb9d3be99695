// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Files of records: appended one whole line at a time, so that a crash loses at most the case in
// flight.
#pragma once

#include "core/json.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab {

/// Appends records to a file with one write a record. Data reaches the disk at most 100 ms later
/// and when the file is closed.
class RecordWriter {
 public:
  enum class Mode {
    create,  ///< the file must not exist
    append   ///< the file is continued; a torn last line is the caller's to cut (truncate_file)
  };

  /// Throws UsageError when the file exists (create), is a pipe or a link to nothing, or cannot be
  /// opened or locked: a second program that writes to the same file is refused.
  RecordWriter(std::filesystem::path path, Mode mode);
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Throws UsageError for a record above max_record_bytes, of which nothing is written; and Error
  /// (exit code 3) when the line could not be written whole; a part of a line that
  /// reached the file is cut off again, so that what was written before stays valid.
  void append(const Json& record);
  /// Lines that are known to be records, each with its end, in one write; errors as for append.
  void append_lines(std::string_view lines);
  /// Waits until everything is on the disk.
  void flush();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  bool regular_ = false;
  bool unsynced_ = false;
  std::chrono::steady_clock::time_point last_sync_;
};

/// What a file of records holds.
struct RecordFile {
  std::vector<Json> runs;
  std::vector<Json> cases;  ///< the last record of each case id, in order of first appearance
  std::vector<Json> ends;
  std::uint64_t superseded = 0;   ///< earlier failed records of cases that were tried again
  std::uint64_t whole_bytes = 0;  ///< length of the file up to its last whole line
  bool ended = false;             ///< the last whole line is an end record
  bool torn = false;  ///< the last line was cut short by a crash; it is not among the records
};

/// UsageError "place: ..." for a schema version that is none or has a newer major.
void check_schema_version(std::string_view version, const std::string& place);

/// Reads and checks a file. A torn last line is forgiven; any other line that is no valid record, a
/// newer schema major, or a case that is finished twice is a UsageError "file:line: ...".
RecordFile read_records(const std::filesystem::path& path);

/// Cuts the file to `bytes`: drops a torn last line before appending.
void truncate_file(const std::filesystem::path& path, std::uint64_t bytes);

/// Joins files of shards into one valid file: all run records, then the last record of every case,
/// then one end record. A case that is ok in one file and failed in another is taken from where it
/// is ok; two ok records of one case are an error unless they are the same line. Refuses to
/// overwrite `out`.
void merge_records(const std::vector<std::filesystem::path>& inputs,
                   const std::filesystem::path& out);

}  // namespace hpclab
