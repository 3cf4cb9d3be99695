// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Lines of nodes between vectors and registers: gather and scatter are part of the first and the
// last sweep. Included by files of one instruction set, hence internal linkage.
#pragma once

#include "operators/cpu_contraction.hpp"

namespace hpclab::operators {
namespace {

// Lines along direction D of element vectors [k][j][i][lane]. A line is named by its coordinates
// along the other two directions, the lower one first.
template <typename V, int N, int D>
class ElementLines {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;

  explicit ElementLines(const Batch<Scalar>& b)
      : n_(b.nodes), lanes_(b.lanes), in_(b.in + start(b)), out_(b.out + start(b)) {}

  [[gnu::always_inline]] void read(int first, int second, Register* line) const {
    const int n = size_of<N>(n_);
    const Scalar* from = in_ + place(first, second);
#pragma GCC unroll 14
    for (int i = 0; i < n; ++i) line[i] = V::hold(V::load(from + i * stride(D)));
  }
  [[gnu::always_inline]] void add(int first, int second, const Register* line) const {
    const int n = size_of<N>(n_);
    Scalar* to = out_ + place(first, second);
#pragma GCC unroll 14
    for (int i = 0; i < n; ++i) V::store(to + i * stride(D), line[i]);
  }

 private:
  static std::int64_t start(const Batch<Scalar>& b) {
    return b.number * b.nodes * b.nodes * b.nodes * b.lanes + b.first_lane;
  }
  int lanes() const {
    return memory_lanes<V>(lanes_);
  }
  int stride(int d) const {
    const int n = size_of<N>(n_);
    return lanes() * (d == 0 ? 1 : d == 1 ? n : n * n);
  }
  int place(int first, int second) const {
    return first * stride(D == 0 ? 1 : 0) + second * stride(D == 2 ? 1 : 2);
  }

  int n_, lanes_;
  const Scalar* in_;
  Scalar* out_;
};

// The same of assembled vectors. Nodes on the low side are the element's own, the others are
// reached by the links of their relation; lanes without a link are 0.
template <typename V, int N, int D>
class AssembledLines {
 public:
  using Scalar = typename V::Scalar;
  using Register = typename V::Register;

  explicit AssembledLines(const Batch<Scalar>& b) : b_(b) {
    const std::int64_t p = degree();
    const std::int64_t own = b.number * p * p * p * b.lanes + b.first_lane;
    own_in_ = b.in + own;
    own_out_ = b.out + own;
    const GroupLink* next = b.links;
    for (int relation = 1; relation < relations; ++relation) {
      first_link_[relation] = next;
      next += b.counts[relation - 1];
      last_link_[relation] = next;
    }
  }

  [[gnu::always_inline]] void read(int first, int second, Register* line) const {
    const int p = degree(), side = side_of(first, second);
    if (side == 0) {
      const Scalar* from = own_in_ + own_place(first, second);
#pragma GCC unroll 14
      for (int i = 0; i < p; ++i) line[i] = V::hold(V::load(from + i * own_stride(D)));
    } else {
#pragma GCC unroll 14
      for (int i = 0; i < p; ++i) line[i] = V::broadcast(0);
      for (const GroupLink* link = first_link_[side]; link != last_link_[side]; ++link) {
        const auto lanes = V::reading(*link, b_.first_lane);
        const Scalar* from = b_.in + link->in_base + linked_place(*link, first, second);
#pragma GCC unroll 14
        for (int i = 0; i < p; ++i) line[i] = V::read(line[i], from + i * link->stride[D], lanes);
      }
    }
    line[p] = V::broadcast(0);
    const int end = side | 1 << D;
    for (const GroupLink* link = first_link_[end]; link != last_link_[end]; ++link)
      line[p] = V::read(line[p], b_.in + link->in_base + linked_place(*link, first, second),
                        V::reading(*link, b_.first_lane));
  }

  // Adds, except to nodes inside the element, which nobody else reaches: these it writes.
  [[gnu::always_inline]] void add(int first, int second, const Register* line) const {
    const int p = degree(), side = side_of(first, second);
    if (side == 0) {
      Scalar* to = own_out_ + own_place(first, second);
      V::store(to, V::add(V::load(to), line[0]));
      if (first > 0 && second > 0) {
#pragma GCC unroll 14
        for (int i = 1; i < p; ++i) V::store(to + i * own_stride(D), line[i]);
      } else {
#pragma GCC unroll 14
        for (int i = 1; i < p; ++i) {
          Scalar* at = to + i * own_stride(D);
          V::store(at, V::add(V::load(at), line[i]));
        }
      }
    } else {
      for (const GroupLink* link = first_link_[side]; link != last_link_[side]; ++link) {
        const auto lanes = V::adding(*link, b_.first_lane);
        Scalar* to = group_out(*link) + linked_place(*link, first, second);
#pragma GCC unroll 14
        for (int i = 0; i < p; ++i) V::add_to(to + i * link->stride[D], line[i], lanes);
      }
    }
    const int end = side | 1 << D;
    for (const GroupLink* link = first_link_[end]; link != last_link_[end]; ++link)
      V::add_to(group_out(*link) + linked_place(*link, first, second), line[p],
                V::adding(*link, b_.first_lane));
  }

 private:
  static constexpr int first_direction = D == 0 ? 1 : 0;
  static constexpr int second_direction = D == 2 ? 1 : 2;

  int degree() const {
    return size_of<N>(b_.nodes) - 1;
  }
  // The relation of the line's low nodes.
  int side_of(int first, int second) const {
    const int p = degree();
    return (first == p ? 1 << first_direction : 0) | (second == p ? 1 << second_direction : 0);
  }
  int own_stride(int d) const {
    const int p = degree();
    return memory_lanes<V>(b_.lanes) * (d == 0 ? 1 : d == 1 ? p : p * p);
  }
  int own_place(int first, int second) const {
    return first * own_stride(first_direction) + second * own_stride(second_direction);
  }
  // Strides of directions at whose high end the relation lies are 0.
  static int linked_place(const GroupLink& link, int first, int second) {
    return first * link.stride[first_direction] + second * link.stride[second_direction];
  }
  Scalar* group_out(const GroupLink& link) const {
    return (link.in_halo != 0 ? b_.halo : b_.out) + link.out_base;
  }

  const Batch<Scalar>& b_;
  const Scalar* own_in_;
  Scalar* own_out_;
  const GroupLink* first_link_[relations];
  const GroupLink* last_link_[relations];
};

// Zeroes the output where the batch is the first of its part to add something. Of a group of own
// nodes only those on the low sides are added to.
template <typename V>
void clear_untouched(Batch<typename V::Scalar>& b) {
  const int lanes = b.lanes, p = b.nodes - 1;
  const auto none = V::broadcast(0);
  const auto clear = [&](auto* to, int vectors) {
    for (int i = 0; i < vectors * lanes; i += V::lanes) V::store(to + i, none);
  };
  for (int range = 0; range < b.zero_count; ++range) {
    const ZeroRange& zero = b.zero[range];
    auto* to = (zero.in_halo != 0 ? b.halo : b.out) + zero.base;
    if (zero.low_sides_only == 0) {
      clear(to, zero.vectors);
      continue;
    }
    clear(to, p * p);
    for (int k = 1; k < p; ++k) {
      auto* plane = to + k * p * p * lanes;
      clear(plane, p);
      for (int j = 1; j < p; ++j) clear(plane + j * p * lanes, 1);
    }
  }
}

}  // namespace
}  // namespace hpclab::operators
