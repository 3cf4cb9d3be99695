// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline residency`.
#pragma once

#include "core/parameter.hpp"
#include "roofline/residency/grid.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::residency {

enum class Precision { fp64, fp32 };

/// Whether arrays stay on the device between steps.
enum class Residency { resident, moved };

/// Which ways arrays move at every step.
enum class Ways { in, out, both };

/// Memory of the host: page-locked, ordinary, or one address for both with pages that migrate.
enum class HostMemory { pinned, pageable, managed };

struct Parameters {
  Stencil stencil = Stencil::seven_point;
  std::int64_t points = std::int64_t{1} << 24;
  std::int64_t steps = 4;
  Residency residency = Residency::moved;
  Ways ways = Ways::both;
  std::int64_t moved_arrays = 2;
  HostMemory host_memory = HostMemory::pinned;
  std::int64_t chunks = 1;
  Precision precision = Precision::fp64;
  std::string isa = "widest";
  std::int64_t threads = 0;     ///< 0: every core that the process may use
  double memory_bandwidth = 0;  ///< bytes/s; 0: of the profile
  double link_bandwidth = 0;    ///< bytes/s each way; 0: of the profile
};

const ParameterTable<Parameters>& parameter_table();

const char* name_of(Precision precision);

/// What a step moves between host and device, in one place for model, measurement and report.
struct StepTraffic {
  double array_bytes = 0;
  double in_bytes = 0;   ///< host to device
  double out_bytes = 0;  ///< device to host
};
StepTraffic traffic_of(const Parameters& p);

}  // namespace hpclab::roofline::residency
