// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Serving engines and their versions, as far as rules of memory depend on them.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::kvcache {

enum class Engine { vllm, sglang, tensorrt_llm, llama_cpp };

const char* name_of(Engine engine);
const std::vector<std::pair<std::string, Engine>>& engine_names();

/// Numbered as the engine numbers releases; llama.cpp's builds (b6123) are the major number.
struct EngineVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;

  auto operator<=>(const EngineVersion&) const = default;
  std::string text() const;
};

/// "0.19.0", "v0.21", "0.10.2.dev3+gabc", "b6123". UsageError beginning with `where` for anything
/// else.
EngineVersion parse_engine_version(std::string_view text, const std::string& where);

/// The newest version whose rules and logs were looked at; newer ones are taken to be like it.
EngineVersion newest_known(Engine engine);

// What changed in vLLM, by version.
/// The CUDA-graph estimate is taken out of the budget. The log says "default since v0.21.0", but
/// 0.20.0 already does so without being told to.
inline constexpr EngineVersion vllm_counts_graphs{0, 20, 0};
/// The default of gpu_memory_utilization is 0.92, before that 0.90.
inline constexpr EngineVersion vllm_default_092{0, 21, 0};
/// The log's token count is concurrency x max_model_len, before that blocks / groups x block.
inline constexpr EngineVersion vllm_tokens_by_concurrency{0, 21, 0};
/// Memory that was in use before the engine started is outside the budget.
inline constexpr EngineVersion vllm_snapshots_memory{0, 9, 2};
/// Top-k and top-p by a Triton kernel, before that by sorting all logits.
inline constexpr EngineVersion vllm_triton_sampler{0, 16, 0};
/// Top-k and top-p by FlashInfer where the GPU supports it.
inline constexpr EngineVersion vllm_flashinfer_sampler{0, 21, 0};
/// Decoding is captured as whole graphs beside the piecewise ones.
inline constexpr EngineVersion vllm_full_graphs{0, 11, 0};
/// Graph sizes beyond 256 are 16 apart, before that 8.
inline constexpr EngineVersion vllm_sparse_graph_sizes{0, 11, 1};
/// The engine that V1 replaced.
inline constexpr EngineVersion vllm_v1{0, 8, 0};

}  // namespace hpclab::kvcache
