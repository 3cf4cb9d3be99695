// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A vector type for the kernels of CpuOperator that computes nothing and counts what it is asked
// for: the same templates as the real types of 512 bits, so that declared counts can be checked.
#pragma once

#include "operators/cpu_batch.hpp"
#include "operators/cpu_work.hpp"

namespace hpclab::test {

/// Eight fp64 lanes and 32 registers; passes are compiled for up to 6 points.
struct CountingVector {
  using Scalar = double;
  struct Register {};
  struct Lanes {};
  static constexpr int lanes = 8;
  static constexpr int registers = 32;
  static constexpr int largest_size = 6;

  static inline operators::PassWork count;

  static Register load(const double*) { return counted(count.loads); }
  static void store(double*, Register) { ++count.stores; }
  // No instruction reads a zero.
  static Register broadcast(double x) { return x == 0 ? Register{} : counted(count.narrow_loads); }
  static Register add(Register, Register) { return counted(count.additions); }
  static Register subtract(Register, Register) { return counted(count.additions); }
  static Register multiply(Register, Register) { return counted(count.products); }
  static Register multiply_add(Register, Register, Register) { return counted(count.products); }
  static Register multiply_subtract(Register, Register, Register) {
    return counted(count.products);
  }
  static Register divide(Register, Register) { return counted(count.divisions); }
  static Register hold(Register x) { return x; }
  static Register spilled(Register) { return counted(count.loads); }

  // Lanes of a link, their mask, and its place.
  static Lanes reading(const operators::GroupLink&, int) {
    count.narrow_loads += 3;
    return {};
  }
  static Lanes adding(const operators::GroupLink& link, int lane) { return reading(link, lane); }
  static Register read(Register, const double*, Lanes) {
    ++count.permutes;
    return counted(count.loads);
  }
  static void add_to(double*, Register, Lanes) {
    ++count.loads;
    ++count.additions;
    ++count.permutes;
    ++count.stores;
  }

 private:
  static Register counted(double& kind) {
    ++kind;
    return {};
  }
};

}  // namespace hpclab::test
