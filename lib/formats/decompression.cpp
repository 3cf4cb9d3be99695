// hpclab: SPDX-License-Identifier: Apache-2.0
#include "formats/decompression.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace hpclab::formats {
namespace {

constexpr std::size_t packed_block = std::size_t{128} << 10;

// The packed bytes at hand; what both formats do with their input.
class Packed {
 public:
  explicit Packed(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  /// Reads more when all is used up; false at the end.
  bool fill() {
    if (begin_ < end_) return true;
    begin_ = 0;
    end_ = source_->read(block_.data(), block_.size());
    return end_ > 0;
  }
  char* data() { return block_.data() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  void use(std::size_t bytes) { begin_ += bytes; }

 private:
  std::unique_ptr<ByteSource> source_;
  std::vector<char> block_ = std::vector<char>(packed_block);
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

[[noreturn]] void ends_early(const char* kind) {
  throw UsageError(
      fmt::format("the {} data ends early; is the file complete? (a download or copy that was "
                  "interrupted)",
                  kind));
}

class Gz final : public ByteSource {
 public:
  explicit Gz(std::unique_ptr<ByteSource> packed) : packed_(std::move(packed)) {
    // 15: the largest window; 16: a gz header is expected.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw UsageError("zlib cannot be started");
  }
  ~Gz() override { inflateEnd(&stream_); }
  Gz(const Gz&) = delete;
  Gz& operator=(const Gz&) = delete;

  std::size_t read(char* to, std::size_t size) override {
    const std::size_t most = std::min<std::size_t>(size, std::numeric_limits<uInt>::max());
    for (;;) {
      if (!packed_.fill()) {
        if (within_member_) ends_early("gz");
        return 0;
      }
      if (!within_member_) {
        inflateReset(&stream_);
        within_member_ = true;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_in = static_cast<uInt>(packed_.size());
      stream_.next_out = reinterpret_cast<Bytef*>(to);
      stream_.avail_out = static_cast<uInt>(most);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      packed_.use(packed_.size() - stream_.avail_in);
      const std::size_t got = most - stream_.avail_out;
      if (status == Z_STREAM_END) {
        within_member_ = false;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw UsageError(fmt::format("damaged gz data: {}",
                                     stream_.msg ? stream_.msg : "it needs a preset dictionary"));
      }
      if (got > 0) return got;
    }
  }

 private:
  Packed packed_;
  z_stream stream_{};
  bool within_member_ = true;
};

class Zst final : public ByteSource {
 public:
  explicit Zst(std::unique_ptr<ByteSource> packed)
      : packed_(std::move(packed)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_) throw UsageError("zstd cannot be started");
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    for (;;) {
      // Output may still wait within the context when all input is used up.
      const bool any = packed_.fill();
      if (!any && !within_frame_) return 0;
      ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
      packed_.use(in.pos);
      if (ZSTD_isError(status)) {
        throw UsageError(fmt::format("damaged zst data: {}", ZSTD_getErrorName(status)));
      }
      within_frame_ = status != 0;
      if (out.pos > 0) return out.pos;
      if (!any) ends_early("zst");
    }
  }

 private:
  Packed packed_;
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  bool within_frame_ = true;
};

}  // namespace

std::unique_ptr<ByteSource> unpack_gz(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<Gz>(std::move(packed));
}

std::unique_ptr<ByteSource> unpack_zst(std::unique_ptr<ByteSource> packed) {
  return std::make_unique<Zst>(std::move(packed));
}

}  // namespace hpclab::formats
