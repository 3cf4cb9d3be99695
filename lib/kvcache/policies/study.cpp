// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "kvcache/policies/parameters.hpp"

namespace hpclab::kvcache::policies {
namespace {

// The policies of the PagedAttention paper, and block sizes.
Json default_runs() {
  return Json::array(
      {{{"parameters",
         {{"policy", {"contiguous", "buddy"}}, {"reserve", {"max", "pow2", "oracle"}}}}},
       {{"parameters", {{"policy", "paged"}, {"block", {1, 16, 64, 256}}}}},
       {{"parameters", {{"policy", {"paged", "copy-on-write"}}, {"samples", 4}}}},
       {{"parameters", {{"policy", "paged"}, {"kv_dtype", {"fp8", "q4_0"}}}}},
       {{"parameters", {{"policy", "paged"}, {"offload_ratio", 0.5}}}}});
}

}  // namespace

Study study() {
  return StudyDefinition<Parameters>(
             "kvcache", "policies",
             "How much cache memory does each allocation policy waste, and how many sequences run "
             "at once?",
             parameter_table())
      .value({"concurrency", "sequences that run at once", Better::higher, true})
      .value(
          {"useful_ratio", "slots that store a token over slots of the pool", Better::higher, true})
      .value({"waste_tokens", "slots of a sequence that store no token now", Better::lower, true})
      .value({"sharing_ratio", "share of all tokens that others store too", Better::higher, true})
      .value({"tokens_per_s", "output of all sequences where memory bounds the step",
              Better::higher, true})
      .value({"reserved_ratio", "slots that will store a token later", Better::lower, false})
      .value({"internal_waste_ratio", "slots of a sequence that never will", Better::lower, false})
      .value({"external_waste_ratio", "slots of nobody while requests wait", Better::lower, false})
      .value({"mean_tokens", "tokens of a sequence, mean over time", Better::neither, false})
      .value({"step_s", "time of a decode step that reads weights and cache", Better::lower, false})
      .value(
          {"preemptions_count", "requests thrown out to be computed again", Better::lower, false})
      .value({"recomputed_tokens", "tokens computed again after that", Better::lower, false})
      .value({"rejected_count", "requests that do not fit even alone", Better::lower, false})
      .value({"requests_count", "requests that were served", Better::neither, false})
      .value({"pool_tokens", "slots of the pool", Better::higher, false})
      .value(
          {"bytes_per_token", "keys and values of one token in all layers", Better::lower, false})
      .value({"weights_bytes", "weights that a step reads", Better::lower, false})
      .plot({"lines", "block", "useful_ratio", {"policy"}, true, false})
      .default_experiments(default_runs())
      .model(model)
      .simulate(simulate)
      .estimate(estimate)
      .build();
}

}  // namespace hpclab::kvcache::policies
