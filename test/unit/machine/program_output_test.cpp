// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/program_output.hpp"

#include "support/catch.hpp"

using namespace hpclab::machine;

TEST_CASE("program output: do several programs answer in the order asked?") {
  const auto outputs = outputs_of({{"/bin/echo", "one"},
                                   {"/no/such/program"},
                                   {"/bin/sh", "-c", "echo error >&2"},
                                   {"/bin/echo", "two"},
                                   {}},
                                  10);
  REQUIRE(outputs.size() == 5);
  CHECK(outputs[0] == "one\n");
  CHECK(outputs[1] == "");
  CHECK(outputs[2] == "error\n");
  CHECK(outputs[3] == "two\n");
  CHECK(outputs[4] == "");
}

TEST_CASE("program output: is a program that hangs killed with what it had printed?") {
  const auto outputs = outputs_of({{"/bin/sh", "-c", "echo early; exec sleep 1000"}}, 0.2);
  CHECK(outputs[0] == "early\n");
}

TEST_CASE("program output: is a flood cut at 4 KiB?") {
  const auto outputs = outputs_of({{"/bin/sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x"}}, 10);
  CHECK(outputs[0] == std::string(4096, 'x'));
}
