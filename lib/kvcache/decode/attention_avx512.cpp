// hpclab: SPDX-License-Identifier: Apache-2.0
//
// 16 floats a register; 8 queries of sums in half of the 32 registers.
#include "kvcache/decode/vector_avx512.hpp"

namespace hpclab::kvcache::decode {

const AttentionBodies attention_bodies_avx512 = HPCLAB_ATTENTION_BODIES(Vector);

}  // namespace hpclab::kvcache::decode
