// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_work.hpp"

#include "operators/cpu_batch.hpp"
#include "operators/cpu_pass_work.hpp"
#include "operators/element_work.hpp"
#include "operators/vector_layout.hpp"

namespace hpclab::operators {
namespace {

/// Bytes of the descriptions that a batch reads beside its numbers: links to neighbouring groups,
/// their counts, and the places that it clears.
constexpr double link_bytes = sizeof(GroupLink);
constexpr double fixed_index_bytes = 7 + 2 * 8 + 12;

/// What passes leave for later ones.
std::vector<Reuse> reuses_of_passes(const ElementOperator& o, double bytes_a_number) {
  const double n = o.nodes(), q = o.quadrature;
  const double nodes = n * n * n * bytes_a_number;
  const double points = q * q * q * bytes_a_number;
  const double between = n * q * q * bytes_a_number;
  const double metric = o.geometry == Geometry::stored ? (is_mass(o.kind) ? 1 : 6) * points : 0;
  const double vector = is_assembled(o.kind) ? dof_per_element(o) * bytes_a_number : nodes;
  std::vector<Reuse> reuses;
  const auto reuse = [&](double bytes, double distance) {
    reuses.push_back({bytes, bytes, distance});
  };
  if (o.sweeps == 18) {
    reuse(nodes, nodes + vector);
    for (int component = 0; component < 3; ++component) {
      for (const double cube : {nodes, between, between}) reuse(cube, cube + between);
      for (const double cube : {points, between, between}) reuse(cube, cube + between);
    }
    reuse(3 * points, 3 * points + metric);
    reuse(3 * points, 3 * points + metric);
    reuse(nodes, 2 * nodes);
  } else if (is_mass(o.kind)) {
    reuse(between, between + vector);
    if (o.geometry != Geometry::stored) reuse(points, between + points);
    reuse(between, between + metric);
  } else {
    const double before = is_collocated(o.kind) ? 0 : between;
    if (before > 0) reuse(between, between + vector);
    reuse(2 * points, 2 * points + (before > 0 ? between : vector));
    reuse(2 * points, 2 * points + metric);
    if (before > 0) reuse(between, 2 * points + between);
  }
  return reuses;
}

/// Nodes that a batch shares with later ones: read again from the input there, and added to in the
/// output. The next batch holds neighbours along x, the next row of elements those along y, the
/// next plane those along z.
std::vector<Reuse> reuses_of_batches(const ElementOperator& o, const BoxSplit& split,
                                     double element_bytes) {
  std::vector<Reuse> reuses;
  if (!is_assembled(o.kind)) return reuses;
  const int lanes = lanes_of(o.precision);
  const double row = element_bytes * split.x;
  const double plane = row * split.y;
  for (int bits = 1; bits < 8; ++bits) {
    const double bytes = links_of_relation(bits, split, lanes) * nodes_of_relation(bits, o.degree) *
                         bytes_of(o.precision);
    reuses.push_back({2 * bytes, bytes,
                      (bits & 4) != 0   ? plane
                      : (bits & 2) != 0 ? row
                                        : element_bytes * lanes});
  }
  return reuses;
}

/// A load of what was just stored takes two steps; an even-odd contraction its sums, half of the
/// columns and its differences, a dense one all columns.
double dependent_steps(const ElementOperator& o) {
  double steps = 0;
  for (const Contraction& sweep : contractions(o))
    steps += 2 + (o.even_odd ? (sweep.columns + 1) / 2 + 2 : sweep.columns);
  return steps + (is_mass(o.kind) ? 1 : 3 + 2);  // metric, and sums of directions
}

}  // namespace

int register_lanes(InstructionSet isa, Precision precision) {
  const int bytes = isa == InstructionSet::avx512 ? 64 : isa == InstructionSet::avx2 ? 32 : 0;
  return bytes == 0 ? 1 : bytes / bytes_of(precision);
}

CpuWork cpu_work(const ElementOperator& o, const BoxSplit& split, InstructionSet isa) {
  const int in_register = register_lanes(isa, o.precision);
  const double word = bytes_of(o.precision);
  CpuWork work;
  work.passes = pass_work(o, split, isa);
  for (PassWork& pass : work.passes) {
    for (double* count :
         {&pass.products, &pass.additions, &pass.divisions, &pass.permutes, &pass.loads,
          &pass.stores, &pass.narrow_loads, &pass.narrow_stores, &pass.fetches}) {
      *count /= in_register;
    }
  }
  work.dependent_steps = dependent_steps(o) / in_register;

  const ElementWork element = element_work(o);
  const double vector = word * (is_assembled(o.kind) ? dof_per_element(o) : nodes_per_element(o));
  double index = 0;
  if (is_assembled(o.kind)) {
    const int lanes = lanes_of(o.precision);
    double links = 0;
    for (int bits = 1; bits < 8; ++bits) links += links_of_relation(bits, split, lanes);
    index = (links * link_bytes + fixed_index_bytes) / lanes;
  }
  work.streamed_read_bytes = vector + element.geometry_bytes + index;
  work.streamed_written_bytes = vector;

  work.reuses = reuses_of_passes(o, word * in_register);
  for (Reuse& reuse : work.reuses) {
    reuse.read_bytes /= in_register;
    reuse.written_bytes /= in_register;
  }
  for (const Reuse& reuse :
       reuses_of_batches(o, split, work.streamed_read_bytes + work.streamed_written_bytes)) {
    work.reuses.push_back(reuse);
  }
  return work;
}

}  // namespace hpclab::operators
