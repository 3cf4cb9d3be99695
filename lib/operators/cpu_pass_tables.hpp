// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The passes that the files of each instruction set and precision export, and the lists from which
// a kernel is put together. No standard header: see cpu_batch.hpp.
#pragma once

#include "operators/cpu_batch.hpp"

namespace hpclab::operators {

/// Sizes that passes are compiled for, at most. Entry 0 of each table reads its sizes at run time:
/// it serves all others.
inline constexpr int fewest_nodes = 2;
inline constexpr int most_nodes = 13;

/// Passes that read or add to vectors have index 0 for element vectors, 1 for assembled ones; those
/// at points have one by geometry: stored, trilinear, affine (as in enum Geometry).
inline constexpr int geometries = 3;

template <typename T>
struct TransferTable {
  Pass<T> read[2], add[2];
  Pass<T> clear;  ///< assembled vectors: once for all lanes of a batch, before the first add
  Pass<T> metric_at_points[geometries];
  Pass<T> mass_factors[geometries];  ///< null for stored
};

/// Passes at q points.
template <typename T>
struct GradientPasses {
  Pass<T> read_and_z[2], planes[geometries], z_transposed_and_add[2];
};
/// Index [q][even_odd].
template <typename T>
struct GradientTable {
  GradientPasses<T> of[most_points + 1][2];
};

/// Passes between n nodes and q points.
template <typename T>
struct InterpolationPasses {
  Pass<T> read_and_xy[2], xy_transposed_and_add[2], gradient_z, gradient_z_transposed, mass_z;
};
/// Index [n][q - n][even_odd] for q - n = 0 and 1.
template <typename T>
struct InterpolationTable {
  InterpolationPasses<T> of[most_nodes + 1][2][2];
};

/// 18 sweeps between n nodes and q points; index as above.
template <typename T>
struct SweepPasses {
  Pass<T> gradient, transposed;
};
template <typename T>
struct SweepTable {
  SweepPasses<T> of[most_nodes + 1][2][2];
};

#define HPCLAB_DECLARE_TABLES(isa)                                  \
  extern const TransferTable<double> transfer_fp64_##isa;           \
  extern const TransferTable<float> transfer_fp32_##isa;            \
  extern const GradientTable<double> gradient_fp64_##isa;           \
  extern const GradientTable<float> gradient_fp32_##isa;            \
  extern const InterpolationTable<double> interpolation_fp64_##isa; \
  extern const InterpolationTable<float> interpolation_fp32_##isa;  \
  extern const SweepTable<double> sweep_fp64_##isa;                 \
  extern const SweepTable<float> sweep_fp32_##isa;

HPCLAB_DECLARE_TABLES(scalar)
HPCLAB_DECLARE_TABLES(avx2)
HPCLAB_DECLARE_TABLES(avx512)
#undef HPCLAB_DECLARE_TABLES

}  // namespace hpclab::operators
