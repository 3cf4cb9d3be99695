// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/profiler.hpp"

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

namespace hpclab::cuda {

ProfilerHook profiler_hook() {
  const auto forget_error = [] { (void)cudaGetLastError(); };  // none of a later call
  return {[=] {
            if (cudaProfilerStart() != cudaSuccess) forget_error();
          },
          [=] {
            if (cudaProfilerStop() != cudaSuccess) forget_error();
          }};
}

}  // namespace hpclab::cuda
