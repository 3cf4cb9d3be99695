// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The one way to launch a kernel, on the device or on the emulator.
#pragma once

#include "cuda/core/runtime.hpp"

#include <string>
#include <tuple>
#include <utility>

namespace hpclab::cuda {

/// One kernel in both forms: the body compiled for the emulator, and the symbol that nvcc made of
/// the same source (null in a build without CUDA).
template <class... Parameters>
struct Kernel {
  std::string name;
  void (*body)(Parameters...) = nullptr;
  const void* device_function = nullptr;
};

template <class... Parameters>
Kernel(std::string, void (*)(Parameters...), const void*) -> Kernel<Parameters...>;

/// Starts `kernel` on `runtime` in stream order. Arguments are converted to the parameters and
/// copied. Throws CaseFailed with call, kernel and case where the machine refuses, and what the
/// emulator finds wrong in the kernel.
template <class... Parameters, class... Arguments>
void launch(Runtime& runtime, const Kernel<Parameters...>& kernel, const LaunchShape& shape,
            Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each parameter");
  LaunchRequest request;
  request.kernel = kernel.name;
  request.shape = shape;
  request.device_function = kernel.device_function;
  std::tuple<Parameters...> values(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
  if (runtime.backend() == Backend::cuda) {
    void* pointers[sizeof...(Parameters) + 1] = {};
    std::apply(
        [&](auto&... value) {
          std::size_t i = 0;
          ((pointers[i++] = &value), ...);
        },
        values);
    request.arguments = pointers;
    runtime.launch(request);
    return;
  }
  struct Closure {
    void (*body)(Parameters...);
    std::tuple<Parameters...> values;
  };
  request.call = [](const void* closure) {
    const auto& c = *static_cast<const Closure*>(closure);
    std::apply(c.body, c.values);
  };
  request.closure = std::make_shared<const Closure>(Closure{kernel.body, std::move(values)});
  runtime.launch(request);
}

}  // namespace hpclab::cuda
