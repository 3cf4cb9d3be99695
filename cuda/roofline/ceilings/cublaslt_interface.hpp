// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The part of cuBLASLt's C interface that is used here, as its reference documents it: loaded at
// run time, so that neither building nor starting needs the library.
#pragma once

#include "core/error.hpp"
#include "cuda/core/dynamic_library.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings::cublaslt {

// cudaDataType
inline constexpr int real_32f = 0;
inline constexpr int real_64f = 1;
inline constexpr int real_16f = 2;
inline constexpr int real_8i = 3;
inline constexpr int real_32i = 10;
inline constexpr int real_16bf = 14;
inline constexpr int real_8f_e4m3 = 28;
// cublasComputeType_t
inline constexpr int compute_32f = 68;
inline constexpr int compute_64f = 70;
inline constexpr int compute_32i = 72;
inline constexpr int compute_32f_fast_tf32 = 77;
// cublasLtMatmulDescAttributes_t, cublasOperation_t, cublasLtMatmulPreferenceAttributes_t
inline constexpr int operation_transpose_a = 3;
inline constexpr int operation_transposed = 1;
inline constexpr int preference_workspace_bytes = 1;
inline constexpr int status_success = 0;

/// Opaque handles and descriptors.
using Object = void*;

/// cublasLtMatmulHeuristicResult_t.
struct Proposal {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};

/// The functions, from the library of the major version that is found first.
class Interface {
 public:
  /// Throws NotAvailable when no version of the library can be loaded or one lacks a function.
  Interface() : library_(first_library()) {
    if (!library_.loaded()) {
      throw NotAvailable(
          fmt::format("tensor peaks need cuBLASLt: {}", library_.reason()),
          "Install the CUDA libraries (package libcublas), or add their folder to LD_LIBRARY_PATH");
    }
    load(create, "cublasLtCreate");
    load(destroy, "cublasLtDestroy");
    load(version, "cublasLtGetVersion");
    load(operation_create, "cublasLtMatmulDescCreate");
    load(operation_destroy, "cublasLtMatmulDescDestroy");
    load(operation_set, "cublasLtMatmulDescSetAttribute");
    load(layout_create, "cublasLtMatrixLayoutCreate");
    load(layout_destroy, "cublasLtMatrixLayoutDestroy");
    load(preference_create, "cublasLtMatmulPreferenceCreate");
    load(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    load(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    load(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    load(multiply, "cublasLtMatmul");
  }

  int (*create)(Object*) = nullptr;
  int (*destroy)(Object) = nullptr;
  std::size_t (*version)() = nullptr;
  int (*operation_create)(Object*, int compute, int scale) = nullptr;
  int (*operation_destroy)(Object) = nullptr;
  int (*operation_set)(Object, int attribute, const void*, std::size_t) = nullptr;
  int (*layout_create)(Object*, int type, std::uint64_t rows, std::uint64_t columns,
                       std::int64_t leading) = nullptr;
  int (*layout_destroy)(Object) = nullptr;
  int (*preference_create)(Object*) = nullptr;
  int (*preference_destroy)(Object) = nullptr;
  int (*preference_set)(Object, int attribute, const void*, std::size_t) = nullptr;
  int (*heuristic)(Object, Object, Object, Object, Object, Object, Object, int, Proposal*,
                   int*) = nullptr;
  int (*multiply)(Object, Object, const void*, const void*, Object, const void*, Object,
                  const void*, const void*, Object, void*, Object, const void*, void*, std::size_t,
                  void*) = nullptr;

 private:
  static std::string first_library() {
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}) {
      if (cuda::DynamicLibrary(name).loaded()) return name;
      std::string beside_toolkit = std::string("/usr/local/cuda/lib64/") + name;
      if (cuda::DynamicLibrary(beside_toolkit).loaded()) return beside_toolkit;
    }
    return "libcublasLt.so";
  }

  template <class Function>
  void load(Function*& function, const char* symbol) {
    function = library_.find<Function>(symbol);
    if (function == nullptr) {
      throw NotAvailable(fmt::format("{} lacks {}", library_.name(), symbol),
                         "Install a version of cuBLASLt from 11 on");
    }
  }

  cuda::DynamicLibrary library_;
};

}  // namespace hpclab::roofline::ceilings::cublaslt
