// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/kernels.hpp"

#include "core/error.hpp"
#include "cuda/operators/assemble.cuh"
#include "cuda/operators/kernel_tables.hpp"
#include "cuda/operators/on_device.hpp"
#include "operators/even_odd.hpp"
#include "operators/reference_element.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <fmt/format.h>

namespace hpclab::operators {
namespace {

template <class T>
constexpr Precision precision_of = std::is_same_v<T, double> ? Precision::fp64 : Precision::fp32;

template <class T>
struct Forms {
  ElementFunction<T> emulated = nullptr;
  const void* on_device = nullptr;
};

template <KernelTable table, class T>
Forms<T> find(const ElementInstance& instance) {
  return {on_emulator::find<table, T>(instance), on_device::find<table, T>(instance)};
}

template <class T>
Forms<T> forms_of(KernelFamily family, const ElementInstance& instance) {
  switch (family) {
    case KernelFamily::node:
      return find<KernelTable::node, T>(instance);
    case KernelFamily::slab:
      return find<KernelTable::slab, T>(instance);
    case KernelFamily::pencil:
      if (instance.mass) return find<KernelTable::mass, T>(instance);
      if (instance.sweeps == 18) return find<KernelTable::textbook, T>(instance);
      return instance.sweeps == 12 ? find<KernelTable::interpolated, T>(instance)
                                   : find<KernelTable::collocated, T>(instance);
    case KernelFamily::tensor:
      if constexpr (std::is_same_v<T, double>) return find<KernelTable::tensor, T>(instance);
      break;
  }
  return {};
}

}  // namespace

namespace kernels {

template <class T>
cuda::Kernel<ElementArguments<T>, ElementMatrices<T>> element(const ElementOperator& o,
                                                              const KernelVariant& variant) {
  if (o.precision != precision_of<T>) throw UsageError("the operator has another precision");
  const Forms<T> forms = forms_of<T>(variant.family, element_instance(o, variant));
  if (forms.emulated == nullptr) {
    throw UsageError(fmt::format("there is no kernel '{}' for this operator: see kernel_variants",
                                 variant.text()));
  }
  return {variant.text(), forms.emulated, forms.on_device};
}
template cuda::Kernel<ElementArguments<double>, ElementMatrices<double>> element(
    const ElementOperator&, const KernelVariant&);
template cuda::Kernel<ElementArguments<float>, ElementMatrices<float>> element(
    const ElementOperator&, const KernelVariant&);

template <class T>
cuda::Kernel<AssembleArguments<T>> assemble() {
  return {"sum of element vectors", &assemble_kernel<T>, on_device::assemble(precision_of<T>)};
}
template cuda::Kernel<AssembleArguments<double>> assemble();
template cuda::Kernel<AssembleArguments<float>> assemble();

}  // namespace kernels

template <class T>
ElementMatrices<T> element_matrices(const ElementOperator& o, bool even_odd) {
  const ReferenceElement reference = reference_element(o);
  ElementMatrices<T> matrices;
  std::size_t used = 0;
  const auto add = [&](const Matrix& matrix, Symmetry symmetry) {
    for (const long double a : packed(matrix, symmetry, even_odd))
      matrices.values[used++] = static_cast<T>(a);
  };
  const bool only_derivative = !is_mass(o.kind) && o.sweeps == 6;
  if (!only_derivative) add(reference.values, Symmetry::even);
  if (!is_mass(o.kind))
    add(o.sweeps == 18 ? reference.derivatives : reference.collocated, Symmetry::odd);
  const auto cast = [](long double a) { return static_cast<T>(a); };
  const QuadratureRule& rule = reference.points;
  std::transform(rule.points.begin(), rule.points.end(), matrices.points, cast);
  std::transform(rule.weights.begin(), rule.weights.end(), matrices.weights, cast);
  return matrices;
}
template ElementMatrices<double> element_matrices(const ElementOperator&, bool);
template ElementMatrices<float> element_matrices(const ElementOperator&, bool);

}  // namespace hpclab::operators
