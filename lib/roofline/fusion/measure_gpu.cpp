// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/units.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/roofline/fusion/kernels.hpp"
#include "machine/memory.hpp"
#include "roofline/ceilings/gpu_streams.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/fusion/measure.hpp"
#include "roofline/fusion/model.hpp"
#include "roofline/fusion/steps.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

using ceilings::GpuTimer;
using ceilings::Verification;

struct Shape {
  int unroll = 1;
  unsigned threads = 256;
  unsigned blocks = 1;
};

// Random elements in [1, 2), up to 16 MiB of them from the host; the device repeats those.
template <class T>
void fill(cuda::Runtime& runtime, cuda::Buffer<T>& array, std::uint64_t seed) {
  const std::size_t first = std::min<std::size_t>(array.size(), (std::size_t{1} << 21) - 3);
  std::vector<double> numbers(first);
  machine::fill_random(numbers, seed);
  const std::vector<T> host(numbers.begin(), numbers.end());
  array.upload(host);
  for (std::size_t filled = first; filled < array.size();) {
    const std::size_t more = std::min(filled, array.size() - filled);
    runtime.copy(array.data() + filled, array.data(), more * sizeof(T), cuda::Direction::on_device,
                 nullptr);
    filled += more;
  }
  runtime.synchronize(nullptr);
}

template <class T>
class GpuChain {
 public:
  GpuChain(cuda::Runtime& runtime, const ChainShape& shape, std::size_t elements,
           const Context& context)
      : runtime_(runtime), shape_(shape), steps_(make_steps<T>(shape, context.random("steps"))) {
    for (int i = 0; i < outside_arrays(shape); ++i) {
      outside_.emplace_back(runtime, elements);
      fill(runtime, outside_.back(), context.seed + static_cast<std::uint64_t>(i));
    }
    for (int i = 0; i < (shape.operations > 1 ? 2 : 1); ++i)
      written_.emplace_back(runtime, elements);
  }

  std::size_t launches(int group) const { return passes(group).size(); }

  void enqueue(const Shape& shape, int group, cuda::StreamHandle stream) {
    const std::vector<Pass> all = passes(group);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ChainLaunch<T> launch;
      launch.in = i == 0 ? outside_[0].data() : written_[(i - 1) % 2].data();
      launch.out = written_[i % 2].data();
      for (std::size_t a = 0; a < outside_.size(); ++a) launch.operands[a] = outside_[a].data();
      launch.elements = written_[0].size();
      launch.count = all[i].count;
      std::copy_n(steps_.begin() + all[i].first, all[i].count, launch.steps);
      cuda::launch(runtime_, kernels::chain<T>(shape.unroll),
                   {{shape.blocks}, {shape.threads}, 0, stream}, launch);
    }
  }

  // Every element against the host's own computation.
  Verification check(const Shape& shape, int group) {
    for (cuda::Buffer<T>& array : written_)
      runtime_.fill(array.data(), 0xcd, array.bytes(), nullptr);
    enqueue(shape, group, nullptr);
    runtime_.synchronize(nullptr);
    std::vector<std::vector<T>> inputs;
    const T* operands[most_operand_arrays + 1] = {};
    for (std::size_t a = 0; a < outside_.size(); ++a) {
      inputs.push_back(outside_[a].download());
      operands[a] = inputs.back().data();
    }
    const std::vector<T> result = written_[(launches(group) - 1) % 2].download();
    Verification verification;
    for (std::size_t i = 0; i < result.size(); ++i)
      verification.compare(result[i] == reference<T>(steps_, operands, i));
    return verification;
  }

  std::vector<Shape> shapes() {
    const auto multiprocessors = static_cast<unsigned>(runtime_.facts().multiprocessors);
    std::vector<Shape> shapes;
    for (const int unroll : {1, 2, 4}) {
      for (const unsigned threads : emulated() ? std::vector{64u, 96u} : std::vector{256u, 512u}) {
        const int resident =
            runtime_.resident_blocks(kernels::chain<T>(unroll).device_function, threads, 0);
        if (resident < 1) continue;
        const unsigned stay = multiprocessors * static_cast<unsigned>(resident);
        const std::size_t tile =
            std::size_t{threads} * static_cast<unsigned>(unroll) * 16 / sizeof(T);
        const std::size_t tiles = (written_[0].size() + tile - 1) / tile;
        shapes.push_back(
            {unroll, threads, static_cast<unsigned>(std::min<std::size_t>(stay, tiles))});
        if (tiles > stay && tiles < (1u << 24))
          shapes.push_back({unroll, threads, static_cast<unsigned>(tiles)});
      }
    }
    return shapes;
  }

 private:
  bool emulated() const { return runtime_.backend() == cuda::Backend::emulator; }
  std::vector<Pass> passes(int group) const {
    ChainShape shape = shape_;
    shape.group = group;
    return passes_of(shape);
  }

  cuda::Runtime& runtime_;
  ChainShape shape_;
  std::vector<Step<T>> steps_;
  std::vector<cuda::Buffer<T>> outside_;
  std::vector<cuda::Buffer<T>> written_;
};

