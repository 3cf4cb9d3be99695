// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Memory beside weights and cache: activations at the peak of the profiling run, libraries,
// captured graphs, the driver's context. Shapes follow from the model and the flags; a few
// constants are fitted.
#pragma once

#include "kvcache/deployment.hpp"
#include "kvcache/estimate.hpp"
#include "kvcache/model_description.hpp"
#include "kvcache/overhead_constants.hpp"

#include <cstdint>

namespace hpclab::kvcache {

/// Computes the overheads of one rank of vLLM with resolved flags.
class Overhead {
 public:
  /// The arguments must outlive this.
  Overhead(const ModelDescription& model, const Deployment& deployment, const GpuMemory& gpu,
           const OverheadConstants& constants = {});

  /// Largest bytes of activations while a batch of max_batched_tokens tokens runs and
  /// max_sequences of them are sampled: the larger of the two, because the layers' buffers are free
  /// again when sampling starts.
  Estimate activation_peak() const;
  double layer_bytes() const { return layer_bytes(deployment_.max_batched_tokens); }
  double sampling_bytes() const;
  /// The unit of sampling_bytes(): fp32 logits of all sequences.
  double logit_bytes() const;
  double hidden_bytes() const;
  bool samples_by_sorting() const;
  bool samples_by_flashinfer() const;

  /// Bytes that libraries take outside the framework's allocator: modules of kernels, workspaces,
  /// communicators.
  Estimate libraries() const;

  /// Captured graphs: nodes of every layer of every graph, and the buffers of the largest.
  Estimate graphs() const;
  double graph_layers() const;
  double graph_buffer_bytes() const { return layer_bytes(deployment_.graph_max_batch); }
  /// Whether captured graphs lessen the cache, as an estimate of their own: from vLLM 0.20.
  bool graphs_in_budget() const;

  /// All of it that lessens the cache.
  double in_budget() const;

 private:
  double layer_bytes(std::int64_t tokens) const;
  double elements_of_token(const Layer& layer) const;

  const ModelDescription& model_;
  const Deployment& deployment_;
  const GpuMemory& gpu_;
  OverheadConstants constants_;
};

/// The driver's context and what is in use before the engine starts.
Estimate context_memory();

}  // namespace hpclab::kvcache
