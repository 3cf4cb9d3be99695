// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/prefix/parameters.hpp"

namespace hpclab::kvcache::prefix {
namespace {

constexpr double most_blocks = 1 << 30;

void add_cache_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  const std::vector<Method> replayed{Method::simulate};
  table
      .add_choice(&P::semantics, "semantics",
                  {{"recorded", Semantics::recorded},
                   {"block-hash", Semantics::block_hash},
                   {"radix", Semantics::radix}},
                  "what counts as cached: every block of the trace, also a partly filled last one; "
                  "full blocks only with the last token recomputed (vLLM); or a radix tree that "
                  "splits at any token (SGLang)")
      .affects(replayed);
  table
      .add(&P::block, "block",
           "tokens of a block: a multiple of the trace's; 0: the trace's own (token ids: 16)")
      .in_unit("tokens")
      .between(0, 1 << 20)
      .affects(replayed);
  table
      .add_choice(
          &P::policy, "policy",
          {{"lru", Policy::lru},
           {"lfu", Policy::lfu},
           {"fifo", Policy::fifo},
           {"ttl", Policy::ttl},
           {"opt", Policy::opt}},
          "what goes first: least recently used, least frequently used, first in, untouched "
          "for ttl_s (and least recently used), or the block whose next use is farthest")
      .affects(replayed);
  table.add(&P::ttl_s, "ttl_s", "a block is forgotten when it was not touched for so long")
      .in_unit("s")
      .between(0, 1e9)
      .affects(replayed)
      .when("policy", {"ttl"});
  table
      .add(
          &P::capacity_blocks, "capacity_blocks",
          "blocks that the cache holds (with tiers: the GPU); 0: no limit, and the curve shows the "
          "smaller ones")
      .between(0, most_blocks)
      .affects(replayed);
  table
      .add(&P::knee_gain_ratio, "knee_gain_ratio",
           "the knee is where ten times the capacity gains no more than this of block hit ratio")
      .between(0.0001, 1)
      .affects(replayed);
  table
      .add(&P::track_blocks, "track_blocks",
           "blocks that are remembered at most, which bounds memory (about 40 bytes each); larger "
           "capacities are then unknown")
      .between(1024, most_blocks)
      .affects(replayed);
}

void add_tier_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  const std::vector<Method> replayed{Method::simulate};
  table
      .add_choice(&P::tiers, "tiers", {{"one", Tiers::one}, {"offload", Tiers::offload}},
                  "one cache, or what it evicts moves on to CPU memory and from there to SSD")
      .affects(replayed)
      .as_inferred();
  table.add(&P::cpu_blocks, "cpu_blocks", "blocks that CPU memory holds beside those of the GPU")
      .between(0, most_blocks)
      .affects(replayed)
      .when("tiers", {"offload"});
  table.add(&P::ssd_blocks, "ssd_blocks", "blocks that the SSD holds beside those above it")
      .between(0, most_blocks)
      .affects(replayed)
      .when("tiers", {"offload"});
  table
      .add_choice(&P::transfer, "transfer",
                  {{"cheaper", Transfer::cheaper},
                   {"always", Transfer::always},
                   {"never", Transfer::never}},
                  "cached blocks of lower tiers are loaded as far as that is faster than computing "
                  "them, always, or never")
      .affects(replayed)
      .when("tiers", {"offload"});
}

void add_cost_parameters(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table.add(&P::layers, "layers", "layers of the model").between(1, 10'000);
  table.add(&P::hidden, "hidden", "width of the model").between(1, 1e7);
  table.add(&P::gqa, "gqa", "query heads for one key-value head").between(1, 1024);
  table.add(&P::element_bytes, "element_bytes", "bytes of a cached element")
      .in_unit("bytes")
      .between(0.25, 8);
  table
      .add(&P::prefill_flops_per_s, "prefill_flops_per_s",
           "operations a second of prefill; the default is the peak of 8 A800")
      .in_unit("flop/s")
      .between(1e9, 1e21);
  table.add(&P::cpu_bytes_per_s, "cpu_bytes_per_s", "bandwidth from CPU memory to the GPUs")
      .in_unit("B/s")
      .between(1e6, 1e15);
  table.add(&P::ssd_bytes_per_s, "ssd_bytes_per_s", "bandwidth from the SSD to the GPUs")
      .in_unit("B/s")
      .between(1e6, 1e15);
  table.add(&P::prefix_tokens, "prefix_tokens", "cached prefix that is loaded or computed again")
      .in_unit("tokens")
      .between(1, 1e8)
      .affects({Method::model});
}

ParameterTable<Parameters> make_table() {
  ParameterTable<Parameters> table;
  requests::add_request_parameters(table, {Method::simulate});
  add_cache_parameters(table);
  add_tier_parameters(table);
  add_cost_parameters(table);
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

PrefillCost prefill_cost(const Parameters& p) {
  return {static_cast<double>(p.layers), static_cast<double>(p.hidden), p.gqa, p.element_bytes,
          p.prefill_flops_per_s};
}

}  // namespace hpclab::kvcache::prefix
