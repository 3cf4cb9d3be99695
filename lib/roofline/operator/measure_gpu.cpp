// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/measure_gpu.hpp"

#include "core/error.hpp"
#include "core/trace.hpp"
#include "core/units.hpp"
#include "cuda/core/stream.hpp"
#include "cuda/operators/variant_work.hpp"
#include "machine/memory.hpp"
#include "operators/element_work.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/operator/counts.hpp"
#include "roofline/operator/gpu_audit.hpp"
#include "roofline/operator/gpu_candidates.hpp"
#include "roofline/operator/gpu_experiment.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using ceilings::GpuTimer;
using operators::ElementOperator;
using operators::KernelVariant;

/// Elements of the mesh on which every candidate is verified: blocks of most shapes end within it.
constexpr std::int64_t verified_elements = 3 * 3 * 3;

/// From here on the caches of a GPU keep so little that bytes of DRAM are what was declared.
constexpr double streaming_ratio = 4;

/// All candidates on a small mesh, the first beside a direct evaluation and the others beside the
/// first; a row each.
template <class T>
Verified verify_candidates(const Parameters& p, cuda::Runtime& runtime,
                           const std::vector<KernelVariant>& candidates, const Context& context,
                           Table& table) {
  GpuExperiment<T> small(
      runtime, element_operator(p),
      operators::near_cubic_split(std::min<std::int64_t>(p.elements, verified_elements)),
      context.seed);
  Verified total;
  for (const KernelVariant& variant : candidates) {
    const Verified verified = total.nodes == 0 ? small.check(variant, p.scatter, context)
                                               : small.check_again(variant, p.scatter);
    total.nodes += verified.nodes;
    total.largest_error = std::max(total.largest_error, verified.largest_error);
    total.tolerated_error = verified.tolerated_error;
    table.rows.push_back({variant.text(), verified.largest_error});
  }
  return total;
}

void set_verified(Result& result, const Verified& verified) {
  result.set_value("verified_count", static_cast<double>(verified.nodes));
  result.set_value("max_error_ratio", verified.largest_error);
}

void require_fit(const Parameters& p, const cuda::DeviceFacts& facts) {
  const auto needed = static_cast<double>(gpu_experiment_bytes(
      element_operator(p), operators::near_cubic_split(p.elements), p.scatter));
  machine::require_memory(static_cast<std::uint64_t>(needed));  // the host makes what it copies
  const double available = 0.9 * static_cast<double>(facts.memory_bytes);
  if (needed <= available) return;
  throw CaseFailed(fmt::format("elements = {} need {} on the device, of which {} may be used",
                               p.elements, readable_bytes(needed), readable_bytes(available)));
}

/// One application again and again: its kernels one by one, or recorded once as a graph.
template <class T>
class Application {
 public:
  Application(cuda::Runtime& runtime, GpuExperiment<T>& experiment, const KernelVariant& variant,
              operators::Scatter scatter)
      : experiment_(experiment), variant_(variant), scatter_(scatter), capture_(runtime) {
    experiment.enqueue(variant, scatter, nullptr);  // what is made when first asked for
    runtime.synchronize(nullptr);
    graph_ = std::make_unique<cuda::Graph>(runtime, capture_.handle(), [&] {
      experiment.enqueue(variant, scatter, capture_.handle());
    });
  }
  void by_stream(cuda::StreamHandle stream) const {
    experiment_.enqueue(variant_, scatter_, stream);
  }
  void by_graph(cuda::StreamHandle stream) const { graph_->launch(stream); }

 private:
  GpuExperiment<T>& experiment_;
  KernelVariant variant_;
  operators::Scatter scatter_;
  cuda::Stream capture_;
  std::unique_ptr<cuda::Graph> graph_;
};

/// Times all candidates and returns the fastest; a row each, fastest first.
template <class T>
KernelVariant elect(GpuExperiment<T>& experiment, GpuTimer& timer, const Parameters& p,
                    const std::vector<KernelVariant>& candidates, double unknowns, Table& table) {
  struct Timed {
    KernelVariant variant;
    double time_s;
  };
  std::vector<Timed> timed;
  for (const KernelVariant& variant : candidates) {
    timed.push_back({variant, timer.quick_s([&](cuda::StreamHandle stream) {
                       experiment.enqueue(variant, p.scatter, stream);
                     })});
  }
  std::sort(timed.begin(), timed.end(),
            [](const Timed& a, const Timed& b) { return a.time_s < b.time_s; });
  for (const Timed& t : timed)
    table.rows.push_back({t.variant.text(), t.time_s, t.time_s / unknowns * 1e12});
  return timed.front().variant;
}

