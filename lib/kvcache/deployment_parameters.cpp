// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/deployment_parameters.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/model_file.hpp"
#include "machine/profile_search.hpp"

#include <nlohmann/json.hpp>

namespace hpclab::kvcache {

ParameterSpec& declare_model(ParameterSpec& spec) {
  return spec
      .resolved_by([](const Json& value) -> Json {
        const auto& name = value.get_ref<const std::string&>();
        return name.empty() ? value : Json(find_model(name).string());
      })
      .expanded_by([](const Json& value) -> std::vector<Json> {
        const auto& name = value.get_ref<const std::string&>();
        if (name.empty() || !is_collection(name)) return {value};
        std::vector<Json> files;
        for (const auto& file : models_in(name)) files.emplace_back(file.string());
        return files;
      })
      .labelled_by([](const std::filesystem::path& path) {
        const std::string stem = path.stem().string();
        const std::string folder = path.parent_path().filename().string();
        return stem == "config" && !folder.empty() ? folder : stem;
      });
}

ParameterSpec& declare_gpu(ParameterSpec& spec) {
  return spec
      .resolved_by([](const Json& value) -> Json {
        const auto& name = value.get_ref<const std::string&>();
        return name.empty() ? value : Json(machine::find_profile(name).file.string());
      })
      .labelled_by([](const std::filesystem::path& path) { return path.stem().string(); });
}

namespace detail {

ParameterSpec& formats(ParameterSpec& spec, const char* fallback) {
  std::vector<std::string> names{fallback};
  for (const std::string& name : element_format_names()) names.push_back(name);
  const std::string keep = fallback;
  return spec.one_of(std::move(names)).resolved_by([keep](const Json& value) -> Json {
    const auto& name = value.get_ref<const std::string&>();
    return name == keep ? value : Json(name_of(parse_element_format(name, "kv_dtype")));
  });
}

}  // namespace detail

Deployment deployment_of(const DeploymentParameters& p) {
  Deployment d;
  d.engine = p.engine;
  d.version = p.engine_version.empty() ? newest_known(p.engine)
                                       : parse_engine_version(p.engine_version, "engine_version");
  d.tensor_parallel = p.tp;
  d.pipeline_parallel = p.pp;
  d.data_parallel = p.dp;
  d.expert_parallel = p.ep;
  if (p.kv_dtype != "auto") d.key_format = parse_element_format(p.kv_dtype, "kv_dtype");
  if (p.v_dtype != "same") d.value_format = parse_element_format(p.v_dtype, "v_dtype");
  d.block_tokens = p.block;
  d.memory_fraction = p.gpu_memory_utilization;
  d.max_model_len = p.max_model_len;
  d.max_batched_tokens = p.max_num_batched_tokens;
  d.max_sequences = p.max_num_seqs;
  d.graph_max_batch = p.cudagraph_max_batch;
  d.available_bytes = p.available_bytes;
  d.context = p.context;
  d.unified_cache = p.kv_unified;
  d.full_windows = p.swa_full;
  d.predict_tokens = p.predict_tokens;
  return d;
}

ModelDescription model_of(const DeploymentParameters& p) {
  ModelDescription model = read_model(p.model);
  if (!p.weights.empty()) read_weight_bytes(model, p.weights);
  return model;
}

GpuMemory gpu_of(const DeploymentParameters& p) {
  if (p.gpu.empty()) return {};
  return gpu_memory(machine::read_profile(p.gpu));
}

}  // namespace hpclab::kvcache
