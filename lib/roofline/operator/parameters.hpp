// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline operator`. (The namespace has an underscore because `operator` is
// a word of C++.)
#pragma once

#include "core/parameter.hpp"
#include "operators/element_operator.hpp"
#include "operators/gpu_work.hpp"
#include "roofline/operator/overlap.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::operator_ {

/// Whether vectors hold every element's own copy of a node, or every node once.
enum class VectorKind { element, assembled };

/// Kernels of cuda/operators. slab and block are also shapes of kernels that the literature counts,
/// and that is what the model predicts of them (operators/gpu_work.hpp); of the others, what the
/// kernel declares.
enum class KernelChoice { best, pencil, slab, block, tensor };

struct Parameters {
  operators::OperatorKind kind = operators::OperatorKind::bp5;
  std::int64_t degree = 5;
  std::int64_t quadrature = 0;  ///< 0 before resolution: what the operator prescribes
  operators::Precision precision = operators::Precision::fp64;
  operators::Geometry geometry = operators::Geometry::stored;
  std::int64_t sweeps = 0;  ///< 0 before resolution: the fewest
  bool even_odd = true;
  std::string vector = "auto";  ///< element or assembled after resolution
  double cache_ratio = 0;       ///< working set over this host's last-level caches; 0: not used
  std::int64_t elements = 0;    ///< 0 before resolution: out of every cache
  std::int64_t threads = 0;     ///< 0 before resolution: every core
  std::string isa = "widest";
  KernelChoice kernel = KernelChoice::best;
  operators::MatrixPlace matrix = operators::MatrixPlace::constant;
  operators::Scatter scatter = operators::Scatter::atomics;
  double overlap = overlap_exponent;
  double observed_ps = 0;  ///< a figure from elsewhere to decode; 0: none
};

const ParameterTable<Parameters>& parameter_table();

/// The operator that the parameters describe. Throws UsageError when they contradict each other:
/// quadrature of a collocated kind, sweeps, or `vector` of the other family.
operators::ElementOperator element_operator(const Parameters& p);

/// The literature's kernel that `kernel` (slab or block) and `matrix` describe.
operators::GpuVariant gpu_variant(const Parameters& p);

/// Elements of a working set of about `working_set_bytes`, at least 1. From 64 elements on the
/// nearest count, within 15 %, whose near-cubic box has rows of whole vectors (8 elements of fp64);
/// where there is none, whole vectors in the box nearest to a cube.
std::int64_t elements_of(const operators::ElementOperator& element_operator,
                         double working_set_bytes);

/// Bytes that one application touches: vectors, geometry and map of all elements.
double working_set_bytes(const operators::ElementOperator& element_operator, std::int64_t elements);

/// Sum of this host's last-level data caches in bytes.
double host_last_level_bytes();

}  // namespace hpclab::roofline::operator_
