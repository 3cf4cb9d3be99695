// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Scalar fused multiply-adds; the build turns the vectoriser off for this file.
#include "roofline/ceilings/peak_bodies.hpp"

namespace hpclab::roofline::ceilings {
namespace {

double fused(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
float fused(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}

template <typename Real>
struct Scalar {
  using Register = Real;
  static constexpr int lanes = 1;
  static Real broadcast(double x) { return static_cast<Real>(x); }
  static Real first(int i) { return static_cast<Real>(0.1 + 0.03 * i); }
  static Real multiply_add(Real x, Real y, Real z) { return fused(x, y, z); }
  static double sum(Real x) { return static_cast<double>(x); }
};

}  // namespace

const PeakBody peak_scalar_fp64 = multiply_add_body<Scalar<double>>();
const PeakBody peak_scalar_fp32 = multiply_add_body<Scalar<float>>();

}  // namespace hpclab::roofline::ceilings
