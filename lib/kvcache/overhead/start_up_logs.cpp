// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/overhead/start_up_logs.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "kvcache/config_keys.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/model_file.hpp"
#include "kvcache/overhead_constants.hpp"
#include "machine/profile_search.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::overhead {
namespace {

StartUpLog read_log(const Json& json, const std::string& where, const std::string& pointer) {
  require_known_keys(json,
                     {"id", "source", "comment", "model", "gpu", "total_gib", "version", "flags",
                      "logged_gib", "use"},
                     where, pointer);
  const ConfigKeys keys(json, where, pointer);
  StartUpLog log;
  log.id = keys.text("id", "");
  log.source = keys.text("source", "");
  if (log.id.empty() || log.source.empty()) keys.fail("id", "id and source are needed");
  const ModelFolders folders{{}, model_folders().shipped};
  log.model = read_model(find_model(keys.text("model", ""), folders));
  const machine::ProfileFolders profiles{{}, machine::profile_folders().shipped};
  log.gpu = gpu_memory(machine::find_profile(keys.text("gpu", ""), profiles));
  if (keys.has("total_gib")) {
    log.gpu.total_bytes = keys.number("total_gib", 0) * gib;
    log.gpu.low_bytes = log.gpu.high_bytes = log.gpu.total_bytes;
  }
  Deployment d;
  d.version = parse_engine_version(keys.text("version", ""), where + ": " + pointer + "/version");
  if (const auto flags = keys.object("flags")) {
    require_known_keys(flags->json(),
                       {"gpu_memory_utilization", "tp", "pp", "dp", "ep", "max_model_len",
                        "max_num_batched_tokens", "max_num_seqs", "cudagraph_max_batch"},
                       where, pointer + "/flags");
    d.memory_fraction = flags->number("gpu_memory_utilization", 0);
    d.tensor_parallel = flags->integer("tp", 1);
    d.pipeline_parallel = flags->integer("pp", 1);
    d.data_parallel = flags->integer("dp", 1);
    d.expert_parallel = flags->integer("ep", 1);
    d.max_model_len = flags->integer("max_model_len", 0);
    d.max_batched_tokens = flags->integer("max_num_batched_tokens", 0);
    d.max_sequences = flags->integer("max_num_seqs", 0);
    d.graph_max_batch =
        flags->has("cudagraph_max_batch") ? flags->integer("cudagraph_max_batch", 0) : -1;
  }
  log.deployment = resolve(d, log.model, log.gpu);
  const auto logged = keys.object("logged_gib");
  if (!logged) keys.fail("logged_gib", "the figures of the log are needed");
  for (const auto& [name, value] : logged->json().items()) {
    log.logged[name] = logged->number(name, 0) * gib;
  }
  const auto available = log.bytes("available");
  if (!available || *available <= 0) logged->fail("available", "bytes for the cache are needed");
  log.available = *available;
  log.in_fit = keys.text("use", "fit") == "fit";
  return log;
}

}  // namespace

std::optional<double> StartUpLog::bytes(const std::string& name) const {
  const auto found = logged.find(name);
  if (found == logged.end()) return std::nullopt;
  return found->second;
}

std::vector<StartUpLog> read_start_up_logs(const std::filesystem::path& file) {
  const Json json = read_json_file(file);
  require_known_keys(json, {"schema", "comment", "logs"}, file.string(), "");
  const auto list = json.find("logs");
  if (list == json.end() || !list->is_array() || list->empty()) {
    throw UsageError(file.string() + ": /logs: a list with at least one log is needed");
  }
  std::vector<StartUpLog> logs;
  for (std::size_t i = 0; i < list->size(); ++i) {
    logs.push_back(read_log((*list)[i], file.string(), fmt::format("/logs/{}", i)));
  }
  return logs;
}

std::filesystem::path shipped_start_up_logs() {
  return model_folders().shipped.parent_path() / "kvcache" / "logs" / "start-up-logs.json";
}

}  // namespace hpclab::kvcache::overhead
