// hpclab: SPDX-License-Identifier: Apache-2.0
//
// One double a register; the build turns the vectoriser off for this file.
#include "roofline/ceilings/bandwidth_bodies.hpp"

namespace hpclab::roofline::ceilings {
namespace {

struct Scalar {
  using Register = double;
  static constexpr std::size_t lanes = 1;
  static double load(const double* p) { return *p; }
  static void store(double* p, double x) { *p = x; }
  // The 8-byte non-temporal store takes a general register.
  static void store_nontemporal(double* p, double x) {
    _mm_stream_si64(reinterpret_cast<long long*>(p),
                    _mm_cvtsi128_si64(_mm_castpd_si128(_mm_set_sd(x))));
  }
  static double broadcast(double x) { return x; }
  static double multiply(double x, double y) { return x * y; }
  static double multiply_add(double x, double y, double z) { return x * y + z; }
  static void keep(double x) { asm volatile("" : : "x"(x)); }
};

}  // namespace

const BandwidthBody bandwidth_scalar[bandwidth_kind_count] = HPCLAB_BANDWIDTH_TABLE(Scalar);

}  // namespace hpclab::roofline::ceilings
