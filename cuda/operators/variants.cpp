// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/variants.hpp"

#include "core/error.hpp"
#include "cuda/operators/cube_layout.hpp"
#include "cuda/operators/node_shape.hpp"
#include "cuda/operators/pencil_shape.hpp"
#include "cuda/operators/slab_shape.hpp"
#include "cuda/operators/tensor_shape.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace hpclab::operators {
namespace {

int points_of(const ElementOperator& o) {
  return is_collocated(o.kind) ? o.nodes() : o.quadrature;
}

/// Threads of an element, and of a block at most.
struct ThreadCounts {
  int element = 0;
  int block = 0;
};

ThreadCounts threads_of(const ElementOperator& o, KernelFamily family) {
  const int q = points_of(o);
  switch (family) {
    case KernelFamily::node:
      return {q * q * q, node_block_threads};
    case KernelFamily::slab:
      return {q * q, slab_block_threads};
    case KernelFamily::pencil:
      return {q * q, pencil_block_threads};
    case KernelFamily::tensor:
      break;
  }
  return {tensor_threads(q), tensor_threads(q)};
}

bool collocated_by_6_sweeps(const ElementOperator& o) {
  return is_collocated(o.kind) && o.sweeps == 6;
}

/// The textbook's pencils are dense whatever is asked for.
bool pencil_even_odd(const ElementOperator& o) {
  return o.even_odd && o.sweeps != 18;
}

bool exists(const ElementOperator& o, KernelFamily family) {
  switch (family) {
    case KernelFamily::node:
      return o.degree <= node_largest_degree && o.sweeps != 18;
    case KernelFamily::slab:
      return collocated_by_6_sweeps(o) && o.degree >= slab_smallest_degree &&
             o.geometry != Geometry::trilinear;
    case KernelFamily::pencil:
      return pencil_exists(bytes_of(o.precision), o.nodes(), is_mass(o.kind), o.sweeps,
                           is_collocated(o.kind) ? o.geometry : Geometry::trilinear,
                           pencil_even_odd(o));
    case KernelFamily::tensor:
      break;
  }
  return collocated_by_6_sweeps(o) && o.degree >= tensor_smallest_degree &&
         o.precision == Precision::fp64;
}

/// The variant with every block size that makes sense: up to the block's limit, but not more than
/// 256 threads for several elements; whole warps where an element's threads divide one, because its
/// barriers are then of the warp.
void add_block_sizes(const ElementOperator& o, KernelVariant variant,
                     std::vector<KernelVariant>& variants) {
  const ThreadCounts threads = threads_of(o, variant.family);
  for (const int elements : {1, 2, 3, 4, 6, 8, 12, 16, 32, 64}) {
    if (elements > 1 && elements * threads.element > std::min(threads.block, 256)) continue;
    if (32 % threads.element == 0 && elements * threads.element % 32 != 0) continue;
    // A single element of less than a warp leaves most lanes empty.
    if (elements == 1 && threads.element < 24) continue;
    variant.elements_per_block = elements;
    variants.push_back(variant);
  }
}

std::size_t shared_words(const ElementOperator& o, const KernelVariant& variant) {
  const int q = points_of(o), word = bytes_of(o.precision);
  const int elements = variant.elements_per_block;
  const bool mass = is_mass(o.kind);
  int words = 0;
  switch (variant.family) {
    case KernelFamily::node:
      words = node_matrix_words(o.nodes(), q, mass, word) + elements * node_cubes(mass) * q * q * q;
      break;
    case KernelFamily::slab:
      words = slab_matrix_words(q, word) + elements * slab_planes * q * q;
      break;
    case KernelFamily::pencil:
      words = elements * pencil_cubes(mass) * cube_layout(q, word).element;
      break;
    case KernelFamily::tensor:
      words = tensor_cubes * tensor_plane(q) * q;
      break;
  }
  return static_cast<std::size_t>(words);
}

}  // namespace

