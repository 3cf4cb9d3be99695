// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/explain/parameters.hpp"

#include "kvcache/deployment_parameters.hpp"

namespace hpclab::kvcache::explain {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table
      .add(&P::log, "log",
           "start-up log of vLLM, SGLang, TensorRT-LLM or llama.cpp, also .gz, .zst")
      .as_positional();
  declare_model(table.add(&P::model, "model",
                          "description, config.json or GGUF; empty: the model that the log names"));
  table.add(&P::weights, "weights", "safetensors index or header that states the weights' bytes");
  declare_gpu(table.add(&P::gpu, "gpu", "machine profile; empty: the total that the log states"));
  table.add(&P::engine_version, "engine_version", "empty: as the log says");
  table.add(&P::tp, "tp", "0: as the log says").between(0, 1024);
  detail::formats(table.add(&P::kv_dtype, "kv_dtype", "auto: as the log says"), "auto");
  table.add(&P::block, "block", "0: as the log says").in_unit("tokens").between(0, 1 << 20);
  table.add(&P::gpu_memory_utilization, "gpu_memory_utilization", "0: as the log says")
      .between(0, 1);
  table.add(&P::max_model_len, "max_model_len", "0: as the log says")
      .in_unit("tokens")
      .between(0, 1e9);
  table.add(&P::max_num_batched_tokens, "max_num_batched_tokens", "0: as the log says")
      .in_unit("tokens")
      .between(0, 1e8);
  table.add(&P::max_num_seqs, "max_num_seqs", "0: as the log says").between(0, 1e6);
  table
      .add(&P::cudagraph_max_batch, "cudagraph_max_batch",
           "largest batch captured; 0: none, -1: as the log says")
      .between(-1, 65536);
  table.add(&P::context, "context", "n_ctx; 0: as the log says").in_unit("tokens").between(0, 1e9);
  table.add(&P::predict_tokens, "predict_tokens", "the model's own predictor drafts");
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

}  // namespace hpclab::kvcache::explain
