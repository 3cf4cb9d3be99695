// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Runs a callable as a CUDA kernel on the CPU: `run("name", grid, block, [&] { ... })`.
#pragma once

#include "cuda/emulator/engine.hpp"

#include <string_view>

namespace hpclab::emulator {

/// Extents and resources of a launch; `seed` in Options chooses the order in which threads run.
struct Shape {
  Dim3 grid = {};
  Dim3 block = {};
  std::size_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

/// Calls `body()` once for each thread of the grid. Throws Fault where the kernel does what is
/// undefined or fatal on a device, and what the body throws.
template <class Body>
Statistics run(std::string_view name, const Shape& shape, const Body& body,
               const Options& options = {}) {
  const Launch launch{name,
                      shape.grid,
                      shape.block,
                      shape.dynamic_shared_bytes,
                      shape.cooperative,
                      [](const void* closure) { (*static_cast<const Body*>(closure))(); },
                      &body};
  return Engine::local().run(launch, options);
}

}  // namespace hpclab::emulator
