// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A pointer chase in a GPU's memory: one random cycle over all nodes.
#pragma once

#include "cuda/core/buffer.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::roofline::ceilings {

class GpuChase {
 public:
  /// `nodes`, `stride_words` words of 4 bytes apart, joined to one uniformly random cycle
  /// (a shuffled order followed round); chain k of all threads * chains starts a k-th of the way
  /// along it.
  GpuChase(cuda::Runtime& runtime, std::uint32_t nodes, std::uint32_t stride_words, int chains,
           unsigned threads, std::uint64_t seed);

  /// Walks every chain on from where the last launch left it, so that the same lines do not come
  /// from a cache. blocks * block_threads is the number of threads given above.
  void launch(unsigned blocks, unsigned block_threads, std::uint32_t steps,
              cuda::StreamHandle stream);

  std::vector<std::uint32_t> positions() const { return positions_.download(); }
  std::vector<std::uint32_t> next() const { return next_.download(); }
  double bytes() const { return static_cast<double>(next_.bytes()); }

 private:
  cuda::Runtime& runtime_;
  int chains_;
  cuda::Buffer<std::uint32_t> next_;
  cuda::Buffer<std::uint32_t> positions_;
};

}  // namespace hpclab::roofline::ceilings
