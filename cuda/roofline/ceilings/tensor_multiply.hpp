// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Square matrix products on tensor cores through cuBLASLt, which is loaded at run time. Device
// only: the emulator has no tensor cores.
#pragma once

#include "cuda/core/runtime.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

/// Types of the factors. Sums are kept in fp64 for fp64, in int32 for int8, in fp32 for the others.
enum class TensorPrecision { fp64, tf32, bf16, fp16, fp8, int8 };

const char* name_of(TensorPrecision precision);

/// `count` elements as cuBLASLt reads them: random signs and significands, magnitudes in
/// [1/8, 2) (int8: all values), so that no sum overflows and no bit pattern repeats.
std::vector<std::uint8_t> random_elements(TensorPrecision precision, std::size_t count,
                                          std::uint64_t seed);
std::size_t element_bytes(TensorPrecision precision);
/// The number that element `index` of such bytes stands for.
double element_value(TensorPrecision precision, const std::uint8_t* elements, std::size_t index);

class TensorMultiply {
 public:
  /// n x n matrices, n a multiple of 128. Throws NotAvailable when cuBLASLt cannot be loaded or has
  /// no algorithm for the type on this device.
  TensorMultiply(cuda::Runtime& runtime, TensorPrecision precision, int n, std::uint64_t seed);
  ~TensorMultiply();
  TensorMultiply(const TensorMultiply&) = delete;
  TensorMultiply& operator=(const TensorMultiply&) = delete;

  /// D = A^T B on the stream.
  void launch(cuda::StreamHandle stream);
  /// How many algorithms the library proposes, and which of them launch() takes.
  int algorithms() const;
  void choose(int algorithm);

  double flops() const;  ///< of one product: 2 n^3
  /// Largest |D - A^T B| / (|A|^T |B|) over `entries` entries that are computed anew in double.
  double max_error_ratio(int entries) const;
  /// What rounding may make of that: of the products' sum and of the type of D.
  double allowed_error_ratio() const;
  std::string library_version() const;  ///< "13.0.2"

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace hpclab::roofline::ceilings
