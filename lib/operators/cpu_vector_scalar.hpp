// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One number at a time for the kernels of CpuOperator, and what the vector types must offer.
#pragma once

#include "operators/cpu_batch.hpp"

namespace hpclab::operators {
namespace {

template <typename T>
struct ScalarVector {
  using Scalar = T;
  using Register = T;
  static constexpr int lanes = 1;       ///< numbers a register
  static constexpr int registers = 16;  ///< architectural registers
  /// Points a direction up to which passes are compiled for their size; beyond it, and for all of
  /// the scalar reference, sizes are read at run time.
  static constexpr int largest_size = 0;

  static Register load(const T* p) { return *p; }
  static void store(T* p, Register x) { *p = x; }
  static Register broadcast(T x) { return x; }
  static Register add(Register x, Register y) { return x + y; }
  static Register subtract(Register x, Register y) { return x - y; }
  static Register multiply(Register x, Register y) { return x * y; }
  /// x, which the compiler then keeps in a register instead of loading it again for each use.
  static Register hold(Register x) { return x; }
  static Register divide(Register x, Register y) { return x / y; }
  /// x y + z, fused where the instruction set can
  static Register multiply_add(Register x, Register y, Register z) { return x * y + z; }
  /// x y - z
  static Register multiply_subtract(Register x, Register y, Register z) { return x * y - z; }
  /// x, a number for which compilers find no register: they read it from memory for each use.
  static Register spilled(Register x) { return x; }

  /// Which lanes of a group go to which lanes of the register, the first of which is `first_lane`
  /// of the batch.
  struct Lanes {
    int offset;
    bool linked;
  };
  static Lanes reading(const GroupLink& link, int first_lane) {
    return {link.group_lane[first_lane], (link.batch_lanes >> first_lane & 1) != 0};
  }
  /// `old` with the linked lanes replaced by those of the group.
  static Register read(Register old, const T* group, const Lanes& lanes) {
    return lanes.linked ? group[lanes.offset] : old;
  }
  static Lanes adding(const GroupLink& link, int first_lane) { return reading(link, first_lane); }
  /// Adds the linked lanes of x to those of the group.
  static void add_to(T* group, Register x, const Lanes& lanes) {
    if (lanes.linked) group[lanes.offset] += x;
  }
};

}  // namespace
}  // namespace hpclab::operators
