// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What each policy costs, from the lengths alone: no sequence waits for another, nothing is left
// over at the pool's end, nobody is thrown out.
#pragma once

#include "kvcache/policies/workload.hpp"

#include <vector>

namespace hpclab::kvcache::policies {

/// Of one sequence, mean over the steps in which sequences run (long outputs count longer).
struct SequenceMeans {
  double tokens = 0;         ///< that it stands for
  double stored_tokens = 0;  ///< that it stores: shared ones divided among the samples
  double slots = 0;          ///< that it takes, shared ones divided likewise
  double waste() const { return slots - stored_tokens; }
};

/// Paged policies with the textbook waste of (block - 1) / 2 slots in a sequence's last block;
/// under copy-on-write the samples of a request share the prompt's full blocks.
SequenceMeans sequence_means(const Parameters& p, const std::vector<BatchRequest>& requests);

/// Sequences that a pool holds at once: whole numbers where all take the same.
double concurrency(const Parameters& p, const Pool& pool, const SequenceMeans& means);

}  // namespace hpclab::kvcache::policies
