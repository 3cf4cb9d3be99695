// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_chase.hpp"

#include "core/random_stream.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"

#include <numeric>
#include <utility>

namespace hpclab::roofline::ceilings {

GpuChase::GpuChase(cuda::Runtime& runtime, std::uint32_t nodes, std::uint32_t stride_words,
                   int chains, unsigned threads, std::uint64_t seed)
    : runtime_(runtime), chains_(chains) {
  // order[i] is the i-th node of a random permutation: following it round is one cycle over all.
  std::vector<std::uint32_t> order(nodes);
  std::iota(order.begin(), order.end(), 0u);
  RandomStream random(seed, "gpu chase");
  for (std::uint32_t i = nodes; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(random.below(i))]);
  }
  std::vector<std::uint32_t> next(std::size_t{nodes} * stride_words);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    next[std::size_t{order[i]} * stride_words] = order[(i + 1) % nodes] * stride_words;
  }
  const std::size_t total = std::size_t{threads} * static_cast<std::size_t>(chains);
  std::vector<std::uint32_t> starts(total);
  for (std::size_t k = 0; k < total; ++k) {
    starts[k] = order[k * nodes / total] * stride_words;
  }
  next_ = cuda::Buffer<std::uint32_t>(runtime, std::span<const std::uint32_t>(next));
  positions_ = cuda::Buffer<std::uint32_t>(runtime, std::span<const std::uint32_t>(starts));
}

void GpuChase::launch(unsigned blocks, unsigned block_threads, std::uint32_t steps,
                      cuda::StreamHandle stream) {
  PointerChase s;
  s.next = next_.data();
  s.starts = positions_.data();
  s.ends = positions_.data();  // a thread reads its own starts before it writes its own ends
  s.steps = steps;
  cuda::launch(runtime_, kernels::pointer_chase(chains_), {{blocks}, {block_threads}, 0, stream},
               s);
}

}  // namespace hpclab::roofline::ceilings
