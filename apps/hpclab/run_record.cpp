// hpclab: SPDX-License-Identifier: Apache-2.0
#include "hpclab/run_record.hpp"

#include "core/record.hpp"
#include "core/sampler.hpp"

#include <nlohmann/json.hpp>

namespace hpclab::app {

Json run_record(const Program& program, const std::string& run_id, Json studies) {
  return {{"record", "run"},
          {"schema", schema_version()},
          {"run", run_id},
          {"hpclab", build_facts()},
          {"machine", provenance_facts(program.probes)},
          {"argv", program.argv},
          {"started", utc_now()},
          {"null_s", measure_null_s()},
          {"studies", std::move(studies)}};
}

}  // namespace hpclab::app
