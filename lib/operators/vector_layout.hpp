// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where the numbers of element vectors and assembled vectors lie in memory: interleaved, so that
// one vector instruction works on the same node of `lanes` elements.
#pragma once

#include "operators/element_operator.hpp"
#include "operators/hex_mesh.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::operators {

/// Numbers of one precision in 64 bytes: 8 fp64 or 16 fp32.
int lanes_of(Precision precision);

/// Elements are put into batches of `lanes`; element e has slot `slot(e)`, which is lane slot %
/// lanes of batch slot / lanes.
///
/// Element vector: [batch][k][j][i][lane], degree + 1 nodes a direction.
/// Assembled vector: each node belongs to the element at whose low side it lies, so that an element
/// owns degree^3 nodes: [batch][k][j][i][lane] with degree nodes a direction; then, with fewer
/// indices, the nodes on the box's faces x = 1, y = 1, xy = 1, z = 1, ... that no element owns, in
/// groups of `lanes` too. Entries that belong to no node (the last batch of each kind may have
/// empty lanes) are padding, 0 in every vector: callers begin with zeroed memory, operators keep
/// it.
class VectorLayout {
 public:
  /// CaseFailed when an entry number would not fit in 31 bits.
  VectorLayout(const BoxSplit& split, int degree, bool assembled, int lanes);

  int degree() const { return degree_; }
  int lanes() const { return lanes_; }
  bool assembled() const { return assembled_; }
  const BoxSplit& split() const { return split_; }
  std::int64_t batches() const { return (split_.elements() + lanes_ - 1) / lanes_; }
  std::int64_t slot(std::int64_t element) const { return slot_of_element_[element]; }
  /// -1 for a lane without an element.
  std::int64_t element(std::int64_t slot) const { return element_of_slot_[slot]; }

  /// Length of a vector, padding included.
  std::size_t entries() const { return entries_; }
  /// Distinct nodes: (degree x + 1)(degree y + 1)(degree z + 1); for element vectors (degree + 1)^3
  /// an element.
  std::int64_t nodes() const;
  /// Entry of node (i, j, k), each 0..degree, of `element`.
  std::size_t entry(std::int64_t element, int i, int j, int k) const;
  /// Entry of the node that lies i, j, k nodes (0..degree x split) from the box's low corner;
  /// assembled vectors only.
  std::size_t entry_of_grid_node(std::int64_t i, std::int64_t j, std::int64_t k) const;

  /// Who owns the nodes at the low side of grid place (x, y, z), 0..split: the element there, or
  /// past the last one a group of face nodes.
  struct Owner {
    std::int64_t base = 0;  ///< entry of its node (0, 0, 0)
    int stride[3] = {};     ///< entries from node to node along x, y, z; 0 where it has one node
    int nodes = 1;          ///< that it owns
  };
  Owner owner(int x, int y, int z) const;

 private:
  int degree_;
  int lanes_;
  bool assembled_;
  BoxSplit split_;
  std::vector<std::int32_t> slot_of_element_;
  std::vector<std::int32_t> element_of_slot_;
  std::vector<std::int32_t> owner_base_;  // assembled: of place x + (split.x + 1)(y + ...)
  std::size_t entries_ = 0;
};

}  // namespace hpclab::operators
