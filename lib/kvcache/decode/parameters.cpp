// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/parameters.hpp"

#include "core/error.hpp"
#include "kvcache/decode/execution.hpp"
#include "machine/cpu_features.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::decode {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add_choice(
      &P::attention, "attention",
      {{"grouped", AttentionKind::grouped}, {"latent", AttentionKind::latent}},
      "keys and values by head (MHA, GQA, MQA), or one latent row for all heads (MLA)");
  table.add(&P::query_heads, "query_heads", "heads of the query").between(1, 1024);
  table.add(&P::kv_heads, "kv_heads", "heads of keys and values; a divisor of query_heads")
      .between(1, 1024)
      .when("attention", {"grouped"});
  table.add(&P::head_dim, "head_dim", "elements of a key and of a value of one head")
      .between(16, 1024)
      .in_steps_of(16)
      .when("attention", {"grouped"});
  table.add(&P::latent_rank, "latent_rank", "elements of a latent row that serve as value too")
      .between(16, 4096)
      .in_steps_of(16)
      .when("attention", {"latent"});
  table.add(&P::rope_dim, "rope_dim", "rotated elements behind them, of keys alone")
      .between(0, 1024)
      .in_steps_of(16)
      .when("attention", {"latent"});
  table.add_choice(&P::kv_dtype, "kv_dtype",
                   {{"fp32", CacheFormat::fp32},
                    {"fp16", CacheFormat::fp16},
                    {"bf16", CacheFormat::bf16},
                    {"q8_0", CacheFormat::q8_0}},
                   "format of keys and values");
  table.add(&P::batch, "batch", "sequences, each with one query position").between(1, 1 << 16);
  table.add(&P::context, "context", "tokens of a sequence in the cache, on average")
      .in_unit("tokens")
      .between(1, 1 << 24);
  table.add_choice(
      &P::lengths, "lengths",
      {{"uniform", Lengths::uniform}, {"ragged", Lengths::ragged}, {"skewed", Lengths::skewed}},
      "lengths of the sequences: equal; random up to twice the mean; one with half of "
      "all tokens");
  table.add(&P::block, "block", "tokens of a block of the cache")
      .in_unit("tokens")
      .between(16, 1 << 16)
      .in_steps_of(16);
  table.add_choice(&P::placement, "placement",
                   {{"shuffled", Placement::shuffled}, {"ordered", Placement::ordered}},
                   "blocks of a sequence lie anywhere in the pool, or one behind the other");
  table.add_choice(
      &P::partition, "partition", {{"even", Partition::even}, {"sequence", Partition::sequence}},
      "equal numbers of tokens for each thread, cutting sequences where shares end, or "
      "whole sequences");
  table.add(&P::isa, "isa", "instruction set of the kernel")
      .one_of({"widest", "scalar", "avx2", "avx512"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value == "widest" ? Json(machine::widest_instruction_set()) : value;
      });
  table
      .add_choice(&P::products, "products",
                  {{"pairs", Products::pairs}, {"single", Products::single}},
                  "arithmetic of bf16: dot products of pairs where the processor has them "
                  "(AVX512-BF16; weights are rounded to bf16), or fp32 throughout")
      .when("kv_dtype", {"bf16"})
      .on({Backend::cpu});
  table
      .add(&P::threads, "threads",
           "threads, one a core; 0 means every core that the process may use")
      .between(0, 4096)
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value != 0 ? value : Json(host_topology().cores);
      });
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

AttentionShape attention_shape(const Parameters& p) {
  AttentionShape shape;
  shape.format = p.kv_dtype;
  shape.query_heads = static_cast<int>(p.query_heads);
  shape.page_tokens = static_cast<int>(p.block);
  if (p.attention == AttentionKind::latent) {
    shape.latent = true;
    shape.kv_heads = 1;
    shape.key_dim = static_cast<int>(p.latent_rank + p.rope_dim);
    shape.value_dim = static_cast<int>(p.latent_rank);
    if (p.kv_dtype == CacheFormat::q8_0) {
      throw CaseFailed(
          "latent rows in q8_0 have no kernel: values would share scales with keys; "
          "valid: fp32, fp16, bf16");
    }
    return shape;
  }
  if (p.query_heads % p.kv_heads != 0) {
    throw CaseFailed(
        fmt::format("query_heads = {} is no multiple of kv_heads = {}", p.query_heads, p.kv_heads));
  }
  shape.kv_heads = static_cast<int>(p.kv_heads);
  shape.key_dim = shape.value_dim = static_cast<int>(p.head_dim);
  if (p.kv_dtype == CacheFormat::q8_0 && p.head_dim % scale_elements != 0) {
    throw CaseFailed(
        fmt::format("head_dim = {} in q8_0: {} elements share a scale; valid: multiples of {}",
                    p.head_dim, scale_elements, scale_elements));
  }
  return shape;
}

bool uses_pairs(const Parameters& p) {
  return p.kv_dtype == CacheFormat::bf16 && p.products == Products::pairs && p.isa == "avx512" &&
         has_pair_products();
}

const machine::Topology& host_topology() {
  static const machine::Topology topology = machine::discover_topology();
  return topology;
}

}  // namespace hpclab::kvcache::decode
