// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Another implementation of the same operator, for a race.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hpclab::race {

/// Nodes are numbered over the box's grid, x fastest.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Library, version, revision and build, in one line.
  virtual std::string description() const = 0;
  virtual void set_input(const std::vector<double>& u) = 0;
  /// output = A input
  virtual void apply() = 0;
  virtual std::vector<double> output() const = 0;
};

/// bp1, bp3 or bp5 in fp64 with stored geometry by libCEED's backend `resource`. Null in a build
/// without libCEED.
std::unique_ptr<Peer> make_ceed_peer(const operators::ElementOperator& element_operator,
                                     const operators::HexMesh& mesh, const std::string& resource);

}  // namespace hpclab::race
