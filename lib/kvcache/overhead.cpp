// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/overhead.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::kvcache {
namespace {

// All that is no longer free counts, not only what grew outside the framework's allocator.
constexpr EngineVersion counts_consumed{0, 25, 0};
// A few graphs are captured within the profiling run to estimate all of them; what that leaves
// behind counts as memory outside the framework's allocator.
constexpr EngineVersion captures_while_profiling{0, 17, 0};
// Graphs before this one took about twice as much.
constexpr EngineVersion leaner_graphs{0, 12, 0};
// What was in use before the engine started counted, but for these versions of V0.
constexpr EngineVersion v0_counts_growth{0, 6, 5};

double divided(std::int64_t value, std::int64_t ranks) {
  return static_cast<double>(value) / static_cast<double>(ranks);
}

bool counts_context(EngineVersion version) {
  return version < v0_counts_growth || (version >= vllm_v1 && version < vllm_snapshots_memory);
}

}  // namespace

Overhead::Overhead(const ModelDescription& model, const Deployment& deployment,
                   const GpuMemory& gpu, const OverheadConstants& constants)
    : model_(model), deployment_(deployment), gpu_(gpu), constants_(constants) {}

// Elements of the widest buffers that live at once for one token of a layer.
double Overhead::elements_of_token(const Layer& layer) const {
  const std::int64_t tp = deployment_.tensor_parallel;
  const Attention& a = layer.attention;
  // Queries, keys, values and the result.
  double widest = divided(a.query_heads * (a.key_dim + a.value_dim) * (a.output_gate ? 2 : 1) +
                              2 * a.kv_heads * a.key_dim,
                          tp);
  const LatentAttention& l = layer.latent;
  if (layer.mixer == Mixer::latent_attention) {
    // Prompts are computed with keys and values of all heads.
    widest = divided(l.query_heads * (2 * (l.nope_dim + l.rope_dim) + 2 * l.value_dim), tp) +
             static_cast<double>(l.latent_rank + l.rope_dim + l.query_rank);
  }
  const Recurrence& r = layer.recurrence;
  if (layer.mixer == Mixer::recurrent_state) {
    const bool delta_rule = r.kind == "gated-delta-net" || r.kind == "kimi-delta";
    widest = delta_rule ? constants_.delta_rule_elements * divided(r.convolution_channels(), tp)
                        : divided(3 * r.convolution_channels() + 2 * r.heads * r.value_dim, tp);
  }
  const FeedForward& f = layer.feed_forward;
  if (f.intermediate > 0) {
    widest = std::max(widest, divided((f.gated ? 3 : 2) * f.intermediate, tp));
  }
  if (f.experts > 0) {
    // Each token goes through its experts side by side: gate and up or the result in one buffer,
    // the activation in another.
    const std::int64_t split = deployment_.expert_parallel > 1 ? 1 : tp;
    const double up = divided((f.gated ? 2 : 1) * f.expert_intermediate, split);
    widest = std::max(widest, static_cast<double>(f.experts_per_token) *
                                  (std::max(up, static_cast<double>(model_.hidden)) +
                                   divided(f.expert_intermediate, split)));
  }
  return widest;
}

double Overhead::layer_bytes(std::int64_t tokens) const {
  double widest = 0;
  for (const Layer& layer : model_.layers) widest = std::max(widest, elements_of_token(layer));
  // Beside them a layer's input, its residual and its result.
  return static_cast<double>(tokens) * (widest + static_cast<double>(3 * model_.hidden)) * 2;
}

double Overhead::logit_bytes() const {
  return static_cast<double>(std::min(deployment_.max_sequences, deployment_.max_batched_tokens)) *
         static_cast<double>(model_.vocabulary) * 4;
}

double Overhead::hidden_bytes() const {
  return static_cast<double>(deployment_.max_batched_tokens * model_.hidden) * 2;
}

bool Overhead::samples_by_sorting() const {
  return deployment_.version < vllm_triton_sampler;
}

bool Overhead::samples_by_flashinfer() const {
  return deployment_.version >= vllm_flashinfer_sampler && gpu_.flashinfer;
}

double Overhead::sampling_bytes() const {
  if (vllm_profiles_chunks(deployment_)) return 0;
  if (samples_by_sorting()) return constants_.sampling_by_sorting * logit_bytes() + hidden_bytes();
  if (samples_by_flashinfer()) {
    return constants_.sampling_by_flashinfer * logit_bytes() + hidden_bytes();
  }
  // The kernel has one row of the vocabulary for each multiprocessor.
  return constants_.sampling_by_pivot * logit_bytes() + hidden_bytes() +
         static_cast<double>(gpu_.multiprocessors * model_.vocabulary) * 4;
}

Estimate Overhead::activation_peak() const {
  return Estimate::between(std::max(layer_bytes(), sampling_bytes()), 0.85, 1.3, "estimate");
}

Estimate Overhead::libraries() const {
  const bool consumed = deployment_.version >= counts_consumed;
  const std::int64_t ranks = deployment_.tensor_parallel * deployment_.data_parallel;
  const bool rehearsed = deployment_.version >= captures_while_profiling;
  double bytes = consumed    ? constants_.library_alone_consumed
                 : rehearsed ? constants_.library_alone_rehearsed
                             : constants_.library_alone;
  if (ranks > 1 && gpu_.fast_links) {
    bytes = constants_.library_nvlink_pair +
            constants_.library_nvlink_doubling * (std::log2(static_cast<double>(ranks)) - 1);
  } else if (ranks > 1) {
    bytes = consumed ? constants_.library_pcie_consumed : constants_.library_pcie;
  }
  if (counts_context(deployment_.version)) bytes += driver_context;
  return Estimate::between(bytes, 0.4, ranks > 1 ? 1.5 : 2.5, "estimate");
}

double Overhead::graph_layers() const {
  const auto sizes = vllm_graph_sizes(deployment_.graph_max_batch, deployment_.version);
  auto graphs = static_cast<std::int64_t>(sizes.size());
  if (deployment_.version >= vllm_full_graphs) {
    graphs += std::count_if(sizes.begin(), sizes.end(),
                            [&](std::int64_t size) { return size <= deployment_.max_sequences; });
  }
  return static_cast<double>(graphs) *
         divided(static_cast<std::int64_t>(model_.layers.size()), deployment_.pipeline_parallel);
}

Estimate Overhead::graphs() const {
  if (deployment_.graph_max_batch == 0) return Estimate::exact(0, "no graphs");
  const double per_layer = deployment_.version < leaner_graphs
                               ? constants_.graph_layer_bytes_before_012
                               : constants_.graph_layer_bytes;
  return Estimate::between(graph_layers() * per_layer + graph_buffer_bytes(), 0.5, 1.6, "estimate");
}

bool Overhead::graphs_in_budget() const {
  return deployment_.version >= vllm_counts_graphs;
}

double Overhead::in_budget() const {
  return activation_peak().value + libraries().value + (graphs_in_budget() ? graphs().value : 0);
}

Estimate context_memory() {
  return Estimate::between(driver_context, 0.5, 2, "estimate");
}

}  // namespace hpclab::kvcache
