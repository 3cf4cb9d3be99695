// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/roofline/ceilings/tensor_multiply.hpp"

#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/dynamic_library.hpp"
#include "cuda/roofline/ceilings/cublaslt_interface.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

using namespace cublaslt;

struct Types {
  int factors;
  int result;
  int compute;
  int scale;
  int result_bytes;
};

Types types_of(TensorPrecision precision) {
  switch (precision) {
    case TensorPrecision::fp64:
      return {real_64f, real_64f, compute_64f, real_64f, 8};
    case TensorPrecision::tf32:
      return {real_32f, real_32f, compute_32f_fast_tf32, real_32f, 4};
    case TensorPrecision::bf16:
      return {real_16bf, real_16bf, compute_32f, real_32f, 2};
    case TensorPrecision::fp16:
      return {real_16f, real_16f, compute_32f, real_32f, 2};
    case TensorPrecision::fp8:
      return {real_8f_e4m3, real_16bf, compute_32f, real_32f, 2};
    case TensorPrecision::int8:
      break;
  }
  return {real_8i, real_32i, compute_32i, real_32i, 4};
}

constexpr std::size_t workspace_bytes = std::size_t{32}
                                        << 20;          // what the library asks for on sm_90
constexpr std::size_t chunk_elements = (1u << 20) - 3;  // odd: rows of a matrix differ

// Elements from a chunk that repeats.
cuda::Buffer<std::uint8_t> matrix(cuda::Runtime& runtime, const std::vector<std::uint8_t>& chunk,
                                  std::size_t bytes) {
  cuda::Buffer<std::uint8_t> device(runtime, bytes);
  std::size_t filled = std::min(chunk.size(), bytes);
  runtime.copy(device.data(), chunk.data(), filled, cuda::Direction::to_device, nullptr);
  while (filled < bytes) {
    const std::size_t more = std::min(filled, bytes - filled);
    runtime.copy(device.data() + filled, device.data(), more, cuda::Direction::on_device, nullptr);
    filled += more;
  }
  runtime.synchronize(nullptr);
  return device;
}

}  // namespace

