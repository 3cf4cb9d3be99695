// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Errors of the CUDA runtime as exceptions that name the call and the case.
#pragma once

#include "core/error.hpp"

#include <string>

namespace hpclab::cuda {

/// A CUDA call that failed. `code` is the cudaError_t.
class CudaError : public CaseFailed {
 public:
  CudaError(const std::string& message, int code) : CaseFailed(message), code_(code) {}
  int cuda_code() const { return code_; }

 private:
  int code_;
};

}  // namespace hpclab::cuda
