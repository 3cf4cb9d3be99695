// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/closed_form.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hpclab::kvcache::policies {

SequenceMeans sequence_means(const Parameters& p, const std::vector<BatchRequest>& requests) {
  const auto block = static_cast<std::uint64_t>(p.block);
  const auto samples = static_cast<double>(p.samples);
  const double last_block_waste = static_cast<double>(block - 1) / 2;
  double steps = 0, tokens = 0, stored = 0, slots = 0;
  for (const BatchRequest& request : requests) {
    const auto output = static_cast<double>(request.output_tokens);
    // A sequence stands for prompt, prompt + 1, ..., prompt + output - 1 tokens.
    const double mean = static_cast<double>(request.prompt_tokens) + (output - 1) / 2;
    double request_stored = mean;
    double request_slots = 0;
    switch (p.policy) {
      case Policy::contiguous:
        request_slots = static_cast<double>(request.reserved);
        break;
      case Policy::buddy:
        request_slots = static_cast<double>(std::bit_ceil(request.reserved));
        break;
      case Policy::paged:
        request_slots = mean + last_block_waste;
        break;
      case Policy::copy_on_write: {
        const auto shared = static_cast<double>(request.prompt_tokens / block * block);
        request_stored = shared / samples + mean - shared;
        request_slots = request_stored + last_block_waste;
        break;
      }
    }
    steps += output;
    tokens += output * mean;
    stored += output * request_stored;
    slots += output * request_slots;
  }
  return {tokens / steps, stored / steps, slots / steps};
}

double concurrency(const Parameters& p, const Pool& pool, const SequenceMeans& means) {
  const auto slots = static_cast<double>(pool.slots);
  double sequences = slots / means.slots;
  const bool alike =
      (p.policy == Policy::contiguous || p.policy == Policy::buddy) && p.reserve == Reserve::max;
  if (alike) {
    const auto samples = static_cast<double>(p.samples);
    sequences = std::floor(std::floor(sequences + 1e-9) / samples) * samples;
  }
  if (p.max_num_seqs > 0) sequences = std::min(sequences, static_cast<double>(p.max_num_seqs));
  return sequences;
}

}  // namespace hpclab::kvcache::policies
