// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_program.hpp"

#include "operators/even_odd.hpp"
#include "operators/reference_element.hpp"

#include <array>
#include <type_traits>

namespace hpclab::operators {
namespace {

template <typename T>
PassTables<T> all_tables(InstructionSet isa) {
  if constexpr (std::is_same_v<T, double>) {
    switch (isa) {
      case InstructionSet::avx512:
        return {transfer_fp64_avx512, gradient_fp64_avx512, interpolation_fp64_avx512,
                sweep_fp64_avx512};
      case InstructionSet::avx2:
        return {transfer_fp64_avx2, gradient_fp64_avx2, interpolation_fp64_avx2, sweep_fp64_avx2};
      default:
        return {transfer_fp64_scalar, gradient_fp64_scalar, interpolation_fp64_scalar,
                sweep_fp64_scalar};
    }
  } else {
    switch (isa) {
      case InstructionSet::avx512:
        return {transfer_fp32_avx512, gradient_fp32_avx512, interpolation_fp32_avx512,
                sweep_fp32_avx512};
      case InstructionSet::avx2:
        return {transfer_fp32_avx2, gradient_fp32_avx2, interpolation_fp32_avx2, sweep_fp32_avx2};
      default:
        return {transfer_fp32_scalar, gradient_fp32_scalar, interpolation_fp32_scalar,
                sweep_fp32_scalar};
    }
  }
}

template <typename T>
bool exists(const GradientPasses<T>& passes) {
  return passes.planes[0] != nullptr;
}
template <typename T>
bool exists(const InterpolationPasses<T>& passes) {
  return passes.mass_z != nullptr;
}
template <typename T>
bool exists(const SweepPasses<T>& passes) {
  return passes.gradient != nullptr;
}

// The entry compiled for n nodes and q points, or the one that reads its sizes at run time.
template <typename Table>
const auto& entry_for(const Table& table, int n, int q, bool even_odd) {
  const int more = q - n;
  const bool compiled = (more == 0 || more == 1) && exists(table.of[n][more][even_odd]);
  return compiled ? table.of[n][more][even_odd] : table.of[0][0][even_odd];
}

}  // namespace

template <typename T>
Program<T> program_from(const PassTables<T>& tables, const ElementOperator& o) {
  const TransferTable<T>& transfer = tables.transfer;
  const int n = o.nodes(), q = o.quadrature, geometry = static_cast<int>(o.geometry);
  const int vectors = is_assembled(o.kind);
  Program<T> program;
  program.before_batch = is_assembled(o.kind) ? transfer.clear : nullptr;
  const auto then = [&](Pass<T> pass) { program.passes.push_back(pass); };
  if (o.sweeps == 18) {
    const SweepPasses<T>& sweep = entry_for(tables.sweep, n, q, o.even_odd);
    then(transfer.read[vectors]);
    then(sweep.gradient);
    then(transfer.metric_at_points[geometry]);
    then(sweep.transposed);
    then(transfer.add[vectors]);
    return program;
  }
  const GradientPasses<T>& compiled = tables.gradient.of[q][o.even_odd];
  const GradientPasses<T>& gradient =
      exists(compiled) ? compiled : tables.gradient.of[0][o.even_odd];
  if (is_collocated(o.kind)) {
    then(gradient.read_and_z[vectors]);
    then(gradient.planes[geometry]);
    then(gradient.z_transposed_and_add[vectors]);
    return program;
  }
  const InterpolationPasses<T>& between = entry_for(tables.interpolation, n, q, o.even_odd);
  then(between.read_and_xy[vectors]);
  if (is_mass(o.kind)) {
    if (o.geometry != Geometry::stored) then(transfer.mass_factors[geometry]);
    then(between.mass_z);
  } else {
    then(between.gradient_z);
    then(gradient.planes[geometry]);
    then(between.gradient_z_transposed);
  }
  then(between.xy_transposed_and_add[vectors]);
  return program;
}

template <typename T>
Program<T> program_of(const ElementOperator& o, InstructionSet isa) {
  return program_from(all_tables<T>(isa), o);
}

template <typename T>
int register_lanes(InstructionSet isa) {
  const int bytes = isa == InstructionSet::avx512 ? 64 : isa == InstructionSet::avx2 ? 32 : 0;
  return bytes == 0 ? 1 : bytes / static_cast<int>(sizeof(T));
}

template <typename T>
OperatorTables<T>::OperatorTables(const ElementOperator& o) {
  const ReferenceElement element = reference_element(o);
  const auto pack = [&](const Matrix& matrix, Symmetry symmetry) {
    return packed(matrix, symmetry, o.even_odd);
  };
  const std::array lists = {pack(element.values, Symmetry::even),
                            pack(element.values.transposed(), Symmetry::even),
                            pack(element.collocated, Symmetry::odd),
                            pack(element.collocated.transposed(), Symmetry::odd),
                            pack(element.derivatives, Symmetry::odd),
                            pack(element.derivatives.transposed(), Symmetry::odd),
                            element.points.weights,
                            element.points.points};
  std::array<const T**, lists.size()> places = {
      &tables_.to_points,     &tables_.to_nodes,        &tables_.gradient, &tables_.gradient_t,
      &tables_.node_gradient, &tables_.node_gradient_t, &tables_.weights,  &tables_.points};
  for (const auto& list : lists)
    for (const long double number : list) numbers_.push_back(static_cast<T>(number));
  const T* next = numbers_.data();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    *places[i] = next;
    next += lists[i].size();
  }
}

template Program<double> program_from<double>(const PassTables<double>&, const ElementOperator&);
template Program<float> program_from<float>(const PassTables<float>&, const ElementOperator&);
template Program<double> program_of<double>(const ElementOperator&, InstructionSet);
template Program<float> program_of<float>(const ElementOperator&, InstructionSet);
template int register_lanes<double>(InstructionSet);
template int register_lanes<float>(InstructionSet);
template class OperatorTables<double>;
template class OperatorTables<float>;

}  // namespace hpclab::operators
