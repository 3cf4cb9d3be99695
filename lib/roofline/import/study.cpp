// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "roofline/import/model.hpp"
#include "roofline/import/parameters.hpp"
#include "roofline/import/saved_profile.hpp"

namespace hpclab::roofline::import {

// The method is `model`: somebody else measured, and what is added here - counts, ceilings and the
// share of them - is computed from a machine profile.
Study study() {
  return StudyDefinition<Parameters>("roofline", "import",
                                     "Where do the points of other programs' logs lie on our "
                                     "roofline, and do their figures "
                                     "agree with their own counts?",
                                     parameter_table())
      .value({"intensity_flops_per_byte", "operations over bytes of the level named in text.level",
              Better::neither, true})
      .value({"throughput_dof_per_s", "degrees of freedom a second", Better::higher, true})
      .value({"flops_per_s",
              "operations, recounted where the log states the problem, over the "
              "time that it prints",
              Better::higher, true})
      .value({"bandwidth_bytes_per_s", "bytes, recounted likewise, over that time", Better::higher,
              true})
      .value({"fraction_of_ceiling_ratio", "share of the ceiling that binds", Better::higher, true})
      .value({"contradictions_count", "figures that do not agree with counts, time or machine",
              Better::lower, true})
      .value({"ceiling_flops_per_s", "rate that the ceilings allow at the point's ratios of work",
              Better::neither, false})
      .value({"time_s",
              "time of the work: of one application, run or kernel; 1 s for logs that "
              "print rates only",
              Better::lower, false})
      .value({"latency_s", "time of one dependent load", Better::lower, false})
      .value({"size_dof", "unknowns of the problem", Better::neither, false})
      .value({"fom_flops_per_s",
              "figure of merit of Nekbone: 12 n^4 + 34 n^3 operations an element", Better::higher,
              false})
      .value({"printed_flops_per_s", "as the log prints it", Better::neither, false})
      .value({"printed_bandwidth_bytes_per_s", "as the log prints it", Better::neither, false})
      .value({"printed_throughput_dof_per_s", "as the log prints it", Better::neither, false})
      .value({"printed_intensity_flops_per_byte", "as the log prints it", Better::neither, false})
      .value({"clock_hz", "clock of a GPU during the row", Better::neither, false})
      .value({"power_w", "power of a GPU during the row", Better::neither, false})
      .plot({"roofline", "intensity_flops_per_byte", "flops_per_s", {"format"}, true, true})
      .output({"save-machine", "write the ceilings that the logs measured as a machine profile"})
      .reads_machine_profile()
      .model(model)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::roofline::import
