// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache frontier`.
#pragma once

#include "core/parameter.hpp"
#include "kvcache/deployment.hpp"
#include "kvcache/model_description.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace hpclab::kvcache::frontier {

/// One step at one batch, or all rows of a file of measured steps.
enum class Quantity { step, check };

struct Parameters {
  Quantity quantity = Quantity::step;
  std::filesystem::path model = "llama-3.1-8b";
  std::filesystem::path weights;
  std::filesystem::path gpu = "a100-80gb";
  std::int64_t tp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
  std::string kv_dtype = "auto";
  double gpu_memory_utilization = 0;
  std::int64_t batch = 64;
  std::int64_t context = 4096;
  std::int64_t output = 0;
  double observed_gain = 0;
  std::int64_t layer_kernels = 10;
  double collective_s = 30e-6;
  double compute_efficiency = 1;
  std::filesystem::path measured;
  std::string rows;
};

const ParameterTable<Parameters>& parameter_table();

/// The description of `model`, with the bytes of `weights` where given.
ModelDescription model_of(const Parameters& p);
/// Ranks, formats and memory as the engine's rules take them; `longest` tokens a request.
Deployment deployment_of(const Parameters& p, std::int64_t longest);

}  // namespace hpclab::kvcache::frontier
