// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From a model, a GPU and flags to the cache: where every byte of the GPU goes, and the pool that
// the engine makes of what is left.
#pragma once

#include "kvcache/cache_specification.hpp"
#include "kvcache/deployment.hpp"
#include "kvcache/estimate.hpp"
#include "kvcache/pool.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// One line of the account.
struct AccountItem {
  std::string name;
  Estimate bytes;
  bool in_budget = true;  ///< part of what the memory fraction covers
};

struct Sizing {
  Deployment deployment;  ///< resolved
  std::vector<AccountItem> account;
  Estimate available;  ///< bytes for the cache on the scarcest rank
  PoolSize pool;
  PoolSize pool_low;  ///< with the low end of `available`
  PoolSize pool_high;
  double weight_bytes = 0;  ///< of the fullest rank, with tables and derived projections
};

/// Formats and ranks of a resolved deployment, as its caches are laid out.
CacheOptions cache_options(const Deployment& deployment);

/// The account and the pool. `draft` is a model that drafts tokens, or null. CaseFailed: ranks that
/// do not divide the model; weights beyond the GPU (by how much, and the smallest tp that fits); a
/// max_model_len that cannot be served (and the longest that can).
Sizing size_deployment(const ModelDescription& model, const ModelDescription* draft,
                       const GpuMemory& gpu, const Deployment& deployment);

/// The same without the refusals: a pool of nothing where nothing fits.
Sizing size_unchecked(const ModelDescription& model, const ModelDescription* draft,
                      const GpuMemory& gpu, const Deployment& deployment);

/// A flag, and what changing it alone does to the number of tokens.
struct FlagGain {
  std::string flag;  ///< as the engine spells it, with its new value
  std::int64_t tokens = 0;
  std::int64_t gain = 0;
  std::string price;  ///< what is given up
};
/// Changes of one flag that gain tokens, the largest gain first.
std::vector<FlagGain> flag_gains(const ModelDescription& model, const ModelDescription* draft,
                                 const GpuMemory& gpu, const Sizing& sizing);

}  // namespace hpclab::kvcache
