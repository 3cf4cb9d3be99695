// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/measure_gpu.hpp"

#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/measure.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {

Result measure_gpu(const Parameters& p, Backend backend, const Context& context) {
  const std::unique_ptr<cuda::Runtime> runtime =
      backend == Backend::emulator ? cuda::make_emulator(context.seed) : cuda::make_device(0);
  const cuda::CaseScope scope(*runtime, context.case_id);
  return measure_gpu(p, *runtime, context);
}

Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  switch (p.quantity) {
    case Quantity::bandwidth:
      return p.level == MemoryLevel::shared ? measure_gpu_shared(p, runtime, context)
                                            : measure_gpu_streams(p, runtime, context);
    case Quantity::latency:
      return measure_gpu_latency(p, runtime, context);
    case Quantity::concurrency:
      return measure_gpu_concurrency(p, runtime, context);
    case Quantity::flops:
      return p.unit == MultiplyUnit::tensor ? measure_gpu_tensor_flops(p, runtime, context)
                                            : measure_gpu_vector_flops(p, runtime, context);
    case Quantity::launch:
      return measure_gpu_launch(p, runtime, context);
    case Quantity::link:
      return measure_gpu_link(p, runtime, context);
    case Quantity::clock:
      return measure_gpu_clock(runtime, context);
    case Quantity::levels:
      break;
  }
  throw CaseSkipped(
      "a sweep for memory levels exists for processors only; a GPU's driver states "
      "the size of its L2 cache");
}

double gpu_working_set_bytes(const Parameters& p, const cuda::DeviceFacts& facts, int arrays) {
  if (p.level != MemoryLevel::dram && p.level != MemoryLevel::l2) {
    throw CaseSkipped(
        fmt::format("no kernel measures {} of a GPU: loads go past L1 (levels: l2, dram; bandwidth "
                    "also shared)",
                    name_of(p.level)));
  }
  if (p.working_set > 0) return static_cast<double>(p.working_set);
  const auto l2 = static_cast<double>(facts.l2_bytes);
  // A little under half: GPUs of two partitions hold lines twice.
  if (p.level == MemoryLevel::l2) return 0.4 * l2;
  const double wanted = std::max(8 * l2, 1024.0 * 1024 * 1024) * arrays;
  return std::min(wanted, 0.8 * static_cast<double>(facts.memory_bytes));
}

Result measure_gpu_clock(cuda::Runtime& runtime, const Context& context) {
  if (is_emulator(runtime)) throw CaseSkipped("the emulator has no clock");
  const cuda::DeviceFacts facts = runtime.facts();
  constexpr unsigned threads = 512;
  const unsigned blocks = static_cast<unsigned>(facts.multiprocessors) * 4;
  cuda::Buffer<double> out(runtime, std::size_t{blocks} * threads);
  FmaChains s;
  s.out = out.data();
  s.loops = 2000;
  GpuTimer timer(runtime, context);
  const GpuSamples samples = timer.collect([&](cuda::StreamHandle stream) {
    cuda::launch(runtime, kernels::fma(Precision::fp32), {{blocks}, {threads}, 0, stream}, s);
  });
  if (!samples.sensors.clock_hz) {
    throw NotAvailable("the clock of the GPU is read by NVML: " + timer.sensors_missing(),
                       "Install the NVIDIA driver's libnvidia-ml, or mount it (capability "
                       "'utility')");
  }
  Result result;
  set_gpu_samples(result, samples, timer, facts);
  result.set_text("bound", fmt::format("under fp32 multiply-adds; highest {:.0f} MHz",
                                       facts.sm_clock_hz * 1e-6));
  return result;
}

Result measure_gpu_launch(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const bool by_graph = p.launch_by == LaunchBy::graph;
  const Verification verification = verify_launches(runtime, by_graph, context.seed);
  verification.require(by_graph ? "kernels of a graph" : "kernels on a stream");
  if (is_emulator(runtime)) return verified_on_emulator(verification);
  constexpr std::size_t kernels_in_piece = 1000;
  const auto launch_all = [&](cuda::StreamHandle stream) {
    for (std::size_t i = 0; i < kernels_in_piece; ++i)
      cuda::launch(runtime, kernels::empty(), {{1}, {32}, 0, stream});
  };
  cuda::Stream capture(runtime);
  std::unique_ptr<cuda::Graph> graph;
  if (by_graph) {
    graph = std::make_unique<cuda::Graph>(runtime, capture.handle(),
                                          [&] { launch_all(capture.handle()); });
  }
  GpuTimer timer(runtime, context);
  const GpuSamples samples = timer.collect([&](cuda::StreamHandle stream) {
    if (graph) {
      graph->launch(stream);
    } else {
      launch_all(stream);
    }
  });
  Result result;
  result.set_value("launch_s", samples.set.median_s / kernels_in_piece);
  if (samples.set.interval) {
    result.set_interval("launch_s", samples.set.interval->low / kernels_in_piece,
                        samples.set.interval->high / kernels_in_piece);
  }
  result.set_work("kernels", kernels_in_piece);
  result.set_text("bound", by_graph ? "graph of 1000 empty kernels" : "1000 empty kernels");
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, runtime.facts());
  return result;
}

}  // namespace hpclab::roofline::ceilings