// Odd numbers of elements, more and fewer tiles than blocks, the chain as cut and unfused.
template <class T>
Verification verify(cuda::Runtime& runtime, const ChainShape& shape, const Context& context) {
  Verification total;
  for (const std::size_t elements : {std::size_t{3}, std::size_t{997}, std::size_t{4099}}) {
    GpuChain<T> chain(runtime, shape, elements, context);
    for (Shape launch : chain.shapes()) {
      launch.blocks = std::min(launch.blocks, 3u);
      total.add(chain.check(launch, shape.group));
      if (elements == 997 && shape.group > 1) total.add(chain.check(launch, 1));
    }
  }
  return total;
}

double copy_bytes_per_s(cuda::Runtime& runtime, GpuTimer& timer, double array_bytes,
                        std::uint64_t seed) {
  ceilings::GpuStreams streams(runtime, ceilings::GpuStreamKind::copy, 0,
                               static_cast<std::uint64_t>(array_bytes / 16), 1, seed);
  double best = 0;
  for (const ceilings::StreamShape& shape : streams.shapes()) {
    const double time_s = timer.quick_s([&](cuda::StreamHandle s) { streams.launch(shape, s); });
    best = std::max(best, streams.bytes() / time_s);
  }
  return best;
}

// A chain on one stream, or as one graph, ready to be put on a stream again and again.
template <class T>
class Enqueued {
 public:
  Enqueued(cuda::Runtime& runtime, GpuChain<T>& chain, const Shape& shape, int group, bool by_graph)
      : chain_(chain), shape_(shape), group_(group), capture_(runtime) {
    if (!by_graph) return;
    graph_ = std::make_unique<cuda::Graph>(runtime, capture_.handle(),
                                           [&] { chain.enqueue(shape, group, capture_.handle()); });
  }
  void operator()(cuda::StreamHandle stream) const {
    if (graph_) {
      graph_->launch(stream);
    } else {
      chain_.enqueue(shape_, group_, stream);
    }
  }

 private:
  GpuChain<T>& chain_;
  Shape shape_;
  int group_;
  cuda::Stream capture_;
  std::unique_ptr<cuda::Graph> graph_;
};

template <class T>
Result measure_type(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const ChainShape shape = chain_shape(p);
  const Verification verification = verify<T>(runtime, shape, context);
  verification.require("chain of elementwise operations");
  if (runtime.backend() == cuda::Backend::emulator)
    return ceilings::verified_on_emulator(verification);

  const cuda::DeviceFacts facts = runtime.facts();
  const double array_bytes = sizeof(T) * static_cast<double>(p.elements);
  ChainShape unfused = shape;
  unfused.group = 1;
  const double needed = array_bytes * (touched_arrays(unfused) + 2);  // and those of the copy
  if (needed > 0.9 * static_cast<double>(facts.memory_bytes)) {
    throw CaseFailed(
        fmt::format("the arrays take {}, the GPU has {}", readable("needed_bytes", needed).text(),
                    readable("memory_bytes", static_cast<double>(facts.memory_bytes)).text()));
  }
  GpuTimer timer(runtime, context);
  const double copy = copy_bytes_per_s(runtime, timer, array_bytes, context.seed);
  GpuChain<T> chain(runtime, shape, static_cast<std::size_t>(p.elements), context);
  const auto fastest = [&](int group) {
    Shape best;
    double least_s = std::numeric_limits<double>::infinity();
    for (const Shape& candidate : chain.shapes()) {
      const double time_s = timer.quick_s(
          [&](cuda::StreamHandle stream) { chain.enqueue(candidate, group, stream); });
      if (time_s < least_s) {
        least_s = time_s;
        best = candidate;
      }
    }
    return best;
  };
  const bool by_graph = p.launch_by == LaunchBy::graph;
  const Shape best = fastest(shape.group);
  const Enqueued<T> enqueued(runtime, chain, best, shape.group, by_graph);
  const ceilings::GpuSamples samples = timer.collect(std::cref(enqueued));
  const double moved = program_bytes(p, traffic_of(passes_of(shape)));
  Result result;
  result.set_value("time_s", samples.set.median_s);
  if (samples.set.interval)
    result.set_interval("time_s", samples.set.interval->low, samples.set.interval->high);
  ceilings::set_rate(result, "bandwidth_bytes_per_s", moved, samples.set);
  result.set_value("copy_bytes_per_s", copy);
  result.set_value("fraction_of_copy_ratio", *result.value("bandwidth_bytes_per_s") / copy);
  double speedup = 1;
  if (shape.group > 1) {
    const Enqueued<T> baseline(runtime, chain, fastest(1), 1, by_graph);
    speedup = timer.quick_s(std::cref(baseline)) / samples.set.median_s;
  }
  result.set_value("speedup_ratio", speedup);
  result.set_value("launches_count", static_cast<double>(chain.launches(shape.group)));
  result.set_work("flops", 2.0 * shape.operations * static_cast<double>(p.elements));
  result.set_work("moved_bytes", moved);
  result.set_text("chain", describe(shape));
  result.set_text("shape", fmt::format("{} vectors a thread, {} threads, {} blocks", best.unroll,
                                       best.threads, best.blocks));
  result.set_text("bound", *result.value("fraction_of_copy_ratio") >= 0.8
                               ? "memory, as a copy"
                               : "not memory: arithmetic or launches");
  ceilings::set_verification(result, verification);
  ceilings::set_gpu_samples(result, samples, timer, facts);
  return result;
}

}  // namespace

Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  return p.precision == Precision::fp64 ? measure_type<double>(p, runtime, context)
                                        : measure_type<float>(p, runtime, context);
}

}  // namespace hpclab::roofline::fusion
