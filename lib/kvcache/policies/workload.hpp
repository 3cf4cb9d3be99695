// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What model and simulation both start from: the requests, the pool in slots, and the bytes of the
// model, as the parameters say.
#pragma once

#include "kvcache/policies/batch.hpp"
#include "kvcache/policies/parameters.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache::policies {

struct Workload {
  std::vector<BatchRequest> requests;
  std::uint64_t too_long = 0;  ///< left out: longer than max_model_len
  std::vector<std::string> notes;
};

/// Requests of the trace or drawn from the distributions, with what they reserve and, for
/// copy-on-write over a trace of block ids, their full prompt blocks. CaseFailed when none is left.
Workload make_workload(const Parameters& p, const Context& context);

/// Bytes of the model and the pool.
struct Pool {
  double bytes_per_token = 0;      ///< keys and values of one token in all layers
  double gpu_bytes_per_token = 0;  ///< without the part that lives in host memory
  double weights_bytes = 0;
  std::uint64_t slots = 0;  ///< tokens that available_bytes hold
};
/// CaseFailed when the model keeps something else than keys and values of every token (windows,
/// recurrent states): a slot a token does not describe it.
Pool make_pool(const Parameters& p);

/// Slots that one sequence sets aside under a reserving policy.
std::uint64_t reserved_slots(Reserve reserve, std::uint64_t prompt_tokens,
                             std::uint64_t output_tokens, std::uint64_t max_model_len);

/// Time of a decode step that reads all weights and the cache of `tokens` tokens, part of it from
/// host memory at the same time.
double step_seconds(const Parameters& p, const Pool& pool, double tokens);

}  // namespace hpclab::kvcache::policies
