// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Paged decode attention: device symbols.
#include "cuda/kvcache/decode/attention.cuh"
#include "cuda/kvcache/decode/on_device.hpp"

namespace hpclab::kvcache::decode::on_device {

const void* span(bool bfloat, int key_dim, int value_dim) {
  return reinterpret_cast<const void*>(span_body_of(bfloat, key_dim, value_dim));
}
const void* merge() {
  return reinterpret_cast<const void*>(&merge_kernel);
}
const void* read() {
  return reinterpret_cast<const void*>(&read_kernel);
}

}  // namespace hpclab::kvcache::decode::on_device
