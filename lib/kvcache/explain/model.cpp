// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/explain/model.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/account_text.hpp"
#include "kvcache/explain/explanation.hpp"
#include "kvcache/explain/read_log.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/model_file.hpp"
#include "machine/profile.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache::explain {
namespace {

// "Qwen/Qwen3-30B-A3B-Instruct-2507" is described as qwen3-30b-a3b: owners and words for tuning do
// not change sizes.
std::string shipped_name(std::string name) {
  while (name.ends_with('/')) name.pop_back();
  name = name.substr(name.rfind('/') + 1);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.starts_with("meta-")) name.erase(0, 5);
  for (const char* suffix :
       {"-2507", "-0324", "-2407", "-instruct", "-chat", "-it", "-base", "-hf", "-thinking"}) {
    if (name.ends_with(suffix)) name.erase(name.size() - std::string(suffix).size());
  }
  return name;
}

ModelDescription model_of(const Parameters& p, const LogFacts& facts) {
  std::filesystem::path file = p.model;
  if (file.empty()) {
    if (facts.model.empty()) {
      throw CaseFailed("the log does not name its model; give model=");
    }
    const std::string name = shipped_name(facts.model);
    const std::vector<std::string> known = model_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw CaseFailed(fmt::format(
          "the log serves '{}', of which no description is shipped{}; give model=", facts.model,
          suggestion(name, known)));
    }
    file = find_model(name);
  }
  ModelDescription model = read_model(file);
  if (!p.weights.empty()) read_weight_bytes(model, p.weights);
  return model;
}

std::int64_t given_or(std::int64_t given, const LogFacts& facts, const char* name,
                      std::int64_t fallback) {
  if (given > 0) return given;
  const auto logged = facts.number(name);
  // Absurd numbers of a damaged log do not become sizes.
  if (!logged || !(*logged >= 0 && *logged <= 1e9)) return fallback;
  return static_cast<std::int64_t>(*logged);
}

Deployment deployment_of(const Parameters& p, const LogFacts& facts, Result& result) {
  Deployment d;
  d.engine = *facts.engine;
  if (!p.engine_version.empty()) {
    d.version = parse_engine_version(p.engine_version, "engine_version");
  } else if (facts.version) {
    d.version = *facts.version;
  } else {
    d.version = newest_known(d.engine);
    result.add_note(fmt::format(
        "the log does not say its version{}: the rules of {} {} are applied, which is the newest "
        "known; give engine_version=",
        facts.version_text.empty() ? "" : " in a form that is known ('" + facts.version_text + "')",
        name_of(d.engine), d.version.text()));
  }
  if (d.version > newest_known(d.engine)) {
    result.add_note(fmt::format("{} {} is newer than {}, the newest whose rules are known",
                                name_of(d.engine), d.version.text(),
                                newest_known(d.engine).text()));
  }
  d.tensor_parallel = std::max<std::int64_t>(1, given_or(p.tp, facts, "tp", 1));
  d.pipeline_parallel = std::max<std::int64_t>(1, given_or(0, facts, "pp", 1));
  d.data_parallel = std::max<std::int64_t>(1, given_or(0, facts, "dp", 1));
  d.block_tokens = given_or(p.block, facts, "block", 0);
  d.max_model_len = given_or(p.max_model_len, facts, "max_model_len", 0);
  d.max_batched_tokens = given_or(p.max_num_batched_tokens, facts, "max_num_batched_tokens", 0);
  d.max_sequences = given_or(p.max_num_seqs, facts, "max_num_seqs", 0);
  d.context = given_or(p.context, facts, "context", 0);
  d.unified_cache = facts.number("kv_unified").value_or(0) > 0;
  d.predict_tokens = p.predict_tokens;
  d.graph_max_batch = p.cudagraph_max_batch;
  if (d.graph_max_batch < 0) d.graph_max_batch = given_or(0, facts, "cudagraph_max_batch", -1);
  d.memory_fraction = p.gpu_memory_utilization;
  const double logged = facts.number("gpu_memory_utilization").value_or(0);
  if (d.memory_fraction == 0 && logged > 0 && logged <= 1) d.memory_fraction = logged;
  std::string format = p.kv_dtype;
  if (format == "auto") {
    if (const auto word = facts.words.find("kv_dtype"); word != facts.words.end()) {
      format = word->second;
    }
    if (!facts.caches.empty() && !facts.caches.front().key_format.empty()) {
      format = facts.caches.front().key_format;
    }
  }
  if (format != "auto" && !format.empty()) {
    d.key_format = parse_element_format(format, "log: kv_cache_dtype");
  }
  return d;
}

GpuMemory gpu_of(const Parameters& p, const LogFacts& facts) {
  GpuMemory gpu;
  if (!p.gpu.empty()) gpu = gpu_memory(machine::read_profile(p.gpu));
  if (const LoggedBytes* total = facts.size("total")) {
    gpu.total_bytes = total->bytes;
    gpu.low_bytes = total->bytes - total->rounding();
    gpu.high_bytes = total->bytes + total->rounding();
  }
  return gpu;
}

