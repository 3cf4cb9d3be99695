// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/line_reader.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace hpclab::formats {
namespace {

constexpr std::size_t first_block = std::size_t{16} << 10;  // most logs are small
constexpr std::size_t block = std::size_t{256} << 10;

std::string size_text(std::size_t bytes) {
  return bytes % (1u << 20) == 0 ? fmt::format("{} MiB", bytes >> 20)
                                 : fmt::format("{} bytes", bytes);
}

}  // namespace

LineReader::LineReader(const std::filesystem::path& path, std::size_t line_limit)
    : LineReader(open_bytes(path), path.string(), line_limit) {}

LineReader::LineReader(std::unique_ptr<ByteSource> bytes, std::string name, std::size_t line_limit)
    : bytes_(std::move(bytes)),
      name_(std::move(name)),
      line_limit_(line_limit),
      buffer_(first_block) {
  while (end_ < 3 && fill()) {
  }
  const std::string_view first(buffer_.data(), end_);
  if (first.starts_with("\xef\xbb\xbf")) begin_ = scanned_ = 3;
  if (first.starts_with("\xff\xfe") || first.starts_with("\xfe\xff")) {
    throw UsageError(fmt::format("{}:1: the text is UTF-16; save it as UTF-8", name_));
  }
}

std::string LineReader::where() const {
  return fmt::format("{}:{}", name_, std::max<std::uint64_t>(line_number_, 1));
}

// Reads behind end_, after moving the line to come to the front or making room for it.
bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    if (next_nul_ != none) next_nul_ -= begin_;  // there is no LF or CR left when this is called
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size() || (line_number_ > 0 && buffer_.size() < block))
    buffer_.resize(std::max(block, buffer_.size() * 2));
  std::size_t got = 0;
  try {
    got = bytes_->read(buffer_.data() + end_, buffer_.size() - end_);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}:{}: {}", name_, line_number_ + 1, error.what()));
  }
  if (got == 0) {
    at_end_ = true;
    return false;
  }
  const char* const fresh = buffer_.data() + end_;
  const auto first_of = [&](char c) {
    const void* found = std::memchr(fresh, c, got);
    return found ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data())
                 : none;
  };
  if (next_lf_ == none) next_lf_ = first_of('\n');
  if (next_cr_ == none) next_cr_ = first_of('\r');
  if (next_nul_ == none) next_nul_ = first_of('\0');
  end_ += got;
  return true;
}

// The first LF or CR from scanned_ on; `none` when there is none up to end_.
std::size_t LineReader::next_end() {
  const auto refresh = [&](std::size_t& place, char c) {
    if (place == none || place >= scanned_) return;
    const void* found = std::memchr(buffer_.data() + scanned_, c, end_ - scanned_);
    place =
        found ? static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data()) : none;
  };
  refresh(next_lf_, '\n');
  refresh(next_cr_, '\r');
  return std::min(next_lf_, next_cr_);
}

std::string_view LineReader::take(std::size_t end, std::size_t next_begin) {
  const std::string_view line(buffer_.data() + begin_, end - begin_);
  const std::size_t line_begin = std::exchange(begin_, next_begin);
  scanned_ = next_begin;  // before anything is thrown: a caller may go on behind a bad line
  ++line_number_;
  if (next_nul_ < end) {
    const std::size_t nul = next_nul_;
    const void* following = std::memchr(buffer_.data() + begin_, '\0', end_ - begin_);
    next_nul_ = following
                    ? static_cast<std::size_t>(static_cast<const char*>(following) - buffer_.data())
                    : none;
    throw UsageError(
        fmt::format("{}: a NUL byte in column {}: this is no text", where(), nul - line_begin + 1));
  }
  if (line.size() > line_limit_) {
    throw UsageError(fmt::format("{}: the line has {} bytes, more than {}, the limit", where(),
                                 line.size(), size_text(line_limit_)));
  }
  return line;
}

bool LineReader::next(std::string_view& line) {
  for (;;) {
    if (skip_lf_ && begin_ < end_) {
      if (buffer_[begin_] == '\n') scanned_ = ++begin_;
      skip_lf_ = false;
    }
    const std::size_t end = next_end();
    if (end != none) {
      skip_lf_ = buffer_[end] == '\r';
      line = take(end, end + 1);
      return true;
    }
    scanned_ = end_;
    if (end_ - begin_ > line_limit_) {
      throw UsageError(
          fmt::format("{}:{}: the line is longer than {}, the limit; has the file "
                      "lost its line ends?",
                      name_, line_number_ + 1, size_text(line_limit_)));
    }
    if (fill()) continue;
    if (begin_ == end_) return false;
    open_ = true;
    line = take(end_, end_);
    return true;
  }
}

}  // namespace hpclab::formats
