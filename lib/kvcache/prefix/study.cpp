// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "kvcache/prefix/conclude.hpp"
#include "kvcache/prefix/parameters.hpp"

namespace hpclab::kvcache::prefix {
namespace {

// One command on a trace, all policies: each replays the requests once or twice.
Json default_runs() {
  return Json::array({{{"parameters", {{"policy", {"lru", "lfu", "fifo", "ttl", "opt"}}}}}});
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>(
             "kvcache", "prefix",
             "What hit rate does this traffic have, at which capacity and by which policy?",
             parameter_table())
      .value({"hit_block_ratio", "blocks found in the cache over blocks asked for", Better::higher,
              true})
      .value({"hit_token_ratio", "input tokens found in the cache over input tokens",
              Better::higher, true})
      .value({"hit_request_mean_ratio", "mean over requests of found blocks over blocks",
              Better::higher, true})
      .value({"fraction_of_maximum_ratio", "block hit ratio over that of a cache without limit",
              Better::higher, true})
      .value({"saved_ratio", "share of the prefill time that cache and tiers save", Better::higher,
              true})
      .value({"break_even_bytes_per_s",
              "bandwidth from which on loading the prefix is faster than computing it",
              Better::lower, true})
      .value({"break_even_tokens",
              "shortest prefix that is loaded from CPU memory faster than computed", Better::lower,
              false})
      .value(
          {"bytes_per_token", "keys and values of one token in all layers", Better::lower, false})
      .value({"knee_blocks", "capacity from which on ten times as much gains little",
              Better::neither, false})
      .value({"knee_tokens", "the knee in tokens", Better::neither, false})
      .value({"knee_bytes", "the knee in bytes of keys and values", Better::neither, false})
      .value({"saturation_blocks", "smallest capacity with every hit that there can be",
              Better::neither, false})
      .value({"hit_gpu_ratio", "input tokens used from the GPU over input tokens", Better::higher,
              false})
      .value({"hit_cpu_ratio", "input tokens loaded from CPU memory over input tokens",
              Better::neither, false})
      .value({"hit_ssd_ratio", "input tokens loaded from the SSD over input tokens",
              Better::neither, false})
      .value({"loaded_bytes", "keys and values loaded from lower tiers", Better::lower, false})
      .value({"load_s", "time of those loads", Better::lower, false})
      .value({"compute_s", "prefill time of what no cache gave", Better::lower, false})
      .value({"compute_uncached_s", "prefill time of all input", Better::neither, false})
      .value({"requests_count", "requests replayed", Better::neither, false})
      .value({"asked_blocks", "blocks of all requests", Better::neither, false})
      .value({"distinct_blocks", "different blocks among them", Better::neither, false})
      .value(
          {"peak_blocks", "most blocks that were cached after a request", Better::neither, false})
      .value({"input_tokens", "input tokens of all requests", Better::neither, false})
      .value({"block_tokens", "tokens of a block", Better::neither, false})
      .plot({"hit-curve", "capacity_blocks", "hit_block_ratio", {"policy"}, true, false})
      .output({"save-requests", "write the generated requests as Mooncake JSON lines"})
      .default_experiments(default_runs())
      .model(model)
      .simulate(simulate)
      .estimate(estimate)
      .conclude(conclude)
      .build();
}

}  // namespace hpclab::kvcache::prefix
