// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/vector_layout.hpp"

#include "core/error.hpp"

#include <limits>
#include <numeric>
#include <string>

namespace hpclab::operators {
namespace {

// Bit d is set where the place lies past the last element of direction d.
int faces_of(const BoxSplit& split, int x, int y, int z) {
  return (x == split.x) | (y == split.y) << 1 | (z == split.z) << 2;
}

// Nodes that an owner with these faces has: `degree` in every direction that is not collapsed.
std::int64_t owned_nodes(int degree, int faces) {
  std::int64_t nodes = 1;
  for (int d = 0; d < 3; ++d)
    if ((faces >> d & 1) == 0) nodes *= degree;
  return nodes;
}

std::int64_t padded(std::int64_t count, int lanes) {
  return (count + lanes - 1) / lanes * lanes;
}

}  // namespace

int lanes_of(Precision precision) {
  return 64 / bytes_of(precision);
}

VectorLayout::VectorLayout(const BoxSplit& split, int degree, bool assembled, int lanes)
    : degree_(degree), lanes_(lanes), assembled_(assembled), split_(split) {
  const std::int64_t elements = split.elements(), nodes = degree + 1;
  std::int64_t entries =
      batches() * lanes * (assembled ? owned_nodes(degree, 0) : nodes * nodes * nodes);
  const std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const auto require_in_range = [&] {
    if (entries > limit)
      throw CaseFailed("a vector of " + std::to_string(elements) + " elements of degree " +
                       std::to_string(degree) + " has more than 2147483647 entries");
  };
  require_in_range();
  slot_of_element_.resize(elements);
  std::iota(slot_of_element_.begin(), slot_of_element_.end(), 0);
  element_of_slot_.assign(batches() * lanes, -1);
  for (std::int64_t e = 0; e < elements; ++e)
    element_of_slot_[slot_of_element_[e]] = static_cast<std::int32_t>(e);
  if (assembled) {
    owner_base_.resize((std::int64_t{split.x} + 1) * (split.y + 1) * (split.z + 1));
    std::int64_t start[8] = {0}, count[8] = {0};
    for (int z = 0; z <= split.z; ++z)
      for (int y = 0; y <= split.y; ++y)
        for (int x = 0; x <= split.x; ++x) ++count[faces_of(split, x, y, z)];
    for (int faces = 1; faces < 8; ++faces) {
      start[faces] = entries;
      entries += padded(count[faces], lanes) * owned_nodes(degree, faces);
      count[faces] = 0;
    }
    require_in_range();
    std::size_t place = 0;
    for (int z = 0; z <= split.z; ++z)
      for (int y = 0; y <= split.y; ++y)
        for (int x = 0; x <= split.x; ++x) {
          const int faces = faces_of(split, x, y, z);
          const std::int64_t slot =
              faces == 0
                  ? slot_of_element_[x + std::int64_t{split.x} * (y + std::int64_t{split.y} * z)]
                  : count[faces]++;
          owner_base_[place++] = static_cast<std::int32_t>(
              start[faces] + slot / lanes * lanes * owned_nodes(degree, faces) + slot % lanes);
        }
  }
  entries_ = static_cast<std::size_t>(entries);
}

std::int64_t VectorLayout::nodes() const {
  const std::int64_t p = degree_;
  if (!assembled_) return (p + 1) * (p + 1) * (p + 1) * split_.elements();
  return (p * split_.x + 1) * (p * split_.y + 1) * (p * split_.z + 1);
}

VectorLayout::Owner VectorLayout::owner(int x, int y, int z) const {
  Owner owner;
  owner.base =
      owner_base_[x + (std::int64_t{split_.x} + 1) * (y + (std::int64_t{split_.y} + 1) * z)];
  const int faces = faces_of(split_, x, y, z);
  owner.nodes = static_cast<int>(owned_nodes(degree_, faces));
  int stride = lanes_;
  for (int d = 0; d < 3; ++d) {
    if ((faces >> d & 1) != 0) continue;
    owner.stride[d] = stride;
    stride *= degree_;
  }
  return owner;
}

std::size_t VectorLayout::entry_of_grid_node(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const Owner of = owner(static_cast<int>(i / degree_), static_cast<int>(j / degree_),
                         static_cast<int>(k / degree_));
  return static_cast<std::size_t>(of.base + i % degree_ * of.stride[0] +
                                  j % degree_ * of.stride[1] + k % degree_ * of.stride[2]);
}

std::size_t VectorLayout::entry(std::int64_t element, int i, int j, int k) const {
  if (assembled_) {
    const std::int64_t x = element % split_.x, y = element / split_.x % split_.y,
                       z = element / split_.x / split_.y;
    return entry_of_grid_node(x * degree_ + i, y * degree_ + j, z * degree_ + k);
  }
  const std::int64_t n = degree_ + 1, s = slot(element);
  return static_cast<std::size_t>((s / lanes_ * n * n * n + i + n * (j + n * k)) * lanes_ +
                                  s % lanes_);
}

}  // namespace hpclab::operators
