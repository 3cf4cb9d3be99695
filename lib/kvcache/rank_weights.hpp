// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What a rank loads: weights, tables of rotations, projections that an engine derives from others.
#pragma once

#include "kvcache/deployment.hpp"
#include "kvcache/estimate.hpp"
#include "kvcache/model_description.hpp"
#include "kvcache/weight_inventory.hpp"

#include <cstdint>

namespace hpclab::kvcache {

/// How an engine's ranks divide weights.
WeightRanks weight_ranks(const Deployment& deployment);

/// Bytes of the whole checkpoint as the configuration implies them.
double computed_weight_bytes(const ModelDescription& model);

struct StageRange {
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  bool first = true;  ///< holds the embedding
  bool last = true;   ///< holds the head
};

struct RankWeights {
  Estimate weights;
  double rotation_bytes = 0;  ///< cosines and sines of all positions
  double derived_bytes = 0;   ///< latent attention: projections kept a second time, absorbed
  double total() const { return weights.value + rotation_bytes + derived_bytes; }
};

/// The first rank of a pipeline stage. Exact when an index or header states the bytes of the whole
/// checkpoint and one rank holds it; computed from the configuration otherwise. CaseFailed when the
/// architecture's weights are not known and no file states them.
RankWeights rank_weights(const ModelDescription& model, const Deployment& deployment,
                         const StageRange& stage);

/// Weights of the model's own multi-token predictor on one rank.
double predictor_weight_bytes(const ModelDescription& model, const Deployment& deployment);

}  // namespace hpclab::kvcache
