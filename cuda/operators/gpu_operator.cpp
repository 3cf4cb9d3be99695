// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/operators/gpu_operator.hpp"

#include "cuda/operators/element_data.hpp"

namespace hpclab::operators {

template <class T>
GpuOperator<T>::GpuOperator(cuda::Runtime& runtime, const ElementOperator& o, const HexMesh& mesh)
    : runtime_(runtime),
      operator_((require_valid(o), o)),
      layout_(mesh.split(), o.degree, is_assembled(o.kind), 1),
      elements_(static_cast<std::uint32_t>(mesh.elements())),
      dense_(element_matrices<T>(o, false)),
      halves_(element_matrices<T>(o, true)),
      geometry_(runtime, element_geometry<T>(o, mesh, layout_)) {
  if (is_assembled(o.kind)) map_ = {runtime, node_map(layout_)};
}

template <class T>
void GpuOperator<T>::launch(const KernelVariant& variant, const ElementArguments<T>& arguments,
                            cuda::StreamHandle stream) {
  cuda::LaunchShape shape = launch_shape(operator_, variant, arguments.elements);
  shape.stream = stream;
  cuda::launch(runtime_, kernels::element<T>(operator_, variant), shape, arguments,
               uses_even_odd(operator_, variant) ? halves_ : dense_);
}

template <class T>
void GpuOperator<T>::apply(const KernelVariant& variant, Scatter scatter, const T* in, T* out,
                           cuda::StreamHandle stream) {
  ElementArguments<T> a;
  a.in = in;
  a.out = out;
  a.geometry = geometry_.data();
  a.geometry_kind = operator_.geometry;
  a.elements = elements_;
  if (!is_assembled(operator_.kind)) {
    launch(variant, a, stream);
    return;
  }
  a.map = map_.data();
  if (scatter == Scatter::pass) {
    if (element_vector_.size() == 0) {
      const NodeSources lists = node_sources(map_.download(), layout_.entries());
      begins_ = {runtime_, lists.begins};
      sources_ = {runtime_, lists.sources};
      element_vector_ = {runtime_, map_.size()};
    }
    a.out = element_vector_.data();
    launch(variant, a, stream);
    AssembleArguments<T> sum;
    sum.in = element_vector_.data();
    sum.out = out;
    sum.begins = begins_.data();
    sum.sources = sources_.data();
    sum.entries = static_cast<std::uint32_t>(layout_.entries());
    constexpr unsigned threads = 256;
    cuda::launch(runtime_, kernels::assemble<T>(),
                 {{(sum.entries + threads - 1) / threads}, {threads}, 0, stream}, sum);
    return;
  }
  runtime_.fill(out, 0, layout_.entries() * sizeof(T), stream);
  if (scatter == Scatter::atomics) {
    a.update = NodeUpdate::atomic_add;
    launch(variant, a, stream);
    return;
  }
  if (colours_.empty()) {
    std::vector<std::uint32_t> order;
    for (const auto& list : element_colours(layout_)) {
      colours_.push_back(
          {static_cast<std::uint32_t>(order.size()), static_cast<std::uint32_t>(list.size())});
      order.insert(order.end(), list.begin(), list.end());
    }
    order_ = {runtime_, order};
  }
  a.update = NodeUpdate::add;
  for (const Colour& colour : colours_) {
    a.order = order_.data() + colour.first;
    a.elements = colour.elements;
    launch(variant, a, stream);
  }
}

template <class T>
std::size_t GpuOperator<T>::bytes() const {
  return geometry_.bytes() + map_.bytes() + order_.bytes() + element_vector_.bytes() +
         begins_.bytes() + sources_.bytes();
}

template class GpuOperator<double>;
template class GpuOperator<float>;

}  // namespace hpclab::operators
