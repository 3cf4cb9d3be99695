// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/cuda_error.hpp"
#include "cuda/core/runtime.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  throw CudaError(
      fmt::format("{} answers {} ({})", call, cudaGetErrorName(error), cudaGetErrorString(error)),
      static_cast<int>(error));
}

}  // namespace

DeviceFacts facts_of_device(int ordinal) {
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  const auto attribute = [&](cudaDeviceAttr name) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, name, ordinal), "cudaDeviceGetAttribute");
    return value;
  };
  DeviceFacts facts;
  facts.name = properties.name;
  facts.compute_major = properties.major;
  facts.compute_minor = properties.minor;
  facts.multiprocessors = properties.multiProcessorCount;
  facts.memory_bytes = properties.totalGlobalMem;
  facts.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  facts.shared_bytes_per_block = properties.sharedMemPerBlockOptin;
  facts.threads_per_multiprocessor = properties.maxThreadsPerMultiProcessor;
  facts.sm_clock_hz = attribute(cudaDevAttrClockRate) * 1e3;
  facts.memory_clock_hz = attribute(cudaDevAttrMemoryClockRate) * 1e3;
  facts.memory_bus_bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  facts.ecc = attribute(cudaDevAttrEccEnabled);
  char address[32] = {};
  check(cudaDeviceGetPCIBusId(address, sizeof(address), ordinal), "cudaDeviceGetPCIBusId");
  facts.pci_address = address;
  check(cudaDriverGetVersion(&facts.driver_version), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&facts.runtime_version), "cudaRuntimeGetVersion");
  return facts;
}

}  // namespace hpclab::cuda
