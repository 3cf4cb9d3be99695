// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The bytes of a file, decompressed on the way: gz and zst are recognised by their first bytes, not
// by the name of the file. Memory stays bounded however much the file unpacks to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace hpclab::formats {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Puts up to `size` (at least 1) bytes at `to` and returns how many; 0 only at the end. Throws
  /// UsageError without a place, which the reader above knows: the data cannot be read, is damaged
  /// or ends early. What was unpacked before the fault has been returned by earlier calls.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

/// UsageError with the path when the file cannot be opened or is a folder.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);

/// The same over bytes in memory.
std::unique_ptr<ByteSource> bytes_of(std::string content);

}  // namespace hpclab::formats
