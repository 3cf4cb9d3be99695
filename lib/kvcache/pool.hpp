// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The pool that an engine makes of the memory left for the cache: blocks, tokens, and how many
// requests of which length it serves. One module an engine makes it; all return this.
#pragma once

#include "kvcache/cache_specification.hpp"
#include "kvcache/deployment.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// One part of a pool: a group of layers, a kind of cells, the states.
struct PoolPart {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t padding_layers = 0;
  std::int64_t block_tokens = 0;
  std::int64_t tokens = 0;             ///< slots; 0 where the part counts sequences
  std::int64_t blocks_of_request = 0;  ///< at the longest request asked for
  double bytes = 0;
};

struct PoolSize {
  std::int64_t bytes_per_token = 0;  ///< on one rank, of one more token of a long request
  std::int64_t blocks = 0;
  std::int64_t block_tokens = 0;
  std::int64_t tokens = 0;           ///< as the engine's log counts them
  double kv_bytes = 0;               ///< that the pool takes on one rank
  double unused_bytes = 0;           ///< left over by rounding to whole blocks
  double padding_bytes = 0;          ///< of kv_bytes: taken by padding layers and padded pages
  double concurrency = 0;            ///< requests of max_model_len at once
  std::int64_t longest_request = 0;  ///< tokens of the longest request that can be served
  std::vector<PoolPart> parts;
  std::vector<std::string> notes;
};

/// Layers of one pipeline stage on one rank.
struct Stage {
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
  double available_bytes = 0;
};

/// vLLM V1: layers in groups of equal size over one pool of blocks; the scarcest stage decides.
/// CaseFailed when page sizes cannot be made equal, which vLLM refuses as well.
PoolSize vllm_pool(const CacheSpecification& cache, const Deployment& deployment,
                   const std::vector<Stage>& stages);

/// SGLang: token slots; windows get a share of the slots, recurrent states a pool of their own.
PoolSize sglang_pool(const CacheSpecification& cache, const Deployment& deployment,
                     double available_bytes);

/// TensorRT-LLM: a fraction of the memory that is free after loading, in whole blocks.
PoolSize tensorrt_llm_pool(const CacheSpecification& cache, const Deployment& deployment,
                           double free_bytes);

/// llama.cpp: cells for the context that was asked for, whatever the memory.
PoolSize llama_cpp_pool(const CacheSpecification& cache, const Deployment& deployment);

}  // namespace hpclab::kvcache
