// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Issue of an asynchronous copy, with the checks of the PTX manual's cp.async.
#include "cuda/emulator/engine.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace hpclab::emulator {

void Engine::async_copy(void* destination, const void* source, std::size_t bytes,
                        std::size_t source_bytes, const std::source_location& where) {
  Thread& self = *running_;
  const auto misaligned = [&](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % bytes != 0;
  };
  if (misaligned(destination) || misaligned(source) || source_bytes > bytes) {
    fault(FaultKind::illegal_copy,
          fmt::format("an asynchronous copy of {} bytes ({} from the source) is not aligned to its "
                      "size or reads more than it writes",
                      bytes, source_bytes),
          self, where);
  }
  if (!self.block->shared.contains(destination, bytes)) {
    fault(FaultKind::illegal_copy,
          "an asynchronous copy writes outside the shared memory of its block", self, where);
  }
  self.copies.issue(destination, source, bytes, source_bytes);
}

}  // namespace hpclab::emulator
