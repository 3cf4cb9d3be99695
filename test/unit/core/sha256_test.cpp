// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace hpclab;

TEST_CASE("SHA-256 gives the digests of FIPS 180-4's examples") {
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("the digest of a file is that of its bytes, across block borders") {
  std::string name = (std::filesystem::temp_directory_path() / "hpclab-sha256-XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  REQUIRE(descriptor >= 0);
  for (const std::size_t size : {0UL, 1UL, 262144UL, 262145UL, 1000000UL}) {
    const std::string bytes(size, 'a');
    std::ofstream(name, std::ios::binary | std::ios::trunc) << bytes;
    CHECK(sha256_of_file(name) == sha256_hex(bytes));
  }
  std::remove(name.c_str());
  CHECK_THROWS_AS(sha256_of_file(name), UsageError);
  CHECK_THROWS_AS(sha256_of_file(std::filesystem::temp_directory_path()), UsageError);
}
