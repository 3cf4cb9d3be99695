// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/frontier/parameters.hpp"

#include "kvcache/deployment_parameters.hpp"
#include "kvcache/model_file.hpp"

namespace hpclab::kvcache::frontier {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add_choice(&P::quantity, "quantity", {{"step", Quantity::step}, {"check", Quantity::check}},
                   "one decode step at one batch, or the predictions for a file of measured ones");
  declare_model(table.add(&P::model, "model",
                          "a name of configs/models, a config.json or its folder, a GGUF file, or "
                          "a folder of models (a case each)"));
  table.add(&P::weights, "weights",
            "safetensors index or header, or GGUF file, that states the bytes of all weights");
  declare_gpu(table.add(&P::gpu, "gpu", "machine profile of one GPU, by name or file"));
  table.add(&P::tp, "tp", "ranks of tensor parallelism").between(1, 1024);
  table.add(&P::dp, "dp", "replicas of attention, among which requests are divided")
      .between(1, 4096);
  table.add(&P::ep, "ep", "ranks that whole experts are spread over; 1: experts are split by width")
      .between(1, 4096);
  detail::formats(
      table.add(&P::kv_dtype, "kv_dtype", "format of keys and values; auto: the model's own"),
      "auto");
  table
      .add(&P::gpu_memory_utilization, "gpu_memory_utilization",
           "share of the GPU's memory for weights, activations and cache; 0: vLLM's default")
      .between(0, 1)
      .when("quantity", {"step"});
  table.add(&P::batch, "batch", "requests that are served at once")
      .between(1, 1e6)
      .when("quantity", {"step"});
  table
      .add(&P::context, "context",
           "tokens that each request has in the cache, on average over its decoding")
      .in_unit("tokens")
      .between(1, 1e8)
      .when("quantity", {"step"});
  table
      .add(&P::output, "output",
           "tokens that each request generates: prompts of the others are then computed between "
           "its steps; 0: decoding alone")
      .in_unit("tokens")
      .between(0, 1e7)
      .when("quantity", {"step"});
  table
      .add(&P::observed_gain, "observed_gain",
           "gain in throughput over one request that somebody reports at this batch: what it "
           "implies beyond the roofline is named; 0: none")
      .between(0, 1e6)
      .when("quantity", {"step"});
  table
      .add(&P::layer_kernels, "layer_kernels",
           "kernels of a layer, each of which costs the profile's launch.graph_kernel_s")
      .between(0, 1000);
  table
      .add(&P::collective_s, "collective_s",
           "latency of one exchange between the ranks, of which a layer has two; the default is "
           "the median of Vidur's profile of eight H100 up to 256 KiB")
      .in_unit("s")
      .between(0, 1);
  table
      .add(&P::compute_efficiency, "compute_efficiency",
           "share of the profile's peak that matrix products reach")
      .between(0.001, 1);
  table
      .add(&P::measured, "measured",
           "CSV with columns isl, osl, conc and median_tpot (seconds), such as InferenceX's")
      .when("quantity", {"check"});
  table.add(&P::rows, "rows", "only rows whose column cfg holds this; empty: all")
      .when("quantity", {"check"});
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

ModelDescription model_of(const Parameters& p) {
  ModelDescription model = read_model(p.model);
  if (!p.weights.empty()) read_weight_bytes(model, p.weights);
  return model;
}

Deployment deployment_of(const Parameters& p, std::int64_t longest) {
  DeploymentParameters d;
  d.tp = p.tp;
  d.dp = p.dp;
  d.ep = p.ep;
  d.kv_dtype = p.kv_dtype;
  d.gpu_memory_utilization = p.gpu_memory_utilization;
  d.max_model_len = longest;
  return kvcache::deployment_of(d);
}

}  // namespace hpclab::kvcache::frontier