template <class T>
Result measured(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  static const trace::Name verify_name("roofline/operator-verify");
  static const trace::Name setup_name("roofline/operator-setup");
  static const trace::Name elect_name("roofline/operator-elect");
  const std::vector<KernelVariant> candidates = gpu_candidates(p);
  Result result;
  Table errors{{"kernel", "error"}, {"", ""}, {}};
  Verified verified;
  {
    const trace::Range range(verify_name, trace::Category::setup);
    verified = verify_candidates<T>(p, runtime, candidates, context, errors);
  }
  if (runtime.backend() == cuda::Backend::emulator) {
    set_verified(result, verified);
    result.set_table("kernels", errors);
    result.set_text("bound", "emulator: verified, not timed");
    return result;
  }

  const cuda::DeviceFacts facts = runtime.facts();
  require_fit(p, facts);
  const ElementOperator o = element_operator(p);
  const double elements = static_cast<double>(p.elements);
  const double unknowns = operators::dof_per_element(o) * elements;
  std::unique_ptr<GpuExperiment<T>> experiment;
  {
    const trace::Range range(setup_name, trace::Category::setup);
    experiment = std::make_unique<GpuExperiment<T>>(
        runtime, o, operators::near_cubic_split(p.elements), context.seed);
  }
  GpuTimer timer(runtime, context);
  Table kernels{{"kernel", "time", "time_per_dof"}, {"", "s", "ps"}, {}};
  KernelVariant best;
  {
    const trace::Range range(elect_name, trace::Category::warmup);
    best = elect(*experiment, timer, p, candidates, unknowns, kernels);
  }
  const Verified of_best = experiment->check(best, p.scatter, context);
  verified.nodes += of_best.nodes;
  verified.largest_error = std::max(verified.largest_error, of_best.largest_error);

  const Application<T> application(runtime, *experiment, best, p.scatter);
  const auto by_stream = [&](cuda::StreamHandle stream) { application.by_stream(stream); };
  const auto by_graph = [&](cuda::StreamHandle stream) { application.by_graph(stream); };
  const bool graph = timer.quick_s(by_graph) < timer.quick_s(by_stream);
  const ceilings::GpuSamples samples = graph ? timer.collect(by_graph) : timer.collect(by_stream);

  const operators::VariantWork work = operators::variant_work(o, best, p.scatter);
  const SampleSet& set = samples.set;
  const auto set_time = [&](const char* name, double factor) {
    result.set_value(name, set.median_s * factor);
    if (set.interval)
      result.set_interval(name, set.interval->low * factor, set.interval->high * factor);
  };
  set_time("time_s", 1);
  set_time("time_per_dof_ps", 1e12 / unknowns);
  ceilings::set_rate(result, "throughput_dof_per_s", unknowns, set);
  ceilings::set_rate(result, "flops_per_s", work.flops() * elements, set);
  set_counts(result, p, static_cast<double>(facts.l2_bytes));
  // What the kernel executes, not what an operator needs.
  result.set_value("flops_per_dof", work.flops() / operators::dof_per_element(o));
  result.set_work("flops", work.flops() * elements);
  result.set_value("shared_bytes_per_dof",
                   work.shared_wavefronts * 128 / operators::dof_per_element(o));
  result.set_work("shared_wavefronts", work.shared_wavefronts * elements);
  result.set_work("l2_bytes", work.l2_bytes * elements);
  result.set_work("memory_instructions", work.memory_instructions() * elements);
  if (*result.value("working_set_ratio") >= streaming_ratio) {
    ceilings::set_rate(result, "dram_bandwidth_bytes_per_s", work.dram_bytes * elements, set);
    result.set_work("dram_bytes", work.dram_bytes * elements);
  }
  set_verified(result, verified);
  result.set_text("kernel", best.text());
  result.set_text("launched_by", graph ? "graph" : "stream");
  result.set_table("kernels", kernels);
  audit(result, work, elements, [&] {
    by_stream(nullptr);
    runtime.synchronize(nullptr);
  });
  ceilings::set_gpu_samples(result, samples, timer, facts);
  return result;
}

}  // namespace

Result measure_gpu(const Parameters& p, Backend backend, const Context& context) {
  const std::unique_ptr<cuda::Runtime> runtime =
      backend == Backend::emulator ? cuda::make_emulator(context.seed) : cuda::make_device(0);
  const cuda::CaseScope scope(*runtime, context.case_id);
  return measure_gpu(p, *runtime, context);
}

Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  return p.precision == operators::Precision::fp64 ? measured<double>(p, runtime, context)
                                                   : measured<float>(p, runtime, context);
}

}  // namespace hpclab::roofline::operator_
