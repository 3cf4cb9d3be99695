// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A build without CUDA has no device symbols; make_device() throws before anyone could use them.
#include "cuda/roofline/ceilings/on_device.hpp"

namespace hpclab::roofline::ceilings::on_device {

const void* stream(StreamKind, int) {
  return nullptr;
}
const void* triad(int) {
  return nullptr;
}
const void* mix(int) {
  return nullptr;
}
const void* staged_read(int) {
  return nullptr;
}
const void* shared_read(int) {
  return nullptr;
}
const void* block_transpose(bool) {
  return nullptr;
}
const void* warp_transpose(bool) {
  return nullptr;
}
const void* fma(Precision) {
  return nullptr;
}
const void* pointer_chase(int) {
  return nullptr;
}
const void* grid_exchange() {
  return nullptr;
}
const void* empty() {
  return nullptr;
}

}  // namespace hpclab::roofline::ceilings::on_device
