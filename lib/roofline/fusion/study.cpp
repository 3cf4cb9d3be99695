// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "roofline/fusion/execution.hpp"
#include "roofline/fusion/measure.hpp"
#include "roofline/fusion/model.hpp"
#include "roofline/fusion/parameters.hpp"

#include <algorithm>

namespace hpclab::roofline::fusion {
namespace {

Json default_runs() {
  return Json::array({
      {{"parameters", {{"operations", {1, 2, 4, 8, 16, 32, 64}}, {"fusion", "fused"}}}},
      {{"parameters",
        {{"operations", 16},
         {"fusion", {"unfused", "partly"}},
         {"stores", {"plain", "nontemporal"}}}}},
      {{"parameters",
        {{"operations", 16}, {"fusion", "partly"}, {"block", 4096}, {"stores", "nontemporal"}}}},
  });
}

// A pass takes what its bytes take at 20 GB/s, within a factor of 3; 25 samples, each with a copy
// and, for some, the unfused chain beside it.
Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::measure) return {};
  ChainShape unfused = chain_shape(p);
  unfused.group = 1;
  constexpr double bytes_per_s = 2e10;
  const double chain = program_bytes(p, traffic_of(passes_of(chain_shape(p)))) / bytes_per_s;
  const double baseline = program_bytes(p, traffic_of(passes_of(unfused))) / bytes_per_s;
  const double setup = allocated_bytes(p) / 1e9 + 0.1;
  return {allocated_bytes(p), setup + 25 * (2 * chain + 2e-3) + std::max(3 * baseline, 1.0)};
}

// A GPU's bandwidth predicts no processor, and the other way round.
std::string family(const machine::MachineProfile* profile, std::optional<Backend> backend) {
  const bool gpu = profile   ? profile->kind == machine::MachineKind::gpu
                   : backend ? *backend != Backend::cpu
                             : false;
  return gpu ? "gpu" : "cpu";
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>("roofline", "fusion",
                                     "What does fusing a chain of elementwise operations buy, and "
                                     "when does it stop paying?",
                                     parameter_table())
      .value({"time_s", "time of the whole chain, once", Better::lower, true})
      .value({"speedup_ratio", "time of the unfused chain over this one's", Better::higher, true})
      .value({"bandwidth_bytes_per_s",
              "bytes that all passes read and write (with blocks: beyond the caches), a second",
              Better::higher, true})
      .value({"fraction_of_copy_ratio", "share of the bandwidth of a copy of the same arrays",
              Better::higher, true})
      .value({"fraction_of_peak_ratio",
              "share of the documented multiply-add rate at the measured clock", Better::neither,
              true})
      .value({"copy_bytes_per_s", "bandwidth of a copy, measured beside the chain", Better::higher,
              false})
      .value({"dram_bytes", "bytes to and from DRAM, reads for ownership included", Better::lower,
              true})
      .value({"launches_count", "kernels or passes of a thread team that are started",
              Better::lower, true})
      .value({"crossover_operations",
              "operations of a fused chain beyond which arithmetic takes longer than memory",
              Better::neither, true})
      .value({"implied_operations", "operations that the observed speed-up implies",
              Better::neither, true})
      .value({"clock_hz", "clock of the core, from dependent adds; of a GPU by NVML",
              Better::neither, false})
      .value({"power_w", "power of the GPU during the samples, by NVML", Better::neither, false})
      .value({"energy_j", "energy of the GPU for one chain, by NVML", Better::lower, false})
      .value({"temperature_c", "highest temperature of the GPU during the samples, by NVML",
              Better::neither, false})
      .value({"compared_count", "elements that were compared with the reference", Better::neither,
              false})
      .value({"mismatch_count", "elements that differed", Better::lower, false})
      .value({"max_error_ratio", "largest error of an element; results are equal to the last bit",
              Better::lower, false})
      .plot({"lines", "operations", "time_s", {"method", "fusion"}, true, true})
      .reads_machine_profile()
      .default_experiments(default_runs())
      .model(model)
      .measure({Backend::cpu, Backend::cuda, Backend::emulator}, measure)
      .pairs_by(family)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::roofline::fusion
