// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "cuda/roofline/ceilings/tensor_multiply.hpp"
#include "roofline/ceilings/gpu_precision.hpp"
#include "roofline/ceilings/gpu_theory.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/measure_gpu.hpp"
#include "roofline/ceilings/theory.hpp"

#include <limits>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

void set_theory(Result& result, const GpuSamples& samples, const cuda::DeviceFacts& facts,
                const Parameters& p) {
  const double clock = clock_for_theory(samples, facts);
  const auto theory = gpu_flops_per_s(facts, p.precision, p.unit, clock);
  if (!theory) return;
  const double measured = *result.value("flops_per_s");
  refuse_above_theory(measured, *theory, clock, "flops_per_s");
  result.set_value("theory_flops_per_s", *theory);
  result.set_value("fraction_of_theory_ratio", measured / *theory);
}

TensorPrecision tensor_precision(PeakPrecision precision) {
  switch (precision) {
    case PeakPrecision::fp64:
      return TensorPrecision::fp64;
    case PeakPrecision::tf32:
      return TensorPrecision::tf32;
    case PeakPrecision::bf16:
      return TensorPrecision::bf16;
    case PeakPrecision::fp16:
      return TensorPrecision::fp16;
    case PeakPrecision::fp8:
      return TensorPrecision::fp8;
    case PeakPrecision::int8:
      return TensorPrecision::int8;
    case PeakPrecision::fp32:
      break;
  }
  throw CaseSkipped("tensor units multiply no fp32; give precision=tf32");
}

}  // namespace

Result measure_gpu_vector_flops(const Parameters& p, cuda::Runtime& runtime,
                                const Context& context) {
  const Precision precision = gpu_vector_precision(p.precision);
  const Verification verification = verify_multiply_adds(runtime, p.precision);
  verification.require(std::string(name(p.precision)) + " multiply-adds");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const cuda::DeviceFacts facts = runtime.facts();
  GpuTimer timer(runtime, context);
  struct Shape {
    unsigned threads = 256;
    unsigned blocks = 1;
  } best;
  FmaChains s;
  s.loops = 500;
  const auto multiprocessors = static_cast<unsigned>(facts.multiprocessors);
  // As many warps as fit, or fewer with the same chains: the fewer, the cooler.
  cuda::Buffer<double> out(runtime, std::size_t{multiprocessors} * 2048);
  s.out = out.data();
  const auto launch = [&](const Shape& shape, cuda::StreamHandle stream) {
    cuda::launch(runtime, kernels::fma(precision), {{shape.blocks}, {shape.threads}, 0, stream}, s);
  };
  const auto flops = [&](const Shape& shape) {
    return work::fma(precision, s, std::uint64_t{shape.blocks} * shape.threads).flops;
  };
  double best_rate = 0;
  for (const unsigned threads : {128u, 256u, 512u, 1024u}) {
    for (const unsigned warps : {16u, 32u, 64u}) {
      const unsigned blocks = warps * 32 / threads;
      if (blocks == 0) continue;
      const int resident =
          runtime.resident_blocks(kernels::fma(precision).device_function, threads, 0);
      if (blocks > static_cast<unsigned>(resident)) continue;
      const Shape shape{threads, multiprocessors * blocks};
      const double rate =
          flops(shape) / timer.quick_s([&](cuda::StreamHandle h) { launch(shape, h); });
      if (rate <= best_rate) continue;
      best_rate = rate;
      best = shape;
    }
  }
  const GpuSamples samples = timer.collect([&](cuda::StreamHandle h) { launch(best, h); });
  Result result;
  set_rate(result, "flops_per_s", flops(best), samples.set);
  result.set_work("flops", flops(best));
  result.set_text("bound", "multiply-add units");
  result.set_text("shape", fmt::format("{} chains, {} threads, {} blocks", fma_chains, best.threads,
                                       best.blocks));
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, facts);
  set_theory(result, samples, facts, p);
  return result;
}

Result measure_gpu_tensor_flops(const Parameters& p, cuda::Runtime& runtime,
                                const Context& context) {
  const TensorPrecision precision = tensor_precision(p.precision);
  const int order = precision == TensorPrecision::fp64 ? 4096 : 8192;
  TensorMultiply multiply(runtime, precision, order, context.seed);
  const cuda::DeviceFacts facts = runtime.facts();
  GpuTimer timer(runtime, context);
  int best = 0;
  double best_s = std::numeric_limits<double>::infinity();
  for (int algorithm = 0; algorithm < multiply.algorithms(); ++algorithm) {
    multiply.choose(algorithm);
    const double time_s =
        timer.quick_s([&](cuda::StreamHandle stream) { multiply.launch(stream); });
    if (time_s >= best_s) continue;
    best_s = time_s;
    best = algorithm;
  }
  multiply.choose(best);
  const GpuSamples samples =
      timer.collect([&](cuda::StreamHandle stream) { multiply.launch(stream); });
  const double error = multiply.max_error_ratio(64);
  if (error > multiply.allowed_error_ratio()) {
    throw CaseFailed(
        fmt::format("the {} product is wrong: error {:.2g} of the sum of magnitudes, "
                    "{:.2g} would be rounding",
                    name(p.precision), error, multiply.allowed_error_ratio()));
  }
  Result result;
  set_rate(result, "flops_per_s", multiply.flops(), samples.set);
  result.set_value("max_error_ratio", error);
  result.set_work("flops", multiply.flops());
  result.set_text("bound", "tensor units");
  result.set_text(
      "shape", fmt::format("{} x {} x {} by cuBLASLt {}, algorithm {} of {}", order, order, order,
                           multiply.library_version(), best + 1, multiply.algorithms()));
  set_gpu_samples(result, samples, timer, facts);
  set_theory(result, samples, facts, p);
  return result;
}

}  // namespace hpclab::roofline::ceilings
