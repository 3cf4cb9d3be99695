// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The pencil kernels that exist, for device and emulator alike; null for any other.
#pragma once

#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/pencil.cuh"

namespace hpclab::operators {

template <class T, int nodes, int points, bool mass, int sweeps, int geometry, bool even_odd>
HPCLAB_TABLE ElementFunction<T> unlimited_pencil() {
  // A kernel for any geometry needs the registers of the hungriest.
  constexpr Geometry kind =
      geometry == any_geometry ? Geometry::trilinear : static_cast<Geometry>(geometry);
  if constexpr (pencil_exists(sizeof(T), nodes, mass, sweeps, kind, even_odd))
    return &pencil_kernel<T, nodes, points, mass, sweeps, geometry, even_odd, 1>;
  return nullptr;
}

template <class T, int nodes, Geometry geometry>
HPCLAB_TABLE ElementFunction<T> collocated_pencil(const ElementInstance& p) {
  constexpr int kind = static_cast<int>(geometry);
  constexpr int most = most_resident_blocks(sizeof(T), nodes, geometry);
  if (p.resident_blocks == 1) {
    return p.even_odd ? unlimited_pencil<T, nodes, nodes, false, 6, kind, true>()
                      : unlimited_pencil<T, nodes, nodes, false, 6, kind, false>();
  }
  if (!p.even_odd) return nullptr;
  constexpr int fewer = fewer_resident_blocks(sizeof(T), nodes, geometry);
  if constexpr (fewer > 0) {
    if (p.resident_blocks == fewer)
      return &pencil_kernel<T, nodes, nodes, false, 6, kind, true, fewer>;
  }
  return p.resident_blocks == most ? &pencil_kernel<T, nodes, nodes, false, 6, kind, true, most>
                                   : nullptr;
}

template <class T, int nodes, int points, bool mass, int sweeps>
HPCLAB_TABLE ElementFunction<T> general_pencil(const ElementInstance& p) {
  if (p.points != points || p.resident_blocks != 1) return nullptr;
  return p.even_odd ? unlimited_pencil<T, nodes, points, mass, sweeps, any_geometry, true>()
                    : unlimited_pencil<T, nodes, points, mass, sweeps, any_geometry, false>();
}

template <KernelTable table, class T, int nodes = smallest_degree + 1>
HPCLAB_TABLE ElementFunction<T> pencil_instance(const ElementInstance& p) {
  if constexpr (nodes <= most_nodes) {
    if (p.nodes != nodes) return pencil_instance<table, T, nodes + 1>(p);
    if constexpr (table == KernelTable::mass)
      return general_pencil<T, nodes, nodes + 1, true, 6>(p);
    if constexpr (table == KernelTable::interpolated)
      return general_pencil<T, nodes, nodes + 1, false, 12>(p);
    if constexpr (table == KernelTable::textbook) {
      return p.points == nodes ? general_pencil<T, nodes, nodes, false, 18>(p)
                               : general_pencil<T, nodes, nodes + 1, false, 18>(p);
    }
    if constexpr (table == KernelTable::collocated) {
      switch (p.geometry) {
        case Geometry::stored:
          return collocated_pencil<T, nodes, Geometry::stored>(p);
        case Geometry::trilinear:
          return collocated_pencil<T, nodes, Geometry::trilinear>(p);
        case Geometry::affine:
          return collocated_pencil<T, nodes, Geometry::affine>(p);
      }
    }
  }
  return nullptr;
}

}  // namespace hpclab::operators
