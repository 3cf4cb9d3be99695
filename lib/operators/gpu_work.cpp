// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/gpu_work.hpp"

#include "operators/element_work.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::operators {
namespace {

constexpr int colours = 8;  // of a structured hexahedral mesh
constexpr int most_threads_of_a_block = 1024;

double shared_words(const std::vector<Contraction>& sweeps, const GpuVariant& variant) {
  double words = 0;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    const Contraction& sweep = sweeps[i];
    const double outputs = sweep.rows * sweep.lines;
    if (variant.kernel == GpuKernel::block) {
      words += outputs * (sweep.columns + 1);
    } else {
      const bool along_registers = i % 3 == 2;
      words += outputs * (along_registers ? 0 : sweep.columns) + outputs / 2;
    }
    if (variant.matrix == MatrixPlace::shared) words += outputs * sweep.columns;
  }
  return words;
}

}  // namespace

GpuWork gpu_work(const ElementOperator& o, const GpuVariant& variant) {
  ElementOperator dense = o;
  dense.even_odd = false;
  const ElementWork work = element_work(dense);
  const double word = bytes_of(o.precision);
  const double nodes = nodes_per_element(o);
  const double unknowns = dof_per_element(o);
  const bool assembled = is_assembled(o.kind);

  GpuWork gpu;
  gpu.multiply_adds = work.multiply_adds;
  gpu.other_flops = work.other_flops;
  gpu.shared_bytes = word * shared_words(contractions(o), variant);
  gpu.dram_bytes = work.dram_bytes();
  gpu.l2_bytes = 2 * word * nodes + work.geometry_bytes + work.index_bytes;
  double global_accesses =
      2 * nodes + (work.geometry_bytes / word) + (assembled ? nodes : 0);  // the map is read once
  if (assembled && variant.scatter == Scatter::pass) {
    // The element vector is written and read again, through the map.
    gpu.dram_bytes += 2 * word * nodes + 4 * nodes;
    gpu.l2_bytes += word * nodes + 4 * nodes + word * unknowns;
    global_accesses += 2 * nodes + unknowns;
    gpu.launches = 2;
  } else if (assembled) {
    // The result is cleared first and then read where it is added to.
    gpu.dram_bytes += 2 * word * unknowns;
    gpu.l2_bytes += word * nodes + word * unknowns;
    global_accesses += unknowns + (variant.scatter == Scatter::colouring ? nodes : 0);
    gpu.launches = 1 + (variant.scatter == Scatter::colouring ? colours : 1);
  }
  gpu.memory_instructions = global_accesses + gpu.shared_bytes / word;
  return gpu;
}

std::optional<std::string> gpu_limit(const ElementOperator& o, const GpuVariant& variant,
                                     double shared_limit_bytes) {
  const int n = o.nodes();
  const int q = is_collocated(o.kind) ? n : o.quadrature;
  const int widest = std::max(n, q);
  if (variant.kernel == GpuKernel::block && widest * widest * widest > most_threads_of_a_block) {
    return fmt::format(
        "kernel=block needs {}^3 = {} threads a block and a GPU has {}; kernel=slab needs {}",
        widest, widest * widest * widest, most_threads_of_a_block, widest * widest);
  }
  const double word = bytes_of(o.precision);
  const double points = static_cast<double>(widest) * widest * widest;
  const double arrays = variant.kernel == GpuKernel::block ? 4 * points : 3.0 * widest * widest;
  const double matrices = variant.matrix == MatrixPlace::shared ? 2.0 * n * q : 0;
  const double needed = word * (arrays + matrices);
  if (shared_limit_bytes > 0 && needed > shared_limit_bytes) {
    return fmt::format(
        "kernel={} needs {:.0f} bytes of shared memory a block and the GPU has {:.0f}",
        name_of(variant.kernel), needed, shared_limit_bytes);
  }
  return std::nullopt;
}

std::string_view name_of(GpuKernel kernel) {
  return kernel == GpuKernel::slab ? "slab" : "block";
}

std::string_view name_of(MatrixPlace place) {
  return place == MatrixPlace::constant ? "constant" : "shared";
}

std::string_view name_of(Scatter scatter) {
  switch (scatter) {
    case Scatter::atomics:
      return "atomics";
    case Scatter::colouring:
      return "colouring";
    case Scatter::pass:
      return "pass";
  }
  return "";
}

}  // namespace hpclab::operators
