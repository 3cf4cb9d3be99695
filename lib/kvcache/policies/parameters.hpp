// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache policies` and the functions that answer it.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "kvcache/requests/request_choice.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace hpclab::kvcache::policies {

enum class Lengths { distribution, file };

/// Distributions of a given mean. `exponential` is rounded up to whole tokens from 1 on.
enum class LengthLaw { fixed, uniform, exponential, lognormal };

enum class Policy { contiguous, buddy, paged, copy_on_write };

/// What an allocator that cannot grow sets aside: the longest allowed sequence, the prompt and the
/// next power of two of the output, or what is needed in the end, which nobody knows beforehand.
enum class Reserve { max, pow2, oracle };

struct Parameters : requests::FileChoice {
  Lengths source = Lengths::distribution;
  LengthLaw prompt_law = LengthLaw::exponential;
  LengthLaw output_law = LengthLaw::exponential;
  double prompt_tokens = 161;  // means of ShareGPT conversations in the PagedAttention paper
  double output_tokens = 338;
  double spread = 1;
  std::int64_t requests_count = 4000;

  Policy policy = Policy::paged;
  Reserve reserve = Reserve::max;
  std::int64_t block = 16;
  std::int64_t samples = 1;
  std::int64_t max_model_len = 2048;
  std::int64_t max_num_seqs = 0;

  std::filesystem::path model = "llama-3.1-8b";
  std::string kv_dtype = "auto";
  double available_bytes = 16. * (1 << 30);
  double offload_ratio = 0;
  double memory_bytes_per_s = 1008e9;
  double link_bytes_per_s = 25e9;
};

const ParameterTable<Parameters>& parameter_table();

/// Fills the pool with requests that always wait and reports means over time.
Result simulate(const Parameters& p, Context& context);

/// The same quantities in closed form for the same lengths, as if nothing were ever left over.
Result model(const Parameters& p, Context& context);

Estimate estimate(const Parameters& p, Method method);

}  // namespace hpclab::kvcache::policies
