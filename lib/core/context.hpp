// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a study's functions get beside their parameters.
#pragma once

#include "core/random_stream.hpp"
#include "core/sampler.hpp"
#include "core/stop_token.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hpclab {

namespace machine {
class MachineProfile;
}

class Context {
 public:
  std::string case_id;
  std::uint64_t seed = 1;
  StopToken stop;
  SamplerOptions sampler;
  /// The profile that model and simulate read; null for studies that read none.
  std::shared_ptr<const machine::MachineProfile> machine_profile;
  std::string machine_name;
  /// Fraction of the case that is done, for long cases; may be empty.
  std::function<void(double)> report_progress;

  /// The stream of that purpose under the case's seed: the same numbers at any thread count, and in
  /// every case of the seed, so that cases differ by their parameters alone (common random
  /// numbers).
  RandomStream random(std::string_view purpose) const {
    return RandomStream(seed, std::string(purpose));
  }
  /// Repeats `sample` (it returns its own seconds) until the stopping rule holds.
  SampleSet collect(const std::function<double()>& sample) const {
    return ::hpclab::collect(sample, sampler);
  }
};

}  // namespace hpclab
