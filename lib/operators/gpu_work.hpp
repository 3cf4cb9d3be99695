// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What the GPU kernels of an element operator ask of each unit, counted per element: L2 bytes,
// shared-memory wavefronts, load and store instructions, multiply-adds and launches.
#pragma once

#include "operators/element_operator.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace hpclab::operators {

/// block: one thread a point, all values of an element in shared memory. slab: one thread a line of
/// points, which keeps its line in registers and exchanges one slab at a time.
enum class GpuKernel { slab, block };

/// Where the one-dimensional matrices lie: constant memory or registers, whose operands cost no
/// load, or shared memory.
enum class MatrixPlace { constant, shared };

/// How element results are added to an assembled vector: atomic additions, one launch a colour of
/// elements without common nodes (8 of them), or element vectors that a second kernel gathers.
enum class Scatter { atomics, colouring, pass };

struct GpuVariant {
  GpuKernel kernel = GpuKernel::slab;
  MatrixPlace matrix = MatrixPlace::constant;
  Scatter scatter = Scatter::atomics;
};

/// Per element and application, dense contractions (every output belongs to one thread, so even-odd
/// symmetry saves nothing).
struct GpuWork {
  double dram_bytes = 0;           ///< compulsory ones and those of the scatter
  double l2_bytes = 0;             ///< every global access, shared nodes once an element
  double shared_bytes = 0;         ///< words read and written x their size
  double memory_instructions = 0;  ///< loads and stores of threads, global and shared
  double multiply_adds = 0;        ///< instructions of threads
  double other_flops = 0;
  double launches = 1;  ///< kernels of one application (not per element)
  /// Conflict-free wavefronts of 128 bytes.
  double shared_wavefronts() const { return shared_bytes / 128; }
};

/// Shared memory: a block kernel reads `columns` words and writes one for each output of a sweep,
/// sweeps x (n + 1) words a point with n points a direction. In a slab kernel a third of the sweeps
/// runs along the line that a thread holds, and every second sweep writes: 4 n + 3 words a point at
/// 6 sweeps. Matrices in shared memory add `columns` words for each output.
GpuWork gpu_work(const ElementOperator& element_operator, const GpuVariant& variant);

/// Why a kernel of that shape cannot run (threads of a block, shared memory of `shared_limit_bytes`
/// a block; 0: not checked); nullopt when it can.
std::optional<std::string> gpu_limit(const ElementOperator& element_operator,
                                     const GpuVariant& variant, double shared_limit_bytes);

std::string_view name_of(GpuKernel kernel);
std::string_view name_of(MatrixPlace place);
std::string_view name_of(Scatter scatter);

}  // namespace hpclab::operators
