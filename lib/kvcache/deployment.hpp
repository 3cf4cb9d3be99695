// hpclab: SPDX-License-Identifier: Apache-2.0
//
// How a model is served: engine, version, ranks and flags. Zero stands for "as the engine would";
// resolve() replaces it.
#pragma once

#include "kvcache/element_format.hpp"
#include "kvcache/engine.hpp"
#include "kvcache/model_description.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpclab::kvcache {

struct Deployment {
  Engine engine = Engine::vllm;
  EngineVersion version;
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t data_parallel = 1;
  std::int64_t expert_parallel = 1;           ///< ranks that whole experts are spread over; 1: off
  std::optional<ElementFormat> key_format;    ///< the model's own when not stated
  std::optional<ElementFormat> value_format;  ///< that of keys when not stated
  std::int64_t block_tokens = 0;
  /// gpu_memory_utilization, mem_fraction_static or free_gpu_memory_fraction.
  double memory_fraction = 0;
  std::int64_t max_model_len = 0;
  std::int64_t max_batched_tokens = 0;  ///< llama.cpp: n_ubatch
  std::int64_t max_sequences = 0;       ///< llama.cpp: sequences the context is for
  std::int64_t graph_max_batch = -1;    ///< largest batch captured as a graph; 0: none
  /// Bytes that the engine says it has for the cache (vLLM, SGLang), or free bytes after loading
  /// (TensorRT-LLM); 0: estimated.
  std::int64_t available_bytes = 0;
  std::int64_t context = 0;     ///< llama.cpp: n_ctx
  bool unified_cache = false;   ///< llama.cpp: all sequences share one stream of cells
  bool full_windows = false;    ///< windows are kept like full attention
  bool predict_tokens = false;  ///< the model's own multi-token predictor drafts
};

/// The GPU that one rank has to itself.
struct GpuMemory {
  std::string name;
  double total_bytes = 0;  ///< as the driver reports it
  double low_bytes = 0;    ///< what other drivers report
  double high_bytes = 0;
  std::int64_t multiprocessors = 0;
  bool fast_links = false;  ///< NVLink to its neighbours
  bool flashinfer = true;   ///< of a generation that FlashInfer's kernels are made for
};

/// All zeros replaced by the engine's defaults for this model and GPU (0 GPU bytes: unknown).
/// CaseFailed when flags contradict each other or the model.
Deployment resolve(Deployment deployment, const ModelDescription& model, const GpuMemory& gpu);

/// V0 turned chunked prefill on for contexts beyond 32,768 tokens: its profiling run then had one
/// chunk of 512 tokens, none of which was sampled.
bool vllm_profiles_chunks(const Deployment& deployment);

/// Batch sizes that vLLM captures as graphs, up to `largest`.
std::vector<std::int64_t> vllm_graph_sizes(std::int64_t largest, EngineVersion version);

/// Layers of each pipeline stage, as vLLM divides them: the rest goes to the stages before the
/// last one, from the back.
std::vector<std::int64_t> stage_layers(std::int64_t layers, std::int64_t stages);

}  // namespace hpclab::kvcache
