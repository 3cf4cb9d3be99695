// hpclab: SPDX-License-Identifier: Apache-2.0
//
// 16 bytes that one instruction moves, as host and device code see them.
#pragma once

#include <cstdint>

namespace hpclab::cuda {

struct alignas(16) Words4 {
  std::uint32_t x, y, z, w;
};
struct alignas(16) Doubles2 {
  double x, y;
};

}  // namespace hpclab::cuda
