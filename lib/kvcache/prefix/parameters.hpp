// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache prefix` and the functions that answer it.
#pragma once

#include "core/context.hpp"
#include "core/parameter.hpp"
#include "core/result.hpp"
#include "core/study.hpp"
#include "kvcache/prefix/prefill_cost.hpp"
#include "kvcache/requests/request_choice.hpp"
#include "kvcache/requests/request_cutter.hpp"

#include <cstdint>

namespace hpclab::kvcache::prefix {

using requests::Semantics;

enum class Policy { lru, lfu, fifo, ttl, opt };
enum class Tiers { one, offload };

struct Parameters : requests::RequestChoice {
  Semantics semantics = Semantics::recorded;
  std::int64_t block = 0;
  Policy policy = Policy::lru;
  double ttl_s = 300;
  std::int64_t capacity_blocks = 0;
  double knee_gain_ratio = 0.03;
  std::int64_t track_blocks = std::int64_t{32} << 20;

  Tiers tiers = Tiers::one;
  std::int64_t cpu_blocks = 0;
  std::int64_t ssd_blocks = 0;
  Transfer transfer = Transfer::cheaper;

  std::int64_t layers = 80;
  std::int64_t hidden = 8192;
  double gqa = 8;
  double element_bytes = 2;
  double prefill_flops_per_s = 2.496e15;
  double cpu_bytes_per_s = 100e9;
  double ssd_bytes_per_s = 10e9;
  std::int64_t prefix_tokens = 8192;
};

const ParameterTable<Parameters>& parameter_table();

/// Sizes of the model and rates of the machine, as the parameters give them.
PrefillCost prefill_cost(const Parameters& p);

/// Replays the requests through the cache: hit ratios, the curve over capacities, knee, tiers.
Result simulate(const Parameters& p, Context& context);

/// When loading a cached prefix beats recomputing it.
Result model(const Parameters& p, Context& context);

Estimate estimate(const Parameters& p, Method method);

}  // namespace hpclab::kvcache::prefix
