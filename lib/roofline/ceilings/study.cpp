// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "machine/profile.hpp"
#include "machine/this_cpu.hpp"
#include "roofline/ceilings/host_profile.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/model.hpp"
#include "roofline/ceilings/parameters.hpp"

namespace hpclab::roofline::ceilings {
namespace {

// One command, one roofline: every level and peak on one core and on all, and the latency that
// explains them.
Json default_runs() {
  return Json::array({
      {{"parameters", {{"quantity", "clock"}}}},
      {{"parameters", {{"quantity", "levels"}}}},
      {{"parameters",
        {{"level", {"l1", "l2", "l3"}}, {"kind", {"read", "copy", "triad"}}, {"threads", {1, 0}}}}},
      {{"parameters",
        {{"level", "dram"},
         {"kind",
          {"read", "write", "write-nontemporal", "copy", "copy-nontemporal", "triad",
           "triad-nontemporal", "update"}},
         {"threads", {1, 0}}}}},
      {{"parameters",
        {{"level", "dram"},
         {"kind", {"copy", "copy-nontemporal"}},
         {"huge_pages", "never"},
         {"threads", {1, 0}}}}},
      {{"parameters", {{"quantity", "launch"}, {"threads", 0}}}},
      {{"parameters", {{"kind", "mix"}, {"level", "dram"}, {"read_fraction", {0.25, 0.5, 0.75}}}}},
      {{"parameters",
        {{"isa", {"scalar", "avx2", "avx512"}},
         {"precision", {"fp64", "fp32"}},
         {"threads", {1, 0}}}}},
      {{"parameters", {{"isa", "avx512"}, {"precision", {"bf16", "int8"}}, {"threads", {1, 0}}}}},
      {{"parameters",
        {{"quantity", "latency"}, {"level", {"l1", "l2", "l3", "dram"}}, {"threads", 1}}}},
      {{"parameters", {{"quantity", "concurrency"}, {"level", "dram"}, {"threads", {1, 0}}}}},
  });
}

// Seconds of set-up and about 25 samples; measured figures on current machines within a factor
// of 3.
Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::measure) return {};
  const bool dram = p.level == MemoryLevel::dram;
  switch (p.quantity) {
    case Quantity::bandwidth:
      return p.working_set > 0 ? Estimate{static_cast<double>(p.working_set * p.threads), 0.2}
                               : Estimate{dram ? 1.5e9 : 3e7, dram ? 2.5 : 0.2};
    case Quantity::latency:
      return {dram ? 3e8 : 3e7, dram ? 1.0 : 0.3};
    case Quantity::concurrency:
      return {dram ? 3e8 : 3e7, dram ? 6.0 : 1.5};
    case Quantity::levels:
      return {1.3e8, 0.7};
    case Quantity::flops:
    case Quantity::clock:
    case Quantity::launch:
      return {1e6, 0.2};
    case Quantity::link:
      return {5.4e8, 1.0};
  }
  return {};
}

// Theory of a processor predicts no GPU, and the other way round.
std::string family(const machine::MachineProfile* profile, std::optional<Backend> backend) {
  const bool gpu = profile   ? profile->kind == machine::MachineKind::gpu
                   : backend ? *backend != Backend::cpu
                             : false;
  return gpu ? "gpu" : "cpu";
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>("roofline", "ceilings",
                                     "Which bandwidths, latencies and peak rates does this machine "
                                     "really reach, and what limits them?",
                                     parameter_table())
      .value({"latency_s", "time of one dependent load", Better::lower, true})
      .value({"bandwidth_bytes_per_s", "bytes that the program reads and writes, a second",
              Better::higher, true})
      .value({"flops_per_s", "floating-point (int8: integer) operations a second", Better::higher,
              true})
      .value({"launch_s",
              "time of one empty kernel among many; of a processor, start of a thread team",
              Better::lower, true})
      .value({"needed_lines",
              "cache lines in flight that fill the level (bandwidth x latency / 64)",
              Better::neither, true})
      .value({"kept_lines", "cache lines that one core (multiprocessor) keeps in flight",
              Better::higher, true})
      .value({"levels_count", "memory levels that the sweep shows", Better::neither, true})
      .value({"clock_hz", "clock of the core, from dependent adds; of a GPU by NVML",
              Better::neither, true})
      .value({"fraction_of_theory_ratio", "share of the documented rate at the measured clock",
              Better::higher, true})
      .value({"theory_bytes_per_s", "documented bytes a cycle at the measured clock",
              Better::neither, false})
      .value({"theory_flops_per_s", "documented operations a cycle at the measured clock",
              Better::neither, false})
      .value({"working_set_bytes", "bytes that one thread (on a GPU: the device) works on",
              Better::neither, false})
      .value({"fit_residual_ratio", "relative residual of the fit of Little's law", Better::lower,
              false})
      .value({"power_w", "power of the GPU during the samples, by NVML", Better::neither, false})
      .value(
          {"energy_j", "energy of the GPU for one pass or launch, by NVML", Better::lower, false})
      .value({"temperature_c", "highest temperature of the GPU during the samples, by NVML",
              Better::neither, false})
      .value({"compared_count", "results of the kernels that were compared with the host's",
              Better::neither, false})
      .value({"mismatch_count", "results that differed", Better::lower, false})
      .value({"max_error_ratio", "largest error of a result that may be rounded", Better::lower,
              false})
      .plot({"roofline", "working_set_bytes", "bandwidth_bytes_per_s", {"level"}, true, true})
      .output({"save-machine", "write the measured ceilings as a machine profile"})
      .output({"gpu-benches", "folder of public gpu-benches logs: prints measured over logged"})
      .reads_machine_profile(machine::this_cpu_name)
      .default_experiments(default_runs())
      .model(model)
      .measure({Backend::cpu, Backend::cuda, Backend::emulator}, measure)
      .pairs_by(family)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::roofline::ceilings
