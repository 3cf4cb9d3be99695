// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline fusion`.
#pragma once

#include "core/parameter.hpp"
#include "roofline/fusion/chain.hpp"

#include <cstdint>
#include <string>

namespace hpclab::roofline::fusion {

enum class Precision { fp64, fp32 };

/// How a processor's kernels store: through the caches, or around them.
enum class Stores { plain, nontemporal };

/// How kernels are started on a GPU: one call each, or all of a graph by one call.
enum class LaunchBy { stream, graph };

struct Parameters {
  std::int64_t operations = 16;
  Inputs inputs = Inputs::one;
  std::int64_t operand_arrays = 0;
  Fusion fusion = Fusion::fused;
  std::int64_t group = 4;
  std::int64_t block = 0;  ///< elements; 0: the whole array
  std::int64_t elements = std::int64_t{1} << 25;
  Precision precision = Precision::fp64;
  Stores stores = Stores::nontemporal;
  std::string isa = "widest";
  std::int64_t threads = 0;  ///< 0: every core that the process may use
  LaunchBy launch_by = LaunchBy::stream;
  double observed_speedup = 0;  ///< 0: none was observed
};

const ParameterTable<Parameters>& parameter_table();

/// The chain that the parameters declare.
ChainShape chain_shape(const Parameters& p);

double word_bytes(Precision precision);
const char* name_of(Precision precision);

}  // namespace hpclab::roofline::fusion
