// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters that describe a deployment, as the lab's studies spell them: the model, the GPU, the
// engine and its flags. A study's own parameter struct derives from this one.
#pragma once

#include "core/parameter.hpp"
#include "kvcache/deployment.hpp"
#include "kvcache/model_description.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::kvcache {

struct DeploymentParameters {
  std::filesystem::path model = "llama-3.1-8b";
  std::filesystem::path weights;
  std::filesystem::path gpu;
  Engine engine = Engine::vllm;
  std::string engine_version;  ///< empty: the newest whose rules are known
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t ep = 1;
  std::filesystem::path draft_model;
  bool predict_tokens = false;
  std::string kv_dtype = "auto";
  std::string v_dtype = "same";
  std::int64_t block = 0;
  double gpu_memory_utilization = 0;
  std::int64_t max_model_len = 0;
  std::int64_t max_num_batched_tokens = 0;
  std::int64_t max_num_seqs = 0;
  std::int64_t cudagraph_max_batch = -1;
  std::int64_t available_bytes = 0;
  std::int64_t context = 0;
  bool kv_unified = false;
  bool swa_full = false;
};

/// Declares `model` and `gpu` (a name or a file, resolved to the file) for another study's table.
ParameterSpec& declare_model(ParameterSpec& spec);
ParameterSpec& declare_gpu(ParameterSpec& spec);

/// Adds all of them to a study's table.
template <class P>
void add_deployment_parameters(ParameterTable<P>& table);

Deployment deployment_of(const DeploymentParameters& p);
/// The description of `model`, with the bytes of `weights` where given.
ModelDescription model_of(const DeploymentParameters& p);
/// The GPU's memory; zeros without a GPU.
GpuMemory gpu_of(const DeploymentParameters& p);

namespace detail {
ParameterSpec& formats(ParameterSpec& spec, const char* fallback);
}

template <class P>
void add_deployment_parameters(ParameterTable<P>& table) {
  using D = DeploymentParameters;
  const std::vector<std::string> serving{"vllm", "sglang", "tensorrt-llm"};
  const std::vector<std::string> vllm{"vllm"};
  declare_model(table.add(static_cast<std::filesystem::path P::*>(&D::model), "model",
                          "a name of configs/models, a config.json or its folder, a GGUF file, or "
                          "a folder of models (a case each)"));
  table.add(static_cast<std::filesystem::path P::*>(&D::weights), "weights",
            "safetensors index or header, or GGUF file, that states the bytes of all weights");
  declare_gpu(table.add(static_cast<std::filesystem::path P::*>(&D::gpu), "gpu",
                        "machine profile of one GPU, by name or file"));
  table.add_choice(static_cast<Engine P::*>(&D::engine), "engine", engine_names(),
                   "serving engine whose rules apply");
  table.add(static_cast<std::string P::*>(&D::engine_version), "engine_version",
            "version, e.g. 0.19.0 or b6123; empty: the newest whose rules are known");
  table
      .add(static_cast<std::int64_t P::*>(&D::tp), "tp",
           "ranks of tensor parallelism; key and value heads are copied beyond their number")
      .between(1, 1024)
      .when("engine", serving);
  table
      .add(static_cast<std::int64_t P::*>(&D::pp), "pp",
           "stages of pipeline parallelism; the scarcest one decides")
      .between(1, 256)
      .when("engine", vllm);
  table
      .add(static_cast<std::int64_t P::*>(&D::dp), "dp",
           "replicas of attention; experts are split over all of them")
      .between(1, 4096)
      .when("engine", vllm);
  table
      .add(static_cast<std::int64_t P::*>(&D::ep), "ep",
           "ranks that whole experts are spread over; 1: experts are split by width")
      .between(1, 4096)
      .when("engine", serving);
  declare_model(table.add(static_cast<std::filesystem::path P::*>(&D::draft_model), "draft_model",
                          "model that drafts tokens: its weights and its cache count too"));
  table.add(static_cast<bool P::*>(&D::predict_tokens), "predict_tokens",
            "the model's own multi-token predictor drafts");
  detail::formats(table.add(static_cast<std::string P::*>(&D::kv_dtype), "kv_dtype",
                            "format of keys and values; auto: the model's own (llama.cpp: fp16)"),
                  "auto");
  detail::formats(table.add(static_cast<std::string P::*>(&D::v_dtype), "v_dtype",
                            "format of values where it differs (llama.cpp)"),
                  "same");
  table
      .add(static_cast<std::int64_t P::*>(&D::block), "block",
           "tokens of a block; 0: the engine's default")
      .in_unit("tokens")
      .between(0, 1 << 20)
      .when("engine", serving);
  table
      .add(static_cast<double P::*>(&D::gpu_memory_utilization), "gpu_memory_utilization",
           "gpu_memory_utilization, mem_fraction_static or free_gpu_memory_fraction; 0: the "
           "engine's default")
      .between(0, 1)
      .when("engine", serving);
  table
      .add(static_cast<std::int64_t P::*>(&D::max_model_len), "max_model_len",
           "longest request; 0: the model's longest context")
      .in_unit("tokens")
      .between(0, 1e9)
      .when("engine", serving);
  table
      .add(static_cast<std::int64_t P::*>(&D::max_num_batched_tokens), "max_num_batched_tokens",
           "tokens of one step (llama.cpp: n_ubatch); 0: the engine's default")
      .in_unit("tokens")
      .between(0, 1e8);
  table
      .add(static_cast<std::int64_t P::*>(&D::max_num_seqs), "max_num_seqs",
           "requests of one step (llama.cpp: sequences that share the context); 0: the engine's "
           "default")
      .between(0, 1e6);
  table
      .add(static_cast<std::int64_t P::*>(&D::cudagraph_max_batch), "cudagraph_max_batch",
           "largest batch captured as a graph; 0: none (eager), -1: the engine's default")
      .between(-1, 65536)
      .when("engine", vllm);
  table
      .add(static_cast<std::int64_t P::*>(&D::available_bytes), "available_bytes",
           "bytes that a log states for the cache (TensorRT-LLM: free after loading): skips the "
           "estimate of everything else")
      .in_unit("bytes")
      .between(0, 1e15)
      .when("engine", serving);
  table
      .add(static_cast<std::int64_t P::*>(&D::context), "context",
           "n_ctx: cells for all sequences together; 0: the model's longest context")
      .in_unit("tokens")
      .between(0, 1e9)
      .when("engine", {"llama.cpp"});
  table
      .add(static_cast<bool P::*>(&D::kv_unified), "kv_unified",
           "all sequences share one stream of cells")
      .when("engine", {"llama.cpp"});
  table.add(static_cast<bool P::*>(&D::swa_full), "swa_full",
            "windowed layers keep everything (llama.cpp --swa-full, vLLM without its hybrid "
            "manager)");
}

}  // namespace hpclab::kvcache
