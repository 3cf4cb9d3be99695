// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include "core/error.hpp"

#include <array>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <openssl/evp.h>

namespace hpclab {
namespace {

class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
      throw std::runtime_error("OpenSSL offers no SHA-256");
    }
  }
  void add(const char* bytes, std::size_t count) {
    if (EVP_DigestUpdate(context_.get(), bytes, count) != 1) {
      throw std::runtime_error("SHA-256 update failed");
    }
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), &length) != 1) {
      throw std::runtime_error("SHA-256 final failed");
    }
    std::string text;
    for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.hex();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("cannot read {} to compute its SHA-256", path.string()));
  Digest digest;
  std::array<char, 1 << 16> block{};
  while (file) {
    file.read(block.data(), block.size());
    digest.add(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw UsageError(fmt::format("reading {} failed midway", path.string()));
  return digest.hex();
}

}  // namespace hpclab
