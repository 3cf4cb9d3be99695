// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "roofline/residency/exchange.hpp"
#include "roofline/residency/measure.hpp"
#include "roofline/residency/model.hpp"
#include "roofline/residency/parameters.hpp"

namespace hpclab::roofline::residency {
namespace {

Json default_runs() {
  return Json::array({
      {{"parameters", {{"residency", "resident"}}}},
      {{"parameters",
        {{"residency", "moved"},
         {"ways", {"in", "out", "both"}},
         {"moved_arrays", {1, 2}},
         {"host_memory", {"pinned", "pageable"}}}}},
  });
}

// A step takes what its bytes take at 10 GB/s on the link and 30 GB/s in memory, within a factor of
// 3; 12 samples of all steps, each with the same steps whose arrays stay.
Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::measure) return {};
  const StepTraffic traffic = traffic_of(p);
  const double kernel = 2 * traffic.array_bytes / 3e10;
  const double moves = (traffic.in_bytes + traffic.out_bytes) / 1e10;
  const double sample = static_cast<double>(p.steps) * (2 * kernel + moves);
  return {allocated_bytes(p), allocated_bytes(p) / 1e9 + 0.1 + 12 * sample};
}

// A GPU's link predicts no processor, and the other way round.
std::string family(const machine::MachineProfile* profile, std::optional<Backend> backend) {
  const bool gpu = profile   ? profile->kind == machine::MachineKind::gpu
                   : backend ? *backend != Backend::cpu
                             : false;
  return gpu ? "gpu" : "cpu";
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>(
             "roofline", "residency",
             "What does keeping arrays on the device from step to step buy, against moving them at "
             "each?",
             parameter_table())
      .value({"time_s", "time of one step", Better::lower, true})
      .value({"slowdown_ratio", "time of the step over that of one whose arrays stay",
              Better::lower, true})
      .value({"kernel_s", "time of one step whose arrays stay", Better::lower, true})
      .value({"bandwidth_bytes_per_s", "bytes that the kernel reads and writes, a second",
              Better::higher, true})
      .value({"moved_bytes", "bytes that a step moves between host and device, both ways",
              Better::lower, true})
      .value({"link_bytes_per_s", "moved bytes over the time that moving adds to a step",
              Better::higher, true})
      .value({"run_s", "time of all steps", Better::lower, false})
      .value({"clock_hz", "clock of the GPU, by NVML", Better::neither, false})
      .value({"power_w", "power of the GPU during the samples, by NVML", Better::neither, false})
      .value({"energy_j", "energy of the GPU for one sample, by NVML", Better::lower, false})
      .value({"temperature_c", "highest temperature of the GPU during the samples, by NVML",
              Better::neither, false})
      .value({"compared_count", "points of all arrays that were compared with the reference",
              Better::neither, false})
      .value({"mismatch_count", "points that differed", Better::lower, false})
      .value({"max_error_ratio", "largest error of a point; results are equal to the last bit",
              Better::lower, false})
      .plot({"bars", "moved_arrays", "time_s", {"method", "host_memory", "ways"}, false, false})
      .reads_machine_profile()
      .default_experiments(default_runs())
      .model(model)
      .measure({Backend::cpu, Backend::cuda, Backend::emulator}, measure)
      .pairs_by(family)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::roofline::residency
