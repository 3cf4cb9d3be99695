// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The orders of threads in which every kernel test runs.
#pragma once

#include "cuda/emulator/emulator.hpp"
#include "cuda/emulator/fault.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::test {

/// Forward, reverse, and random orders.
inline const std::vector<std::uint64_t>& seeds() {
  static const std::vector<std::uint64_t> all = {0, 1, 2, 3, 77};
  return all;
}

/// The fault of a kernel that must fail; fails the test when it does not.
template <class Body>
emulator::Fault fault_of(const emulator::Shape& shape, const Body& body, std::uint64_t seed = 0) {
  emulator::Options options;
  options.seed = seed;
  try {
    emulator::run("test", shape, body, options);
  } catch (const emulator::Fault& fault) {
    return fault;
  }
  FAIL("the emulator found no fault");
  return emulator::Fault(emulator::FaultKind::limit, "");
}

}  // namespace hpclab::test
