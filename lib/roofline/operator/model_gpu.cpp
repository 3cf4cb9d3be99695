// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/operators/variant_work.hpp"
#include "machine/cache_residency.hpp"
#include "operators/element_work.hpp"
#include "roofline/operator/ceiling.hpp"
#include "roofline/operator/gpu_candidates.hpp"
#include "roofline/operator/model.hpp"

#include <limits>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using machine::MachineProfile;

/// Threads of a warp instruction that a multiprocessor's load/store units accept in a cycle: 32 in
/// all architectures from Volta on that have a full-rate FP64 unit.
constexpr double lanes_a_cycle = 32;

Ceiling load_store_issue(const MachineProfile& profile) {
  const Ceiling clock = ceiling(profile, "clock", {"measured_hz", "boost_hz"});
  Ceiling issue = clock.scaled(profile.require("processor", "sm_count") * lanes_a_cycle);
  // The clock is what it is; that it is documented does not make the units slower.
  issue.slow = issue.rate;
  issue.figure = "processor.sm_count x 32 x " + clock.figure;
  return issue;
}

/// What one element asks of the units, whoever counted it.
struct Demand {
  double dram_bytes = 0;
  double l2_bytes = 0;
  double shared_bytes = 0;  ///< 128 a wavefront
  double memory_instructions = 0;
  double vector_instructions = 0;
  double tensor_multiply_adds = 0;
  double launches = 1;  ///< of one application
};

Demand demand_of(const operators::GpuWork& work) {
  return {work.dram_bytes,
          work.l2_bytes,
          work.shared_bytes,
          work.memory_instructions,
          work.multiply_adds + work.other_flops,
          0,
          work.launches};
}

Demand demand_of(const operators::VariantWork& work) {
  return {work.dram_bytes,
          work.l2_bytes,
          work.shared_wavefronts * 128,
          work.memory_instructions(),
          work.multiply_adds + work.additions,
          work.tensor_multiply_adds,
          work.launches};
}

MachineWork machine_work(const Parameters& p, const MachineProfile& profile, const Demand& demand) {
  const double elements = static_cast<double>(p.elements);
  const machine::ResidentRange resident = machine::resident_range(
      working_set_bytes(element_operator(p), p.elements), last_level_bytes(profile));

  MachineWork machine;
  std::vector<Resource>& resources = machine.resources;
  std::vector<Resource> units;
  if (resident.low < 1) {
    const double swept = demand.dram_bytes * elements;
    Resource dram = resource("dram", "bytes", swept * (1 - resident.expected),
                             ceiling(profile, "dram",
                                     {"read_bytes_per_s", "update_bytes_per_s", "copy_bytes_per_s",
                                      "triad_bytes_per_s", "theoretical_bytes_per_s"}));
    dram.least_work = swept * (1 - resident.high);
    dram.most_work = swept * (1 - resident.low);
    resources.push_back(dram);
  }
  resources.push_back(
      resource("l2", "bytes", demand.l2_bytes * elements,
               ceiling(profile, "l2", {"read_bytes_per_s", "theoretical_bytes_per_s"})));
  units.push_back(
      resource("shared memory", "bytes", demand.shared_bytes * elements,
               ceiling(profile, "shared", {"read_bytes_per_s", "theoretical_bytes_per_s"})));
  units.push_back(resource("load/store issue", "accesses", demand.memory_instructions * elements,
                           load_store_issue(profile)));
  const std::string peak = fmt::format("{}_vector_flops_per_s", operators::name_of(p.precision));
  units.push_back(resource("fp issue", "instructions", demand.vector_instructions * elements,
                           ceiling(profile, "peak", {peak}).scaled(0.5)));
  if (demand.tensor_multiply_adds > 0) {
    units.push_back(resource("tensor cores", "multiply-adds",
                             demand.tensor_multiply_adds * elements,
                             ceiling(profile, "peak", {"fp64_tensor_flops_per_s"}).scaled(0.5)));
  }
  // Many warps fill the multiprocessor's units side by side.
  machine.passes.push_back({"all", units});
  const machine::Figure& launch = profile.figure("launch", "kernel_s");
  const auto interval = profile.interval95("launch", "kernel_s");
  resources.push_back(
      resource("launch", "kernels", demand.launches,
               Ceiling{1 / launch.value, 1 / interval[1], 1 / interval[0], "launch.kernel_s"}));
  return machine;
}

/// The kernel that was built and needs least, by the declared work of each.
MachineWork least_of_built(const Parameters& p, const MachineProfile& profile) {
  const std::vector<operators::KernelVariant> candidates = gpu_candidates(p);
  std::optional<MachineWork> best;
  std::optional<CaseFailed> missing;
  double least_s = std::numeric_limits<double>::infinity();
  for (const operators::KernelVariant& variant : candidates) {
    try {
      MachineWork work = machine_work(
          p, profile, demand_of(operators::variant_work(element_operator(p), variant, p.scatter)));
      const double time_s = combine(work, p.overlap, 0).time_s;
      if (time_s >= least_s) continue;
      least_s = time_s;
      work.kernel = variant.text();
      best = std::move(work);
    } catch (const CaseFailed& lacking) {
      if (!missing) missing = lacking;  // a GPU without tensor cores for doubles has other kernels
    }
  }
  if (!best) throw *missing;
  return *best;
}

}  // namespace

MachineWork gpu_resources(const Parameters& p, const MachineProfile& profile) {
  if (p.kernel != KernelChoice::slab && p.kernel != KernelChoice::block)
    return least_of_built(p, profile);
  const operators::ElementOperator o = element_operator(p);
  const operators::GpuVariant variant = gpu_variant(p);
  const machine::Figure* shared = profile.find("shared", "size_bytes");
  if (const auto limit = operators::gpu_limit(o, variant, shared ? shared->value : 0))
    throw CaseFailed(*limit);
  return machine_work(p, profile, demand_of(operators::gpu_work(o, variant)));
}

}  // namespace hpclab::roofline::operator_
