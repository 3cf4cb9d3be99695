// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/measure.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/residency/exchange.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::residency {
namespace {

constexpr std::int64_t verified_steps = 3;

void require_processor(const Parameters& p) {
  const auto units = static_cast<std::int64_t>(ceilings::host_topology().processing_units.size());
  if (p.threads < 1 || p.threads > units) {
    throw CaseFailed(fmt::format(
        "{} threads asked for, but this process may use {} processing units", p.threads, units));
  }
  if (p.isa == "scalar" || !supported(instruction_set_of(p.isa)))
    throw CaseSkipped(fmt::format("the stencil has no kernel for {} that runs here", p.isa));
  if (p.residency == Residency::moved && p.host_memory == HostMemory::managed)
    throw CaseSkipped("processes that share their memory move nothing; backend cuda has managed");
}

template <class T>
ceilings::Verification verify(const Parameters& p, const Context& context) {
  ceilings::Verification verification;
  for (const Parameters& small : small_cases(p)) {
    ProcessExchange<T> exchange(small, context);
    const Arrays<T> expected = reference_run(small, grid_of(small.stencil, small.points),
                                             exchange.arrays(), verified_steps);
    exchange.upload();
    for (std::int64_t i = 0; i < verified_steps; ++i) exchange.step();
    const Arrays<T> got = exchange.arrays();
    for (const auto& [is, should] :
         {std::pair{&got.device, &expected.device}, std::pair{&got.host[0], &expected.host[0]},
          std::pair{&got.host[1], &expected.host[1]}}) {
      for (std::size_t i = 0; i < is->size(); ++i) verification.compare((*is)[i] == (*should)[i]);
    }
  }
  return verification;
}

template <class T>
Result measure_cpu(const Parameters& p, const Context& context) {
  static const trace::Name sample_name("roofline/residency-sample");
  const ceilings::Verification verification = verify<T>(p, context);
  verification.require("steps between two processes");
  ProcessExchange<T> exchange(p, context);
  exchange.upload();
  const auto steps_s = [&](auto&& step) {
    const double begin = now_s();
    for (std::int64_t i = 0; i < p.steps; ++i) step();
    return (now_s() - begin) / static_cast<double>(p.steps);
  };
  std::vector<double> resident_s;
  SamplerOptions options = context.sampler;
  options.watch_thread = false;  // it sleeps while the other process works
  const SampleSet samples = collect(
      [&] {
        const trace::Range range(sample_name, trace::Category::measure);
        resident_s.push_back(steps_s([&] { exchange.resident_step(); }));
        return p.residency == Residency::resident ? resident_s.back()
                                                  : steps_s([&] { exchange.step(); });
      },
      options);
  Result result;
  set_step_values(result, p, samples, resident_s);
  result.set_text(
      "bound", *result.value("slowdown_ratio") > 2 ? "copies between processes" : "device memory");
  ceilings::set_verification(result, verification);
  return result;
}

}  // namespace

std::vector<Parameters> small_cases(const Parameters& p) {
  std::vector<Parameters> cases;
  for (const std::int64_t edge : {3, 13}) {
    Parameters small = p;
    small.points = p.stencil == Stencil::seven_point ? edge * edge * edge : edge * edge * edge / 3;
    cases.push_back(small);
  }
  return cases;
}

void set_step_values(Result& result, const Parameters& p, const SampleSet& step,
                     const std::vector<double>& resident_s) {
  const StepTraffic traffic = traffic_of(p);
  const double moved = traffic.in_bytes + traffic.out_bytes;
  const double kernel_s = median(resident_s);
  result.set_value("time_s", step.median_s);
  if (step.interval) result.set_interval("time_s", step.interval->low, step.interval->high);
  result.set_value("kernel_s", kernel_s);
  if (const auto interval = median_interval(resident_s))
    result.set_interval("kernel_s", interval->low, interval->high);
  result.set_value("slowdown_ratio", step.median_s / kernel_s);
  result.set_value("bandwidth_bytes_per_s", 2 * traffic.array_bytes / kernel_s);
  result.set_value("moved_bytes", moved);
  if (moved > 0 && step.median_s > kernel_s)
    result.set_value("link_bytes_per_s", moved / (step.median_s - kernel_s));
  result.set_value("run_s", static_cast<double>(p.steps) * step.median_s);
  result.set_work("kernel_bytes", 2 * traffic.array_bytes);
  result.set_work("moved_bytes", moved);
  ceilings::set_samples(result, step);
}

Result measure(const Parameters& p, Backend backend, Context& context) {
  if (backend != Backend::cpu) {
    const std::unique_ptr<cuda::Runtime> runtime =
        backend == Backend::emulator ? cuda::make_emulator(context.seed) : cuda::make_device(0);
    const cuda::CaseScope scope(*runtime, context.case_id);
    return measure_gpu(p, *runtime, context);
  }
  require_processor(p);
  return p.precision == Precision::fp64 ? measure_cpu<double>(p, context)
                                        : measure_cpu<float>(p, context);
}

}  // namespace hpclab::roofline::residency