struct TensorMultiply::Implementation {
  Implementation(cuda::Runtime& machine, TensorPrecision p, int size, std::uint64_t seed)
      : runtime(machine), precision(p), types(types_of(p)), n(size) {
    try {
      make(seed);
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~Implementation() { destroy(); }

  void make(std::uint64_t seed) {
    check(api.create(&handle), "cublasLtCreate");
    check(api.operation_create(&operation, types.compute, types.scale), "cublasLtMatmulDescCreate");
    // A transposed: what fp8 and int8 need, and no slower for the others.
    check(api.operation_set(operation, operation_transpose_a, &transpose, sizeof(transpose)),
          "cublasLtMatmulDescSetAttribute");
    const auto order = static_cast<std::uint64_t>(n);
    check(api.layout_create(&factors, types.factors, order, order, n),
          "cublasLtMatrixLayoutCreate");
    check(api.layout_create(&result, types.result, order, order, n), "cublasLtMatrixLayoutCreate");
    check(api.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    check(api.preference_set(preference, preference_workspace_bytes, &workspace_bytes,
                             sizeof(workspace_bytes)),
          "cublasLtMatmulPreferenceSetAttribute");
    int found = 0;
    const int status =
        api.heuristic(handle, operation, factors, factors, result, result, preference,
                      static_cast<int>(proposals.size()), proposals.data(), &found);
    if (status != status_success || found == 0) {
      throw NotAvailable(
          fmt::format("cuBLASLt has no {} product on this device (cublasLtMatmulAlgoGetHeuristic "
                      "answers {})",
                      name_of(precision), status),
          "Choose another precision: fp8 needs compute capability 8.9, tf32 and bf16 8.0");
    }
    count = found;
    chunk_a = random_elements(precision, chunk_elements, seed);
    chunk_b = random_elements(precision, chunk_elements, seed + 1);
    const std::size_t elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    a = matrix(runtime, chunk_a, elements * element_bytes(precision));
    b = matrix(runtime, chunk_b, elements * element_bytes(precision));
    d = cuda::Buffer<std::uint8_t>(runtime,
                                   elements * static_cast<std::size_t>(types.result_bytes));
    workspace = cuda::Buffer<std::uint8_t>(runtime, workspace_bytes);
  }

  void check(int status, const char* call) const {
    if (status == status_success) return;
    throw CaseFailed(fmt::format("{} for a {} product of order {}: status {}", call,
                                 name_of(precision), n, status));
  }

  void destroy() {
    if (preference) api.preference_destroy(preference);
    if (result) api.layout_destroy(result);
    if (factors) api.layout_destroy(factors);
    if (operation) api.operation_destroy(operation);
    if (handle) api.destroy(handle);
  }

  double number(std::size_t i, const std::vector<std::uint8_t>& chunk) const {
    return element_value(precision, chunk.data(), i % chunk_elements);
  }
  double result_number(const std::vector<std::uint8_t>& bytes, std::size_t i) const {
    if (types.result == real_32i) {
      std::int32_t value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      return value;
    }
    if (types.result == real_32f) {
      float value = 0;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      return value;
    }
    if (types.result == real_64f) {
      double value = 0;
      std::memcpy(&value, bytes.data() + 8 * i, 8);
      return value;
    }
    return element_value(types.result == real_16f ? TensorPrecision::fp16 : TensorPrecision::bf16,
                         bytes.data(), i);
  }

  cuda::Runtime& runtime;
  TensorPrecision precision;
  Types types;
  int n;
  Interface api;
  int transpose = operation_transposed;
  Object handle = nullptr;
  Object operation = nullptr;
  Object factors = nullptr;
  Object result = nullptr;
  Object preference = nullptr;
  std::array<Proposal, 8> proposals{};
  int count = 0;
  int chosen = 0;
  std::vector<std::uint8_t> chunk_a, chunk_b;
  cuda::Buffer<std::uint8_t> a, b, d, workspace;
};

TensorMultiply::TensorMultiply(cuda::Runtime& runtime, TensorPrecision precision, int n,
                               std::uint64_t seed) {
  if (runtime.backend() == cuda::Backend::emulator) {
    throw NotAvailable("tensor cores exist on the device only; the emulator has none",
                       "Measure with the backend cuda on a machine that has a GPU");
  }
  if (n <= 0 || n % 128 != 0) {
    throw UsageError(fmt::format("order {} of a tensor product is no multiple of 128", n));
  }
  implementation_ = std::make_unique<Implementation>(runtime, precision, n, seed);
}

TensorMultiply::~TensorMultiply() = default;

void TensorMultiply::launch(cuda::StreamHandle stream) {
  Implementation& m = *implementation_;
  const double one_64 = 1;
  const double zero_64 = 0;
  const float one_32 = 1;
  const float zero_32 = 0;
  const std::int32_t one_int = 1;
  const std::int32_t zero_int = 0;
  const void* one = m.types.scale == real_64f   ? static_cast<const void*>(&one_64)
                    : m.types.scale == real_32i ? static_cast<const void*>(&one_int)
                                                : static_cast<const void*>(&one_32);
  const void* zero = m.types.scale == real_64f   ? static_cast<const void*>(&zero_64)
                     : m.types.scale == real_32i ? static_cast<const void*>(&zero_int)
                                                 : static_cast<const void*>(&zero_32);
  m.check(m.api.multiply(m.handle, m.operation, one, m.a.data(), m.factors, m.b.data(), m.factors,
                         zero, m.d.data(), m.result, m.d.data(), m.result,
                         m.proposals[static_cast<std::size_t>(m.chosen)].algorithm,
                         m.workspace.data(), m.workspace.bytes(), stream),
          "cublasLtMatmul");
}

int TensorMultiply::algorithms() const {
  return implementation_->count;
}

void TensorMultiply::choose(int algorithm) {
  implementation_->chosen = std::clamp(algorithm, 0, implementation_->count - 1);
}

double TensorMultiply::flops() const {
  const double n = implementation_->n;
  return 2 * n * n * n;
}

double TensorMultiply::max_error_ratio(int entries) const {
  const Implementation& m = *implementation_;
  m.runtime.synchronize(nullptr);
  const std::vector<std::uint8_t> d = m.d.download();
  const auto n = static_cast<std::size_t>(m.n);
  double largest = 0;
  for (int e = 0; e < entries; ++e) {
    // Column-major; entries spread over rows and columns by steps that share no factor with n.
    const std::size_t row = static_cast<std::size_t>(e) * 4099 % n;
    const std::size_t column = static_cast<std::size_t>(e) * 2657 % n;
    double sum = 0;
    double magnitude = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double product = m.number(row * n + k, m.chunk_a) * m.number(column * n + k, m.chunk_b);
      sum += product;
      magnitude += std::abs(product);
    }
    const double got = m.result_number(d, column * n + row);
    largest = std::max(largest, std::abs(got - sum) / magnitude);
  }
  return largest;
}

double TensorMultiply::allowed_error_ratio() const {
  switch (implementation_->precision) {
    case TensorPrecision::fp64:
      return 1e-13;
    case TensorPrecision::int8:
      return 0;
    case TensorPrecision::tf32:
      return 0x1p-9;  // the units may cut the significands to 10 bits
    case TensorPrecision::fp16:
    case TensorPrecision::bf16:
    case TensorPrecision::fp8:
      break;
  }
  return 0x1p-8;  // the result is rounded to bf16; fp8 sums lose low bits on the way
}

std::string TensorMultiply::library_version() const {
  const std::size_t version = implementation_->api.version();
  return fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100);
}

}  // namespace hpclab::roofline::ceilings
