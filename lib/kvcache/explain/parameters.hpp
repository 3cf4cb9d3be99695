// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache explain`: the log, and what it does not say.
#pragma once

#include "core/parameter.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace hpclab::kvcache::explain {

struct Parameters {
  std::filesystem::path log;
  std::filesystem::path model;  ///< empty: the one that the log names
  std::filesystem::path weights;
  std::filesystem::path gpu;  ///< empty: the total that the log states
  std::string engine_version;
  std::int64_t tp = 0;
  std::string kv_dtype = "auto";
  std::int64_t block = 0;
  double gpu_memory_utilization = 0;
  std::int64_t max_model_len = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::int64_t max_num_seqs = 0;
  std::int64_t cudagraph_max_batch = -1;
  std::int64_t context = 0;
  bool predict_tokens = false;
};

const ParameterTable<Parameters>& parameter_table();

}  // namespace hpclab::kvcache::explain
