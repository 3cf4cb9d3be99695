// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_verify.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "roofline/ceilings/gpu_chase.hpp"
#include "roofline/ceilings/gpu_precision.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

void Verification::compare_close(double got, double expected) {
  const double error = std::abs(got - expected) / std::max(std::abs(expected), 1e-300);
  compare(error <= 0x1p-50);
  max_error_ratio = std::max(max_error_ratio, error);
}

void Verification::add(const Verification& other) {
  compared += other.compared;
  mismatches += other.mismatches;
  max_error_ratio = std::max(max_error_ratio, other.max_error_ratio);
}

void Verification::require(const std::string& what) const {
  if (compared == 0) throw CaseFailed(what + ": nothing was compared");
  if (mismatches == 0) return;
  throw CaseFailed(
      fmt::format("{}: {} of {} results differ from the host's", what, mismatches, compared));
}

void set_verification(Result& result, const Verification& verification) {
  result.set_value("mismatch_count", static_cast<double>(verification.mismatches));
  result.set_value("compared_count", static_cast<double>(verification.compared));
  result.set_value("max_error_ratio", verification.max_error_ratio);
}

Result verified_on_emulator(const Verification& verification) {
  Result result;
  set_verification(result, verification);
  result.set_text("bound", "emulator: verified, not timed");
  return result;
}

Verification verify_shared_read(cuda::Runtime& runtime, int word_bytes, std::uint32_t ways) {
  constexpr unsigned threads = 96;
  constexpr unsigned blocks = 2;
  cuda::Buffer<std::uint32_t> out(runtime, std::size_t{blocks} * threads);
  SharedRead s;
  s.out = out.data();
  s.ways = ways;
  s.iterations = 19;
  cuda::launch(runtime, kernels::shared_read(word_bytes), {{blocks}, {threads}}, s);
  const std::vector<std::uint32_t> sums = out.download();
  const auto words = static_cast<std::uint32_t>(word_bytes) / 4;
  Verification result;
  for (unsigned t = 0; t < blocks * threads; ++t) {
    const std::uint32_t lane = t % threads % 32;
    const std::uint32_t warp = t % threads / 32;
    std::uint32_t expected = 0;
    for (std::uint32_t i = 0; i < s.iterations; ++i) {
      for (std::uint32_t k = 0; k < shared_read_unroll; ++k) {
        const std::uint32_t index = lane * ways + ((i + warp) % shared_read_rows + k) * 32;
        for (std::uint32_t w = 0; w < words; ++w) expected += shared_word(words * index + w);
      }
    }
    result.compare(sums[t] == expected);
  }
  return result;
}

Verification verify_multiply_adds(cuda::Runtime& runtime, PeakPrecision precision) {
  const Precision kernel_precision = gpu_vector_precision(precision);
  const bool pairs = kernel_precision == Precision::fp16 || kernel_precision == Precision::bf16;
  constexpr unsigned threads = 37;
  constexpr unsigned blocks = 2;
  cuda::Buffer<double> out(runtime, std::size_t{blocks} * threads);
  Verification result;
  for (const std::uint32_t loops : {1u, 3u}) {
    FmaChains s;
    s.out = out.data();
    s.loops = loops;
    cuda::launch(runtime, kernels::fma(kernel_precision), {{blocks}, {threads}}, s);
    const std::vector<double> sums = out.download();
    for (unsigned t = 0; t < blocks * threads; ++t) {
      double expected = 0;  // an even number of rounds of x -> 1 - x brings every chain back
      for (unsigned c = 0; c < (pairs ? 2u : 1u) * fma_chains; ++c) {
        expected += static_cast<double>(fma_start(t, c));
      }
      result.compare(sums[t] == expected);
    }
  }
  return result;
}

Verification verify_chase(cuda::Runtime& runtime, int chains, std::uint64_t seed) {
  constexpr unsigned threads = 33;
  constexpr std::uint32_t nodes = 509;
  constexpr std::uint32_t steps = 203;
  GpuChase chase(runtime, nodes, 3, chains, threads, seed);
  const std::vector<std::uint32_t> starts = chase.positions();
  chase.launch(1, threads, steps, nullptr);
  runtime.synchronize(nullptr);
  const std::vector<std::uint32_t> ends = chase.positions();
  const std::vector<std::uint32_t> next = chase.next();
  Verification result;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::uint32_t at = starts[i];
    for (std::uint32_t step = 0; step < steps; ++step) at = next[at];
    result.compare(at == ends[i]);
  }
  return result;
}

Verification verify_launches(cuda::Runtime& runtime, bool by_graph, std::uint64_t seed) {
  // Copies from one array to the next: each launch needs the one before it.
  constexpr std::uint64_t vectors = 131;
  constexpr std::size_t launches = 5;
  RandomStream random(seed, "launches");
  std::vector<Words4> data(vectors);
  for (Words4& v : data) {
    const auto draw = [&] { return static_cast<std::uint32_t>(random.bits64()); };
    v = {draw(), draw(), draw(), draw()};
  }
  std::vector<cuda::Buffer<Words4>> arrays;
  arrays.emplace_back(runtime, std::span<const Words4>(data));
  for (std::size_t i = 0; i < launches; ++i) arrays.emplace_back(runtime, vectors);
  cuda::Stream stream(runtime);
  const auto launch_all = [&] {
    for (std::size_t i = 0; i < launches; ++i) {
      WordStream s;
      s.in = arrays[i].data();
      s.out = arrays[i + 1].data();
      s.vectors = vectors;
      cuda::launch(runtime, kernels::empty(), {{1}, {1}, 0, stream.handle()});
      cuda::launch(runtime, kernels::stream(StreamKind::copy, 1), {{2}, {32}, 0, stream.handle()},
                   s);
    }
  };
  if (by_graph) {
    cuda::Graph graph(runtime, stream.handle(), launch_all);
    graph.launch(stream.handle());
    stream.synchronize();
  } else {
    launch_all();
    stream.synchronize();
  }
  const std::vector<Words4> got = arrays.back().download();
  Verification result;
  for (std::size_t i = 0; i < vectors; ++i) {
    result.compare(std::memcmp(&got[i], &data[i], sizeof(Words4)) == 0);
  }
  return result;
}

Verification verify_link(cuda::Runtime& runtime, bool pinned, std::uint64_t seed) {
  constexpr std::size_t bytes = 40'007;
  std::vector<unsigned char> pageable_out(bytes);
  std::vector<unsigned char> pageable_in(bytes);
  cuda::PinnedMemory pinned_out(runtime, bytes);
  cuda::PinnedMemory pinned_in(runtime, bytes);
  auto* out = pinned ? static_cast<unsigned char*>(pinned_out.data()) : pageable_out.data();
  auto* in = pinned ? static_cast<unsigned char*>(pinned_in.data()) : pageable_in.data();
  RandomStream random(seed, "link");
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<unsigned char>(random.bits64());
    in[i] = 0;
  }
  cuda::Buffer<unsigned char> device(runtime, bytes);
  cuda::Stream stream(runtime);
  runtime.copy(device.data(), out, bytes, cuda::Direction::to_device, stream.handle());
  runtime.copy(in, device.data(), bytes, cuda::Direction::to_host, stream.handle());
  stream.synchronize();
  Verification result;
  for (std::size_t i = 0; i < bytes; ++i) result.compare(in[i] == out[i]);
  return result;
}

}  // namespace hpclab::roofline::ceilings
