// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A build without CUDA has no device symbols; make_device() throws before anyone could use them.
#include "cuda/kvcache/decode/on_device.hpp"

namespace hpclab::kvcache::decode::on_device {

const void* span(bool, int, int) {
  return nullptr;
}
const void* merge() {
  return nullptr;
}
const void* read() {
  return nullptr;
}

}  // namespace hpclab::kvcache::decode::on_device
