// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/error.hpp"
#include "machine/profile.hpp"
#include "operators/cpu_operator.hpp"
#include "roofline/operator/measure.hpp"
#include "roofline/operator/model.hpp"
#include "roofline/operator/parameters.hpp"
#include "roofline/operator/sweet_spot.hpp"

namespace hpclab::roofline::operator_ {
namespace {

// A prediction for a GPU predicts no processor, and the other way round.
std::string family(const machine::MachineProfile* profile, std::optional<Backend> backend) {
  const bool gpu = profile   ? profile->kind == machine::MachineKind::gpu
                   : backend ? *backend != Backend::cpu
                             : false;
  return gpu ? "gpu" : "cpu";
}

// What the operator holds; generating the mesh and its metric takes longer than the samples.
Estimate estimate(const Parameters& p, Method method) {
  if (method != Method::measure) return {};
  try {
    const double bytes = static_cast<double>(operators::cpu_operator_bytes(
        element_operator(p), operators::near_cubic_split(p.elements)));
    return {bytes, 0.5 + bytes / 5e8};
  } catch (const UsageError&) {
    return {};  // the case itself says what contradicts
  }
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>("roofline", "operator",
                                     "At which degree does a matrix-free high-order operator run "
                                     "best on this machine, what "
                                     "binds it there, and how far from the limit is the kernel?",
                                     parameter_table())
      .value(
          {"time_per_dof_ps", "time of one application a degree of freedom", Better::lower, true})
      .value({"throughput_dof_per_s", "degrees of freedom a second", Better::higher, true})
      .value({"fraction_of_bound_ratio",
              "time that the binding resource alone needs over the time of the whole",
              Better::higher, true})
      .value({"time_s", "time of one application to all elements", Better::lower, false})
      .value({"flops_per_s", "operations as executed, a second", Better::higher, false})
      .value({"dram_bandwidth_bytes_per_s",
              "bytes from and to DRAM a second, where the working set exceeds the caches",
              Better::higher, false})
      .value({"model_error_ratio", "measured over predicted time a DOF, less 1", Better::neither,
              false})
      .value({"dof_count", "degrees of freedom: degree^3 x elements", Better::neither, false})
      .value({"working_set_bytes", "vectors, geometry and map that one application touches",
              Better::neither, false})
      .value({"working_set_ratio", "working set over the machine's last-level caches",
              Better::neither, false})
      .value({"flops_per_dof", "operations as executed", Better::neither, false})
      .value({"textbook_flops_per_dof",
              "operations of dense contractions, as the literature counts", Better::neither, false})
      .value({"dram_bytes_per_dof", "compulsory bytes: vectors, geometry and map, each once",
              Better::neither, false})
      .value({"shared_bytes_per_dof", "words of shared memory read and written, in bytes",
              Better::lower, false})
      .value({"intensity_flops_per_byte", "textbook operations over compulsory bytes",
              Better::neither, false})
      .value({"even_odd_ratio", "operations of an even-odd contraction over those of a dense one",
              Better::neither, false})
      .value({"fraction_observed_bound_ratio",
              "share of observed_ps that the binding resource explains", Better::neither, false})
      .value({"fraction_observed_shared_ratio", "share of observed_ps that shared memory explains",
              Better::neither, false})
      .value({"fraction_observed_dram_ratio", "share of observed_ps that DRAM explains",
              Better::neither, false})
      .value({"observed_flops_per_s", "textbook operations a second at observed_ps",
              Better::neither, false})
      .value({"observed_dof_per_s", "degrees of freedom a second at observed_ps", Better::neither,
              false})
      .value({"verified_count", "nodes compared with a direct evaluation before timing",
              Better::neither, false})
      .value({"max_error_ratio", "largest difference from it over its largest number",
              Better::lower, false})
      .plot({"lines",
             "degree",
             "throughput_dof_per_s",
             {"operator", "geometry", "cache_ratio"},
             false,
             false,
             true})
      .reads_machine_profile()
      .model(model)
      .measure({Backend::cpu, Backend::cuda, Backend::emulator}, measure)
      .compare(compare)
      .pairs_by(family)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::roofline::operator_
