// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/chain.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

bool has_second_input(const ChainShape& shape, int operation) {
  return shape.inputs == Inputs::two || (shape.inputs == Inputs::mixed && operation % 2 == 1);
}

}  // namespace

int operand_of(const ChainShape& shape, int operation) {
  if (!has_second_input(shape, operation)) return -1;
  if (shape.operand_arrays == 0) return 0;
  const int before = shape.inputs == Inputs::two ? operation : operation / 2;
  return 1 + before % shape.operand_arrays;
}

std::vector<Pass> passes_of(const ChainShape& shape) {
  std::vector<Pass> passes;
  for (int first = 0; first < shape.operations; first += shape.group) {
    Pass pass{first, std::min(shape.group, shape.operations - first), 0};
    // What the pass before wrote counts as -1, the chain's own input as 0.
    std::set<int> read{first == 0 ? 0 : -1};
    for (int i = first; i < first + pass.count; ++i) {
      if (const int operand = operand_of(shape, i); operand >= 0) read.insert(operand);
    }
    pass.read_arrays = static_cast<int>(read.size());
    passes.push_back(pass);
  }
  return passes;
}

int outside_arrays(const ChainShape& shape) {
  std::set<int> read{0};
  for (int i = 0; i < shape.operations; ++i) {
    if (const int operand = operand_of(shape, i); operand >= 0) read.insert(operand);
  }
  return static_cast<int>(read.size());
}

int touched_arrays(const ChainShape& shape) {
  return outside_arrays(shape) + (shape.operations > shape.group ? 2 : 1);
}

ArrayTraffic traffic_of(const std::vector<Pass>& passes) {
  ArrayTraffic traffic;
  for (const Pass& pass : passes) {
    traffic.read += pass.read_arrays;
    traffic.written += 1;
  }
  return traffic;
}

ArrayTraffic outside_traffic(const ChainShape& shape) {
  return {static_cast<double>(outside_arrays(shape)), 1};
}

const char* name_of(Inputs inputs) {
  switch (inputs) {
    case Inputs::one:
      return "one-input";
    case Inputs::two:
      return "two-input";
    case Inputs::mixed:
      return "one- and two-input";
  }
  return "?";
}

std::string describe(const ChainShape& shape) {
  const std::size_t passes = passes_of(shape).size();
  return fmt::format("{} {} operation{} in {} pass{}", shape.operations, name_of(shape.inputs),
                     shape.operations == 1 ? "" : "s", passes, passes == 1 ? "" : "es");
}

}  // namespace hpclab::roofline::fusion
