// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache decode`.
#pragma once

#include "core/parameter.hpp"
#include "kvcache/decode/attention_shape.hpp"
#include "kvcache/decode/paged_cache.hpp"
#include "kvcache/decode/schedule.hpp"
#include "machine/topology.hpp"

#include <cstdint>
#include <string>

namespace hpclab::kvcache::decode {

enum class AttentionKind { grouped, latent };
enum class Products { pairs, single };

struct Parameters {
  AttentionKind attention = AttentionKind::grouped;
  std::int64_t query_heads = 32;
  std::int64_t kv_heads = 8;
  std::int64_t head_dim = 128;
  std::int64_t latent_rank = 512;
  std::int64_t rope_dim = 64;
  CacheFormat kv_dtype = CacheFormat::bf16;
  std::int64_t batch = 32;
  std::int64_t context = 4096;
  Lengths lengths = Lengths::uniform;
  std::int64_t block = 16;
  Placement placement = Placement::shuffled;
  Partition partition = Partition::even;
  std::string isa = "widest";
  Products products = Products::pairs;
  std::int64_t threads = 0;  ///< 0: every core that the process may use
};

const ParameterTable<Parameters>& parameter_table();

/// CaseFailed when query heads are no multiple of key-value heads, or a format does not fit the
/// rows.
AttentionShape attention_shape(const Parameters& p);

/// Whether the case multiplies pairs of bf16: asked for, in that format, and there.
bool uses_pairs(const Parameters& p);

/// This machine's topology, looked up once.
const machine::Topology& host_topology();

}  // namespace hpclab::kvcache::decode
