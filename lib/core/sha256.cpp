// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include "core/error.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace hpclab {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void update(std::string_view bytes) {
    check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    check(EVP_DigestFinal_ex(context_.get(), bytes.data(), &size) == 1);
    constexpr const char* digits = "0123456789abcdef";
    std::string text(2 * static_cast<std::size_t>(size), '0');
    for (unsigned i = 0; i < size; ++i) {
      text[2 * i] = digits[bytes[i] >> 4U];
      text[2 * i + 1] = digits[bytes[i] & 15U];
    }
    return text;
  }

 private:
  static void check(bool good) {
    if (!good) throw std::runtime_error("OpenSSL refused to compute a SHA-256 digest");
  }
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.update(bytes);
  return digest.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  const auto fail = [&path](int error) {
    throw UsageError(fmt::format("cannot read '{}': {}", path.string(), std::strerror(error)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (!file) fail(errno);
  Digest digest;
  std::vector<char> block(std::size_t{1} << 18);
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    digest.update({block.data(), size});
  }
  if (std::ferror(file.get()) != 0) fail(errno);  // a directory opens, but cannot be read
  return digest.hex();
}

}  // namespace hpclab
