// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record_file.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/record.hpp"
#include "core/record_scan.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <unordered_map>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpclab {
namespace {

constexpr auto sync_period = std::chrono::milliseconds(100);

std::string line_of(const Json& record) {
  // Text from outside may hold bytes that are no UTF-8; they are replaced rather than refused.
  std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  line += '\n';
  return line;
}

// A pipe would make the program wait for a reader, and nothing can be resumed from one; a link into
// the void would be called an existing file by the system.
void refuse_out_of_place(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::status(path, error).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket) {
    throw UsageError(fmt::format(
        "cannot write '{}': it is a pipe, and records are kept in files; standard output takes "
        "them with --json",
        path.string()));
  }
  if (type == std::filesystem::file_type::not_found && std::filesystem::is_symlink(path, error)) {
    throw UsageError(fmt::format("cannot write '{}': it is a link to '{}', which does not exist",
                                 path.string(),
                                 std::filesystem::read_symlink(path, error).string()));
  }
}

}  // namespace

void check_schema_version(std::string_view version, const std::string& place) {
  int major = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), major);
  if (error != std::errc() || (end != version.data() + version.size() && *end != '.')) {
    throw UsageError(fmt::format("{}: schema '{}' is no version", place, version));
  }
  if (major > schema_major) {
    throw UsageError(
        fmt::format("{}: schema {} is newer than {}, which this program reads; use a newer hpclab",
                    place, version, schema_version()));
  }
}

RecordWriter::RecordWriter(std::filesystem::path path, Mode mode) : path_(std::move(path)) {
  refuse_out_of_place(path_);
  const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | (mode == Mode::create ? O_EXCL : 0);
  struct stat status {};
  const bool special = ::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  descriptor_ = ::open(path_.c_str(), special ? O_WRONLY | O_APPEND | O_CLOEXEC : flags, 0644);
  if (descriptor_ < 0) {
    if (errno == EEXIST) {
      throw UsageError(fmt::format("'{}' exists; give --resume to continue it, or another --out",
                                   path_.string()));
    }
    throw UsageError(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)));
  }
  regular_ = !special;
  if (regular_ && ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw UsageError(fmt::format("'{}' is being written by another run", path_.string()));
  }
  last_sync_ = std::chrono::steady_clock::now();
}

RecordWriter::~RecordWriter() {
  if (descriptor_ < 0) return;
  if (unsynced_) ::fdatasync(descriptor_);
  ::close(descriptor_);
}

void RecordWriter::append(const Json& record) {
  const std::string line = line_of(record);
  if (line.size() > max_record_bytes) {  // no reader would accept the file any more
    throw UsageError(fmt::format("cannot write '{}': a record has {} bytes, more than {}",
                                 path_.string(), line.size(), max_record_bytes));
  }
  append_lines(line);
}

void RecordWriter::append_lines(std::string_view lines) {
  if (lines.empty()) return;
  const off_t before = regular_ ? ::lseek(descriptor_, 0, SEEK_END) : 0;
  ssize_t written = 0;
  do {
    written = ::write(descriptor_, lines.data(), lines.size());
  } while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(lines.size())) {
    const std::string reason =
        written < 0 ? std::strerror(errno) : "the line was cut short (no space left?)";
    if (written > 0 && regular_ && ::ftruncate(descriptor_, before) != 0) {
      throw Error(
          fmt::format("cannot write '{}': {}; its last line is torn", path_.string(), reason),
          ExitCode::cases_failed);
    }
    throw Error(
        fmt::format("cannot write '{}': {}; the records before are kept", path_.string(), reason),
        ExitCode::cases_failed);
  }
  unsynced_ = true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_sync_ >= sync_period) flush();
}

void RecordWriter::flush() {
  if (regular_ && ::fdatasync(descriptor_) != 0) {
    throw Error(fmt::format("cannot write '{}': {}", path_.string(), std::strerror(errno)),
                ExitCode::cases_failed);
  }
  unsynced_ = false;
  last_sync_ = std::chrono::steady_clock::now();
}

RecordFile read_records(const std::filesystem::path& path) {
  RecordFile file;
  std::unordered_map<std::string, std::size_t> position;
  const ScannedFile scanned = scan_records(path, [&](Json& record, const RecordPlace& place) {
    const std::string& kind = record["record"].get_ref<const std::string&>();
    if (kind == "run") {
      file.runs.push_back(std::move(record));
    } else if (kind == "end") {
      file.ends.push_back(std::move(record));
    } else {
      if (file.runs.empty())
        throw UsageError(place.where() + ": a case comes before any run record");
      const auto [entry, fresh] = position.try_emplace(record["id"], file.cases.size());
      if (fresh) {
        file.cases.push_back(std::move(record));
        return;
      }
      Json& earlier = file.cases[entry->second];
      if (earlier["status"] != "failed") {
        throw UsageError(fmt::format("{}: case {} is already finished in an earlier line",
                                     place.where(), entry->first));
      }
      ++file.superseded;
      earlier = std::move(record);
    }
  });
  file.whole_bytes = scanned.whole_bytes;
  file.ended = scanned.ended;
  file.torn = scanned.torn;
  return file;
}

void truncate_file(const std::filesystem::path& path, std::uint64_t bytes) {
  std::error_code error;
  std::filesystem::resize_file(path, bytes, error);
  if (error) throw UsageError(fmt::format("cannot write '{}': {}", path.string(), error.message()));
}

}  // namespace hpclab