const char* name_of(KernelFamily family) {
  switch (family) {
    case KernelFamily::node:
      return "node";
    case KernelFamily::slab:
      return "slab";
    case KernelFamily::pencil:
      return "pencil";
    case KernelFamily::tensor:
      break;
  }
  return "tensor";
}

std::string KernelVariant::text() const {
  std::string text = fmt::format("{}, {} element{} a block", name_of(family), elements_per_block,
                                 elements_per_block == 1 ? "" : "s");
  if (family == KernelFamily::slab)
    text += matrix_in_registers ? ", matrix in registers" : ", matrix in shared memory";
  if (resident_blocks > 1) text += fmt::format(", registers for {} blocks", resident_blocks);
  return text;
}

bool uses_even_odd(const ElementOperator& o, const KernelVariant& variant) {
  return pencil_even_odd(o) && variant.family == KernelFamily::pencil;
}

ElementInstance element_instance(const ElementOperator& o, const KernelVariant& variant) {
  ElementInstance instance;
  instance.nodes = o.nodes();
  instance.points = points_of(o);
  instance.mass = is_mass(o.kind);
  instance.sweeps = o.sweeps;
  instance.geometry = o.geometry;
  instance.even_odd = uses_even_odd(o, variant);
  instance.resident_blocks = variant.resident_blocks;
  instance.matrix_in_registers = variant.matrix_in_registers;
  return instance;
}

std::vector<KernelVariant> kernel_variants(const ElementOperator& o) {
  require_valid(o);
  if (!is_collocated(o.kind) && o.quadrature != o.degree + 2) {
    throw CaseSkipped(fmt::format(
        "GPU kernels with interpolation were built for quadrature = degree + 2 = {}, not {}",
        o.degree + 2, o.quadrature));
  }
  std::vector<KernelVariant> variants;
  const auto add = [&](KernelVariant variant) { add_block_sizes(o, variant, variants); };
  if (exists(o, KernelFamily::pencil)) {
    add({KernelFamily::pencil});
    if (collocated_by_6_sweeps(o) && o.even_odd) {
      const int word = bytes_of(o.precision);
      const int fewer = fewer_resident_blocks(word, o.nodes(), o.geometry);
      if (fewer > 0) add({KernelFamily::pencil, 1, fewer});
      add({KernelFamily::pencil, 1, most_resident_blocks(word, o.nodes(), o.geometry)});
    }
  }
  if (exists(o, KernelFamily::node)) add({KernelFamily::node});
  if (exists(o, KernelFamily::slab)) {
    add({KernelFamily::slab, 1, 1, false});
    if (slab_keeps_matrix(bytes_of(o.precision), o.nodes(), o.geometry))
      add({KernelFamily::slab, 1, 1, true});
  }
  if (exists(o, KernelFamily::tensor)) add({KernelFamily::tensor});
  if (variants.empty()) {
    throw CaseSkipped(fmt::format(
        "no GPU kernel was built for dense contractions of this operator at degree {} in {}, whose "
        "registers do not suffice; even_odd=true has one",
        o.degree, name_of(o.precision)));
  }
  return variants;
}

cuda::LaunchShape launch_shape(const ElementOperator& o, const KernelVariant& variant,
                               std::uint32_t elements) {
  const ThreadCounts threads = threads_of(o, variant.family);
  const int slots = variant.elements_per_block;
  if (slots < 1 || slots * threads.element > threads.block) {
    throw UsageError(fmt::format("{} elements of {} threads do not fit a block of {}", slots,
                                 threads.element, threads.block));
  }
  const auto elements_a_block = static_cast<std::uint32_t>(slots);
  cuda::LaunchShape shape;
  shape.grid = {std::max(1u, (elements + elements_a_block - 1) / elements_a_block)};
  shape.block = {static_cast<unsigned>(threads.element), elements_a_block};
  shape.dynamic_shared_bytes =
      shared_words(o, variant) * static_cast<unsigned>(bytes_of(o.precision));
  return shape;
}

}  // namespace hpclab::operators
