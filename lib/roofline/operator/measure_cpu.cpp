// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/instruction_set.hpp"
#include "core/trace.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"
#include "operators/cpu_operator.hpp"
#include "operators/cpu_work.hpp"
#include "operators/element_work.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/operator/counts.hpp"
#include "roofline/operator/measure.hpp"
#include "roofline/operator/model.hpp"
#include "roofline/operator/verify.hpp"

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using operators::CpuOperator;
using operators::ElementOperator;
using operators::HexMesh;

void require_processor(const Parameters& p) {
  const auto units = static_cast<std::int64_t>(ceilings::host_topology().processing_units.size());
  if (p.threads > units) {
    throw CaseFailed(fmt::format(
        "{} threads asked for, but this process may use {} processing units", p.threads, units));
  }
  if (!supported(instruction_set_of(p.isa)))
    throw CaseSkipped(fmt::format("this processor does not execute {}", p.isa));
}

// Numbers in [1, 2), those of 64 bits or of 32.
template <class T>
void fill(std::span<T> numbers, std::uint64_t seed, machine::ThreadTeam& team) {
  if constexpr (std::is_same_v<T, double>) {
    machine::fill_random(numbers, seed, team);
  } else {
    team.run([&](int member) {
      const auto [begin, end] = machine::share_of(numbers.size(), member, team.size());
      std::vector<double> wide(end - begin);
      machine::fill_random(wide, seed, begin);
      for (std::size_t i = begin; i < end; ++i) numbers[i] = static_cast<float>(wide[i - begin]);
    });
  }
}

template <class T>
class Experiment {
 public:
  Experiment(const Parameters& p, const Context& context)
      : operator_(element_operator(p)),
        team_(ceilings::host_topology(), static_cast<int>(p.threads)),
        run_([this](const std::function<void(int)>& task) { team_.run(task); }),
        mesh_(operators::near_cubic_split(p.elements), p.geometry == operators::Geometry::affine
                                                           ? operators::sheared_cube
                                                           : operators::deformed_cube),
        cpu_(operator_, mesh_, instruction_set_of(p.isa), static_cast<int>(p.threads), run_),
        in_memory_(cpu_.layout().entries() * sizeof(T), machine::HugePages::advise),
        out_memory_(cpu_.layout().entries() * sizeof(T), machine::HugePages::advise),
        in_(in_memory_.as<T>().first(cpu_.layout().entries())),
        out_(out_memory_.as<T>().first(cpu_.layout().entries())) {
    fill(in_, context.seed, team_);
    fill(out_, context.seed + 1, team_);
  }

  /// Patches at a random element and where the shares of two threads meet.
  Verified check(const Context& context) {
    cpu_.apply(std::span<const T>(in_), out_, run_);
    RandomStream random = context.random("verified elements");
    const auto elements = static_cast<double>(mesh_.elements());
    const auto value_in = [this](const std::span<T>& vector) {
      return [this, &vector](std::int64_t element, int i, int j, int k) {
        return static_cast<double>(vector[cpu_.layout().entry(element, i, j, k)]);
      };
    };
    return verify(operator_, mesh_,
                  {static_cast<std::int64_t>(random.uniform() * elements), mesh_.elements() / 2},
                  value_in(in_), value_in(out_));
  }

  double passes_s(std::size_t repeats) {
    const std::span<const T> in = in_;
    if (cpu_.needs_exchange()) {
      double wall_s = 0;
      for (std::size_t i = 0; i < repeats; ++i) {
        wall_s += team_.run([&](int part) { cpu_.apply_part(part, in, out_); }).wall_s;
        wall_s += team_.run([&](int part) { cpu_.exchange_part(part, out_); }).wall_s;
      }
      return wall_s;
    }
    return team_
        .run([&](int part) {
          for (std::size_t i = 0; i < repeats; ++i) cpu_.apply_part(part, in, out_);
        })
        .wall_s;
  }

 private:
  ElementOperator operator_;
  machine::ThreadTeam team_;
  operators::RunParts run_;
  HexMesh mesh_;
  CpuOperator cpu_;
  machine::Buffer in_memory_;
  machine::Buffer out_memory_;
  std::span<T> in_;
  std::span<T> out_;
};

template <class T>
Result measured(const Parameters& p, const Context& context) {
  static const trace::Name setup_name("roofline/operator-setup");
  static const trace::Name sample_name("roofline/operator-sample");
  std::optional<Experiment<T>> experiment;
  Verified verified;
  {
    const trace::Range range(setup_name, trace::Category::setup);
    experiment.emplace(p, context);
    verified = experiment->check(context);
  }
  const std::size_t repeats =
      ceilings::calibrated_repeats([&](std::size_t count) { return experiment->passes_s(count); });
  const SampleSet samples = context.collect([&] {
    const trace::Range range(sample_name, trace::Category::measure);
    return experiment->passes_s(repeats) / static_cast<double>(repeats);
  });

  const ElementOperator o = element_operator(p);
  const double elements = static_cast<double>(p.elements);
  const double unknowns = operators::dof_per_element(o) * elements;
  const operators::ElementWork work = operators::element_work(o);
  Result result;
  const auto set_time = [&](const char* name, double factor) {
    result.set_value(name, samples.median_s * factor);
    if (samples.interval)
      result.set_interval(name, samples.interval->low * factor, samples.interval->high * factor);
  };
  set_time("time_s", 1);
  set_time("time_per_dof_ps", 1e12 / unknowns);
  ceilings::set_rate(result, "throughput_dof_per_s", unknowns, samples);
  ceilings::set_rate(result, "flops_per_s", work.flops * elements, samples);
  set_counts(result, p, host_last_level_bytes());
  // Below this the caches keep an unknown part of it.
  if (*result.value("working_set_ratio") >= 4) {
    const operators::CpuWork traffic = cpu_work(p);
    const double bytes = (traffic.streamed_read_bytes + traffic.streamed_written_bytes) * elements;
    ceilings::set_rate(result, "dram_bandwidth_bytes_per_s", bytes, samples);
    result.set_work("dram_bytes", bytes);
  }
  result.set_value("verified_count", static_cast<double>(verified.nodes));
  result.set_value("max_error_ratio", verified.largest_error);
  ceilings::set_samples(result, samples);
  return result;
}

}  // namespace

Result measure_cpu(const Parameters& p, const Context& context) {
  const ElementOperator o = element_operator(p);
  require_processor(p);
  const operators::BoxSplit split = operators::near_cubic_split(p.elements);
  machine::require_memory(operators::cpu_operator_bytes(o, split));
  return o.precision == operators::Precision::fp64 ? measured<double>(p, context)
                                                   : measured<float>(p, context);
}

}  // namespace hpclab::roofline::operator_
