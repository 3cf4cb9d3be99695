// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The oracle of the operators: every entry of the element matrix as a sum over quadrature points in
// extended precision, without sum factorisation and without lib/operators' bases or geometry.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace hpclab::test {

/// Node (i, j, k) of an element is number i + n (j + n k), n = degree + 1.
class BruteForce {
 public:
  explicit BruteForce(const operators::ElementOperator& element_operator);

  /// A u on one element.
  std::vector<long double> apply(const std::array<operators::Point, 8>& corners,
                                 const std::vector<long double>& u) const;
  /// The dense element matrix, row-major.
  std::vector<long double> matrix(const std::array<operators::Point, 8>& corners) const;

  const std::vector<long double>& nodes() const { return nodes_; }

 private:
  int n_, q_;
  bool mass_;
  std::vector<long double> nodes_, points_, weights_;
  std::vector<long double> value_, slope_;  // [point][node]
};

/// A u on every element of element vectors [element][node].
std::vector<long double> brute_force(const operators::ElementOperator& element_operator,
                                     const operators::HexMesh& mesh,
                                     const std::vector<long double>& u);

/// Nodes of the box's grid, and where node (i, j, k) of an element lies there, x fastest.
std::size_t grid_size(const operators::ElementOperator& element_operator,
                      const operators::HexMesh& mesh);
std::size_t grid_index(const operators::ElementOperator& element_operator,
                       const operators::HexMesh& mesh, std::int64_t element, int i, int j, int k);

/// Grid vector -> element vector, and its transpose, which sums over shared nodes.
std::vector<long double> gathered(const operators::ElementOperator& element_operator,
                                  const operators::HexMesh& mesh,
                                  const std::vector<long double>& u);
std::vector<long double> assembled(const operators::ElementOperator& element_operator,
                                   const operators::HexMesh& mesh,
                                   const std::vector<long double>& images);

}  // namespace hpclab::test
