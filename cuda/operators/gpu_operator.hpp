// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A mass matrix or Laplacian applied on a GPU (or in the emulator) without a matrix.
#pragma once

#include "cuda/core/buffer.hpp"
#include "cuda/operators/kernels.hpp"
#include "operators/gpu_work.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/vector_layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpclab::operators {

/// out = A in on the mesh, without boundary conditions. T is double or float, as the operator's
/// precision says. Vectors lie as `layout()` says, whose padding is 0.
template <class T>
class GpuOperator {
 public:
  /// Computes geometry and maps on the host and copies them. Throws UsageError for an operator that
  /// does not exist, CaseFailed as element_geometry() and where the machine has too little memory.
  GpuOperator(cuda::Runtime& runtime, const ElementOperator& element_operator, const HexMesh& mesh);

  const ElementOperator& element_operator() const { return operator_; }
  const VectorLayout& layout() const { return layout_; }
  std::uint32_t elements() const { return elements_; }

  /// Applies one variant; `scatter` is how an assembled vector is summed and means nothing for
  /// element vectors. Returns when the kernels are in the stream. `in` and `out` are memory of the
  /// machine, layout().entries() long.
  void apply(const KernelVariant& variant, Scatter scatter, const T* in, T* out,
             cuda::StreamHandle stream = nullptr);

  /// Bytes on the device, vectors not included.
  std::size_t bytes() const;

 private:
  void launch(const KernelVariant& variant, const ElementArguments<T>& arguments,
              cuda::StreamHandle stream);

  cuda::Runtime& runtime_;
  ElementOperator operator_;
  VectorLayout layout_;
  std::uint32_t elements_;
  ElementMatrices<T> dense_, halves_;
  cuda::Buffer<T> geometry_;
  cuda::Buffer<std::int32_t> map_;
  // Made when first asked for.
  struct Colour {
    std::uint32_t first;
    std::uint32_t elements;
  };
  std::vector<Colour> colours_;
  cuda::Buffer<std::uint32_t> order_;
  cuda::Buffer<T> element_vector_;
  cuda::Buffer<std::uint32_t> begins_, sources_;
};

}  // namespace hpclab::operators
