// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/gpu_experiment.hpp"

#include "core/error.hpp"
#include "cuda/operators/element_data.hpp"
#include "machine/memory.hpp"
#include "operators/element_work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

// Numbers in [1, 2).
template <class T>
std::vector<T> random_numbers(std::size_t size, std::uint64_t seed) {
  std::vector<double> numbers(size);
  machine::fill_random(numbers, seed);
  return {numbers.begin(), numbers.end()};
}

// Meshes as for processors: each geometry gets the most general elements that it can describe.
operators::HexMesh mesh_for(const operators::ElementOperator& o, const operators::BoxSplit& split) {
  return operators::HexMesh(split, o.geometry == operators::Geometry::affine
                                       ? operators::sheared_cube
                                       : operators::deformed_cube);
}

}  // namespace

template <class T>
GpuExperiment<T>::GpuExperiment(cuda::Runtime& runtime, const operators::ElementOperator& o,
                                const operators::BoxSplit& split, std::uint64_t seed)
    : runtime_(runtime),
      mesh_(mesh_for(o, split)),
      operator_(runtime, o, mesh_),
      in_(runtime, operator_.layout().entries()),
      out_(runtime, operator_.layout().entries()) {
  randomise(seed);
}

template <class T>
void GpuExperiment<T>::randomise(std::uint64_t seed) {
  in_.upload(random_numbers<T>(operator_.layout().entries(), seed));
}

template <class T>
std::vector<T> GpuExperiment<T>::result_of(const operators::KernelVariant& variant,
                                           operators::Scatter scatter) {
  runtime_.fill(out_.data(), 0xcd, out_.bytes(), nullptr);
  enqueue(variant, scatter, nullptr);
  runtime_.synchronize(nullptr);
  return out_.download();
}

template <class T>
Verified GpuExperiment<T>::check(const operators::KernelVariant& variant,
                                 operators::Scatter scatter, const Context& context) {
  right_ = result_of(variant, scatter);
  const std::vector<T> in = in_.download();
  const auto value_in = [this](const std::vector<T>& vector) {
    return [this, &vector](std::int64_t element, int i, int j, int k) {
      return static_cast<double>(vector[operator_.layout().entry(element, i, j, k)]);
    };
  };
  RandomStream random = context.random("verified elements");
  const auto anywhere =
      static_cast<std::int64_t>(random.uniform() * static_cast<double>(elements()));
  verified_ = verify(operator_.element_operator(), mesh_,
                     {0, anywhere, elements() / 2, elements() - 1}, value_in(in), value_in(right_));
  return verified_;
}

template <class T>
Verified GpuExperiment<T>::check_again(const operators::KernelVariant& variant,
                                       operators::Scatter scatter) {
  const std::vector<T> out = result_of(variant, scatter);
  const int n = operator_.element_operator().nodes();
  double largest = 0, error = 0;
  Verified verified = verified_;
  verified.nodes = 0;
  for (std::int64_t element = 0; element < elements(); ++element) {
    for (int node = 0; node < n * n * n; ++node) {
      const std::size_t entry =
          operator_.layout().entry(element, node % n, node / n % n, node / n / n);
      const double right = static_cast<double>(right_[entry]);
      const double difference = std::abs(static_cast<double>(out[entry]) - right);
      largest = std::max(largest, std::abs(right));
      // A comparison that is false for what is not a number.
      if (!(difference <= error)) error = std::isfinite(difference) ? difference : HUGE_VAL;
      ++verified.nodes;
    }
  }
  verified.largest_error = error / largest;
  if (!(verified.largest_error <= verified.tolerated_error)) {
    throw CaseFailed(
        fmt::format("the result of '{}' differs from that of another kernel by {:.2g} of the "
                    "largest entry, where rounding explains {:.2g}",
                    variant.text(), verified.largest_error, verified.tolerated_error));
  }
  return verified;
}

template class GpuExperiment<double>;
template class GpuExperiment<float>;

std::uint64_t gpu_experiment_bytes(const operators::ElementOperator& o,
                                   const operators::BoxSplit& split, operators::Scatter scatter) {
  const auto elements = static_cast<std::uint64_t>(split.elements());
  const auto word = static_cast<std::uint64_t>(operators::bytes_of(o.precision));
  const auto nodes = elements * static_cast<std::uint64_t>(operators::nodes_per_element(o));
  const bool assembled = operators::is_assembled(o.kind);
  std::uint64_t bytes = 2 * word * nodes + word * elements * operators::geometry_numbers(o);
  if (assembled) bytes += 4 * nodes;
  if (assembled && scatter == operators::Scatter::pass) bytes += (word + 8) * nodes;
  if (assembled && scatter == operators::Scatter::colouring) bytes += 4 * elements;
  return bytes;
}

}  // namespace hpclab::roofline::operator_
