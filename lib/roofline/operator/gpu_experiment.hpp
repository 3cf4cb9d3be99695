// hpclab: SPDX-License-Identifier: Apache-2.0
//
// An operator on a GPU (or in the emulator) with random vectors, ready to be applied.
#pragma once

#include "core/context.hpp"
#include "cuda/operators/gpu_operator.hpp"
#include "operators/hex_mesh.hpp"
#include "roofline/operator/verify.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::roofline::operator_ {

/// T is double or float, as the operator's precision says.
template <class T>
class GpuExperiment {
 public:
  GpuExperiment(cuda::Runtime& runtime, const operators::ElementOperator& element_operator,
                const operators::BoxSplit& split, std::uint64_t seed);

  void enqueue(const operators::KernelVariant& variant, operators::Scatter scatter,
               cuda::StreamHandle stream) {
    operator_.apply(variant, scatter, in_.data(), out_.data(), stream);
  }

  /// Applies the variant to an overwritten result and compares patches around the first, a random,
  /// the middle and the last element with a direct evaluation. Throws CaseFailed as verify().
  Verified check(const operators::KernelVariant& variant, operators::Scatter scatter,
                 const Context& context);

  /// The same, but compares every node with the result that the last check() found right, as a
  /// direct evaluation takes longer than many kernels. Throws CaseFailed.
  Verified check_again(const operators::KernelVariant& variant, operators::Scatter scatter);

  /// Another input vector, of numbers in [1, 2).
  void randomise(std::uint64_t seed);

  std::int64_t elements() const { return mesh_.elements(); }

 private:
  std::vector<T> result_of(const operators::KernelVariant& variant, operators::Scatter scatter);

  cuda::Runtime& runtime_;
  operators::HexMesh mesh_;
  operators::GpuOperator<T> operator_;
  cuda::Buffer<T> in_;
  cuda::Buffer<T> out_;
  std::vector<T> right_;  ///< result of the last check()
  Verified verified_;
};

/// Bytes on the device at most: geometry, vectors and what each way of adding needs.
std::uint64_t gpu_experiment_bytes(const operators::ElementOperator& element_operator,
                                   const operators::BoxSplit& split, operators::Scatter scatter);

}  // namespace hpclab::roofline::operator_
