// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Streams through global memory: device symbols.
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/streams.cuh"

namespace hpclab::roofline::ceilings::on_device {

const void* stream(StreamKind kind, int unroll) {
  return reinterpret_cast<const void*>(word_stream_body(kind, unroll));
}
const void* triad(int unroll) {
  return reinterpret_cast<const void*>(triad_body(unroll));
}
const void* mix(int reads) {
  return reinterpret_cast<const void*>(mix_body(reads));
}

}  // namespace hpclab::roofline::ceilings::on_device