// What a whole start-up would have said and this log does not.
void note_missing(const LogFacts& facts, Result& result) {
  std::string missing;
  const auto need = [&](bool there, const char* what) {
    if (!there) missing += (missing.empty() ? "" : ", ") + std::string(what);
  };
  switch (*facts.engine) {
    case Engine::vllm:
      need(facts.size("weights") || facts.size("consumed"), "weights");
      need(facts.size("available") != nullptr, "bytes for the cache");
      need(facts.number("tokens") || facts.number("blocks"), "tokens or blocks");
      break;
    case Engine::sglang:
      need(facts.size("weights") != nullptr, "weights");
      need(facts.number("tokens").has_value(), "tokens");
      break;
    case Engine::tensorrt_llm:
      need(facts.size("free_after") != nullptr, "free memory after loading");
      need(facts.number("tokens") || facts.number("blocks"), "tokens or blocks");
      break;
    case Engine::llama_cpp:
      need(!facts.caches.empty() || facts.size("kv_total"), "caches");
      break;
  }
  if (!missing.empty()) {
    result.add_note("the log is incomplete: it does not state " + missing);
  }
  if (facts.cut) result.add_note("the last line has no end: the log may be cut");
}

Explanation explanation_of(const LogFacts& facts, const ModelDescription& model,
                           const GpuMemory& gpu, const Deployment& d) {
  switch (*facts.engine) {
    case Engine::vllm:
      return explain_vllm(facts, model, gpu, d);
    case Engine::sglang:
      return explain_sglang(facts, model, gpu, d);
    case Engine::tensorrt_llm:
      return explain_tensorrt_llm(facts, model, gpu, d);
    case Engine::llama_cpp:
      break;
  }
  return explain_llama_cpp(facts, model, d);
}

Table item_table(const Explanation& explanation) {
  Table table;
  table.columns = {"item",       "logged_bytes",      "expected_bytes", "low_bytes",
                   "high_bytes", "unexplained_bytes", "comment"};
  table.units = {"", "B", "B", "B", "B", "B", ""};
  for (const ExplainedItem& item : explanation.items) {
    const auto number = [](bool there, double value) {
      return there ? Json(value) : Json(nullptr);
    };
    const bool expected = item.expected.has_value();
    table.rows.push_back({item.name, number(item.logged.has_value(), item.logged.value_or(0)),
                          number(expected, expected ? item.expected->value : 0),
                          number(expected, expected ? item.expected->low : 0),
                          number(expected, expected ? item.expected->high : 0), item.unexplained,
                          item.comment});
  }
  return table;
}

}  // namespace

Result model(const Parameters& p, Context&) {
  if (p.log.empty()) throw UsageError("log: the start-up log to explain is missing");
  const LogFacts facts = read_log(p.log);
  Result result;
  const ModelDescription description = model_of(p, facts);
  const Deployment d = deployment_of(p, facts, result);
  const GpuMemory gpu = gpu_of(p, facts);
  note_missing(facts, result);
  const Explanation explanation = explanation_of(facts, description, gpu, d);
  result.set_text("model", gpu.name.empty() ? description.name
                                            : fmt::format("{} on {}", description.name, gpu.name));
  result.set_text("engine", fmt::format("{} {}", name_of(d.engine), d.version.text()));
  result.set_value("residual_bytes", explanation.residual_bytes);
  if (explanation.card_bytes > 0) {
    result.set_value("residual_of_card_ratio", explanation.residual_bytes / explanation.card_bytes);
  }
  if (explanation.logged_tokens) result.set_value("logged_tokens", *explanation.logged_tokens);
  if (explanation.expected_tokens) {
    result.set_value("expected_tokens", *explanation.expected_tokens);
  }
  if (explanation.logged_tokens && explanation.expected_tokens && *explanation.logged_tokens > 0) {
    result.set_value("error_ratio", *explanation.expected_tokens / *explanation.logged_tokens - 1);
  }
  result.set_table("items", item_table(explanation));
  if (!explanation.gains.empty()) {
    const FlagGain& best = explanation.gains.front();
    result.set_text("verdict", fmt::format("{}: +{} tokens ({})", best.flag,
                                           grouped(static_cast<double>(best.gain)), best.price));
  }
  for (const std::string& note : explanation.notes) result.add_note(note);
  return result;
}

std::vector<std::string> explanation_lines(const Json& record) {
  std::vector<std::string> lines;
  std::vector<std::vector<std::string>> rows{
      {"item", "logged GiB", "expected", "range", "comment"}};
  const auto text = [](const Json& value) {
    return value.is_null() ? std::string() : gib_text(value.get<double>());
  };
  for (const Json& row : record["tables"]["items"]["rows"]) {
    const bool ranged = !row[3].is_null() && row[3] != row[4];
    rows.push_back({row[0].get<std::string>(), text(row[1]), text(row[2]),
                    ranged ? fmt::format("[{}, {}]", text(row[3]), text(row[4])) : "",
                    row[6].get<std::string>()});
  }
  lines.push_back(fmt::format("{}, {}", record["text"]["model"].get<std::string>(),
                              record["text"]["engine"].get<std::string>()));
  for (std::string& line : aligned(rows, {false, true, true, false, false})) {
    lines.push_back(std::move(line));
  }
  const Json& values = record["values"];
  if (values.contains("logged_tokens") && values.contains("expected_tokens")) {
    lines.push_back(fmt::format("  {} tokens logged, {} by the rules from the log's own bytes",
                                grouped(values["logged_tokens"].get<double>()),
                                grouped(values["expected_tokens"].get<double>())));
  }
  lines.push_back(
      fmt::format("  unexplained {} GiB{}", gib_text(values["residual_bytes"].get<double>()),
                  values.contains("residual_of_card_ratio")
                      ? fmt::format(" ({:.2f} % of the card)",
                                    100 * values["residual_of_card_ratio"].get<double>())
                      : ""));
  if (record["text"].contains("verdict")) {
    lines.push_back("  most tokens for one flag: " + record["text"]["verdict"].get<std::string>());
  }
  if (record.contains("notes")) {
    for (const Json& note : record["notes"]) lines.push_back("  " + note.get<std::string>());
  }
  return lines;
}

}  // namespace hpclab::kvcache::explain
