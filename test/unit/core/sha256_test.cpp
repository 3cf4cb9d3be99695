// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/sha256.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"

using namespace hpclab;

TEST_CASE("sha256: does it give the digests printed in FIPS 180-4 examples?") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256: does a file larger than one block have the digest of its bytes?") {
  test::FixtureRoot root;
  const std::string content(200001, 'x');
  root.file("big", content);
  CHECK(sha256_of_file(root.path() / "big") == sha256_hex(content));
  CHECK_THROWS_AS(sha256_of_file(root.path() / "absent"), UsageError);
}
