// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/byte_source.hpp"

#include "core/error.hpp"
#include "formats/decompression.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace hpclab::formats {
namespace {

class File final : public ByteSource {
 public:
  explicit File(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      throw UsageError(fmt::format("cannot read '{}': it is a folder", path.string()));
    }
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      throw UsageError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
    }
  }
  ~File() override { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, to, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw UsageError(fmt::format("cannot be read: {}", std::strerror(errno)));
    }
  }

 private:
  int descriptor_ = -1;
};

class Memory final : public ByteSource {
 public:
  explicit Memory(std::string content) : content_(std::move(content)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = std::min(size, content_.size() - at_);
    std::memcpy(to, content_.data() + at_, got);
    at_ += got;
    return got;
  }

 private:
  std::string content_;
  std::size_t at_ = 0;
};

// The first bytes, which told the kind of the data, and then the rest.
class WithFirstBytes final : public ByteSource {
 public:
  WithFirstBytes(std::string first, std::unique_ptr<ByteSource> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}
  std::size_t read(char* to, std::size_t size) override {
    const std::size_t got = first_.read(to, size);
    return got > 0 ? got : rest_->read(to, size);
  }

 private:
  Memory first_;
  std::unique_ptr<ByteSource> rest_;
};

std::unique_ptr<ByteSource> recognised(std::unique_ptr<ByteSource> raw) {
  char magic[4];
  std::size_t known = 0;
  while (known < sizeof magic) {
    const std::size_t got = raw->read(magic + known, sizeof magic - known);
    if (got == 0) break;
    known += got;
  }
  const std::string_view first(magic, known);
  auto whole = std::make_unique<WithFirstBytes>(std::string(first), std::move(raw));
  if (first.starts_with("\x1f\x8b")) return unpack_gz(std::move(whole));
  if (first == "\x28\xb5\x2f\xfd") return unpack_zst(std::move(whole));
  return whole;
}

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path) {
  return recognised(std::make_unique<File>(path));
}

std::unique_ptr<ByteSource> bytes_of(std::string content) {
  return recognised(std::make_unique<Memory>(std::move(content)));
}

}  // namespace hpclab::formats
