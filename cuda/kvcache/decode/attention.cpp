// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Paged decode attention: emulator form.
#include "cuda/kvcache/decode/attention.cuh"

#include "core/error.hpp"
#include "cuda/kvcache/decode/kernels.hpp"
#include "cuda/kvcache/decode/on_device.hpp"

#include <fmt/format.h>

namespace hpclab::kvcache::decode::kernels {

cuda::Kernel<SpanLaunch> span(bool bfloat, int key_dim, int value_dim) {
  const SpanKernelBody body = span_body_of(bfloat, key_dim, value_dim);
  if (body == nullptr) {
    throw UsageError(
        fmt::format("there is no decode kernel with keys of {} and values of {} "
                    "elements: it has 128 and 128, or 576 and 512",
                    key_dim, value_dim));
  }
  return {fmt::format("decode attention {} {}", bfloat ? "bf16" : "fp16", key_dim), body,
          on_device::span(bfloat, key_dim, value_dim)};
}

cuda::Kernel<MergeLaunch> merge() {
  return {"merge of decode attention", &merge_kernel, on_device::merge()};
}

cuda::Kernel<ReadLaunch> read() {
  return {"read of a pool", &read_kernel, on_device::read()};
}

}  // namespace hpclab::kvcache::decode::kernels
