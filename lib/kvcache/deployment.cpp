// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/deployment.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double large_gpu_bytes = 70 * gib;

// vLLM gives GPUs of 70 GiB and more, but not the A100, larger batches.
bool is_large(const GpuMemory& gpu) {
  return gpu.total_bytes >= large_gpu_bytes && gpu.name.find("a100") == std::string::npos;
}

void resolve_vllm(Deployment& d, const GpuMemory& gpu) {
  if (d.memory_fraction == 0) d.memory_fraction = d.version >= vllm_default_092 ? 0.92 : 0.90;
  if (d.block_tokens == 0) d.block_tokens = 16;
  if (d.max_batched_tokens == 0) {
    // V0 without chunked prefill profiled one prompt of the full length.
    d.max_batched_tokens = vllm_profiles_chunks(d) ? 512
                           : d.version < vllm_v1   ? std::max<std::int64_t>(2048, d.max_model_len)
                           : is_large(gpu)         ? 8192
                                                   : 2048;
  }
  if (d.max_sequences == 0) d.max_sequences = d.version >= vllm_v1 && is_large(gpu) ? 1024 : 256;
  d.max_sequences = std::min(d.max_sequences, d.max_batched_tokens);
  if (d.graph_max_batch < 0) {
    const std::int64_t sequences = d.version >= vllm_v1 ? 2 * d.max_sequences : d.max_sequences;
    d.graph_max_batch = std::min<std::int64_t>(512, sequences);
  }
}

// sglang/srt/server_args.py: a fraction by tensor parallelism.
double sglang_fraction(std::int64_t ranks) {
  return ranks >= 16 ? 0.79 : ranks >= 8 ? 0.81 : ranks >= 4 ? 0.85 : ranks >= 2 ? 0.87 : 0.88;
}

void resolve_sglang(Deployment& d) {
  if (d.memory_fraction == 0) d.memory_fraction = sglang_fraction(d.tensor_parallel);
  if (d.block_tokens == 0) d.block_tokens = 1;
  if (d.max_batched_tokens == 0) d.max_batched_tokens = 8192;
  if (d.max_sequences == 0) d.max_sequences = 256;
  if (d.graph_max_batch < 0) d.graph_max_batch = 160;
}

void resolve_tensorrt_llm(Deployment& d) {
  if (d.memory_fraction == 0) d.memory_fraction = 0.90;
  if (d.block_tokens == 0) d.block_tokens = d.version < EngineVersion{0, 17, 0} ? 64 : 32;
  if (d.max_batched_tokens == 0) d.max_batched_tokens = 8192;
  if (d.max_sequences == 0) d.max_sequences = 2048;
  if (d.graph_max_batch < 0) d.graph_max_batch = 0;
}

void resolve_llama_cpp(Deployment& d) {
  if (d.max_batched_tokens == 0) d.max_batched_tokens = 512;
  if (d.max_sequences == 0) d.max_sequences = 1;
  if (d.context == 0) d.context = d.max_model_len;
  if (d.context == 0) {
    throw CaseFailed("llama.cpp sizes its cache by context (n_ctx), and the model states none");
  }
  if (!d.key_format) d.key_format = ElementFormat::fp16;
  d.memory_fraction = 1;
  d.block_tokens = 1;
  d.graph_max_batch = 0;
}

}  // namespace

Deployment resolve(Deployment d, const ModelDescription& model, const GpuMemory& gpu) {
  if (d.max_model_len == 0) d.max_model_len = model.longest_context;
  if (d.max_model_len == 0 && d.engine != Engine::llama_cpp) {
    throw CaseFailed(fmt::format("{} states no longest context; give max_model_len", model.name));
  }
  switch (d.engine) {
    case Engine::vllm:
      resolve_vllm(d, gpu);
      break;
    case Engine::sglang:
      resolve_sglang(d);
      break;
    case Engine::tensorrt_llm:
      resolve_tensorrt_llm(d);
      break;
    case Engine::llama_cpp:
      resolve_llama_cpp(d);
      break;
  }
  if (!d.key_format) d.key_format = model.format;
  if (!d.value_format) d.value_format = d.key_format;
  const auto layers = static_cast<std::int64_t>(model.layers.size());
  if (d.pipeline_parallel > layers) {
    throw CaseFailed(fmt::format("pp = {} stages, but {} layers", d.pipeline_parallel, layers));
  }
  if (d.expert_parallel > 1) {
    const bool experts =
        std::any_of(model.layers.begin(), model.layers.end(),
                    [](const Layer& layer) { return layer.feed_forward.experts > 0; });
    if (!experts)
      throw CaseFailed(
          fmt::format("ep = {}, but {} has no experts", d.expert_parallel, model.name));
  }
  return d;
}

bool vllm_profiles_chunks(const Deployment& d) {
  return d.engine == Engine::vllm && d.version < vllm_v1 && d.max_model_len > 32768;
}

std::vector<std::int64_t> vllm_graph_sizes(std::int64_t largest, EngineVersion version) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size : {1, 2, 4}) {
    if (size <= largest) sizes.push_back(size);
  }
  const bool sparse = version >= vllm_sparse_graph_sizes;
  for (std::int64_t size = 8; size <= largest; size += sparse && size >= 256 ? 16 : 8) {
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::int64_t> stage_layers(std::int64_t layers, std::int64_t stages) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(stages), layers / stages);
  const std::int64_t rest = layers % stages;
  for (std::int64_t i = 2; i <= rest + 1; ++i) {
    ++counts[static_cast<std::size_t>(std::max<std::int64_t>(0, stages - i))];
  }
  return counts;
}

}  // namespace hpclab::kvcache
