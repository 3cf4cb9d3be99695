// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Joins the two forms of a kernel, or says which variants there are.
#pragma once

#include "core/error.hpp"
#include "cuda/core/launch.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

template <class... Parameters>
cuda::Kernel<Parameters...> kernel_pair(std::string name, void (*body)(Parameters...),
                                        const void* device_function, const char* variants) {
  if (body == nullptr) {
    throw UsageError(fmt::format("there is no kernel '{}': {}", name, variants));
  }
  return {std::move(name), body, device_function};
}

}  // namespace hpclab::roofline::ceilings
