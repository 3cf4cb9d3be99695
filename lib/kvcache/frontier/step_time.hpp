// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a step of decoding costs on one rank by bytes and flops.
//
// Each weight matrix takes max(bytes / bandwidth, 2 x tokens x elements / peak); of E experts that
// n tokens choose k of, E (1 - (1 - k/E)^n) different ones are read. Attention of a layer takes
// max(bytes of the cache / bandwidth, flops / peak). Two exchanges between the ranks follow in each
// layer, and every kernel costs its start. Nothing overlaps but arithmetic and memory of one
// matrix. Prompts of the other requests are computed between the steps of one: at steady state each
// request waits for all others' prompts once while it generates its tokens.
#pragma once

#include "kvcache/cache_specification.hpp"
#include "kvcache/deployment.hpp"
#include "kvcache/frontier/parameters.hpp"
#include "kvcache/weight_inventory.hpp"
#include "machine/profile.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache::frontier {

/// Rates of one GPU, as its profile states them.
struct GpuRates {
  double bytes_per_s = 0;
  double low_bytes_per_s = 0;  ///< 95 % range; of a theoretical one at least 80 %
  double high_bytes_per_s = 0;
  double flops16_per_s = 0;     ///< of products of 16-bit numbers
  double flops8_per_s = 0;      ///< of fp8; that of 16-bit numbers where the GPU has no fp8
  double link_bytes_per_s = 0;  ///< each way; 0: not stated
  double kernel_s = 0;          ///< of one kernel of a graph; 0: not stated
  std::vector<std::string> notes;
};
/// CaseFailed naming what the profile lacks.
GpuRates gpu_rates(const machine::MachineProfile& profile);

/// Seconds of one step by what takes them.
struct StepTime {
  double weights_memory_s = 0;   ///< matrices that wait for their weights
  double weights_compute_s = 0;  ///< matrices that wait for arithmetic
  double attention_s = 0;
  double exchange_s = 0;
  double launch_s = 0;
  double prompts_s = 0;     ///< of other requests, between two steps
  double weight_bytes = 0;  ///< read in the step
  double cache_bytes = 0;
  double flops = 0;
  double total_s() const {
    return weights_memory_s + weights_compute_s + attention_s + exchange_s + launch_s + prompts_s;
  }
};

/// Requests at once, what each has in the cache, and what each generates (0: decoding alone).
struct Load {
  double batch = 1;
  double context = 1;
  double output = 0;
};

class StepModel {
 public:
  /// `deployment` is resolved. CaseFailed when ranks do not divide the model, or its weights are
  /// not known.
  StepModel(const ModelDescription& model, const Deployment& deployment, const GpuRates& rates,
            const Parameters& p);

  StepTime step(const Load& load) const;
  /// Seconds to compute a prompt of so many tokens, alone.
  double prompt_s(double tokens) const;
  /// Requests at which all matrices together take as long for arithmetic as for their weights.
  double ridge_batch() const;
  /// What a request keeps on its rank.
  const CacheSpecification& cache() const { return cache_; }

 private:
  struct Matrix {
    double bytes = 0;     ///< on the rank
    double elements = 0;  ///< on the rank
    double chosen = 1;    ///< share of it that one token uses
    double flops_per_s = 0;
    bool expert = false;
  };
  struct CachedLayer {
    double window = 0;  ///< tokens; 0: all
    double picked = 0;  ///< tokens that an indexer picks; 0: all
    double token_bytes = 0;
    double indexer_bytes = 0;
    double state_bytes = 0;
    double token_flops = 0;  ///< of one query and one cached token
  };

  double read_share(const Matrix& matrix, double tokens) const;
  /// Adds all matrices for `tokens` of this replica and `all_tokens` of all.
  void add_matrices(StepTime& time, double tokens, double all_tokens) const;
  double exchange_s(double tokens) const;

  GpuRates rates_;
  CacheSpecification cache_;
  std::vector<Matrix> matrices_;
  std::vector<CachedLayer> layers_;
  double layer_count_ = 0;
  double hidden_bytes_ = 0;
  double ranks_ = 1;
  double replicas_ = 1;
  double collective_s_ = 0;
  double launch_s_ = 0;
};

}  // namespace hpclab::kvcache::frontier
