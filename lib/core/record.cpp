// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record.hpp"

#include "core/sha256.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace hpclab {
namespace {

bool is_hex_id(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == 16 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string fault_of_numbers(const Json& record, const char* field) {
  const auto object = record.find(field);
  if (object == record.end()) return "";
  if (!object->is_object()) return fmt::format("/{} is not an object", field);
  for (const auto& [name, value] : object->items()) {
    if (!value.is_number()) return fmt::format("/{}/{} is not a finite number", field, name);
  }
  return "";
}

std::string fault_of_intervals(const Json& record) {
  const auto intervals = record.find("interval95");
  if (intervals == record.end()) return "";
  if (!intervals->is_object()) return "/interval95 is not an object";
  for (const auto& [name, pair] : intervals->items()) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) {
      return fmt::format("/interval95/{} is not [low, high]", name);
    }
    if (pair[0].get<double>() > pair[1].get<double>()) {
      return fmt::format("/interval95/{} has its ends exchanged", name);
    }
    if (!record.value("values", Json::object()).contains(name)) {
      return fmt::format("/interval95/{} belongs to no value", name);
    }
  }
  return "";
}

std::string fault_of_tables(const Json& record) {
  const auto tables = record.find("tables");
  if (tables == record.end()) return "";
  if (!tables->is_object()) return "/tables is not an object";
  for (const auto& [name, table] : tables->items()) {
    if (!table.is_object() || !table.contains("columns") || !table.contains("units") ||
        !table.contains("rows") || !table["columns"].is_array() || !table["units"].is_array() ||
        !table["rows"].is_array()) {
      return fmt::format("/tables/{} needs columns, units and rows", name);
    }
    if (table["columns"].size() != table["units"].size()) {
      return fmt::format("/tables/{} has not one unit a column", name);
    }
    for (const Json& row : table["rows"]) {
      if (!row.is_array() || row.size() != table["columns"].size()) {
        return fmt::format("/tables/{} has a row of the wrong length", name);
      }
    }
  }
  return "";
}

std::string fault_of_samples(const Json& record) {
  const auto samples = record.find("samples");
  if (samples == record.end()) return "";
  if (!samples->is_object()) return "/samples is not an object";
  for (const auto& [name, list] : samples->items()) {
    if (!list.is_array()) return fmt::format("/samples/{} is not a list", name);
    for (const Json& sample : list) {
      if (!sample.is_number())
        return fmt::format("/samples/{} has something that is not a number", name);
    }
  }
  return "";
}

// Words: text is an object of strings, notes a list of strings, files a list of names and digests.
std::string fault_of_words(const Json& record) {
  const auto is_text = [](const Json& value) { return value.is_string(); };
  if (record.contains("stopping_rule") && !is_text(record["stopping_rule"]))
    return "/stopping_rule is not text";
  if (const auto text = record.find("text"); text != record.end()) {
    if (!text->is_object() || !std::all_of(text->begin(), text->end(), is_text))
      return "/text is not an object of texts";
  }
  if (const auto notes = record.find("notes"); notes != record.end()) {
    if (!notes->is_array() || !std::all_of(notes->begin(), notes->end(), is_text))
      return "/notes is not a list of texts";
  }
  if (const auto files = record.find("files"); files != record.end()) {
    if (!files->is_array()) return "/files is not a list";
    for (const Json& file : *files) {
      if (!file.is_object() || !file.contains("path") || !file["path"].is_string() ||
          !file.contains("sha256") || !file["sha256"].is_string()) {
        return "/files has an entry without path and sha256";
      }
    }
  }
  return "";
}

std::string fault_of_case(const Json& record) {
  for (const char* field : {"lab", "study", "method", "status"}) {
    if (!record.contains(field) || !record[field].is_string())
      return fmt::format("/{} is not text", field);
  }
  if (!record.contains("id") || !is_hex_id(record["id"])) return "/id is not 16 hexadecimal digits";
  if (!record.contains("run") || !record["run"].is_string()) return "/run is not text";
  if (!record.contains("parameters") || !record["parameters"].is_object())
    return "/parameters is not an object";
  if (!record.contains("backend") ||
      !(record["backend"].is_null() || record["backend"].is_string())) {
    return "/backend is neither null nor text";
  }
  if (!record.contains("seed") || !record["seed"].is_number_unsigned())
    return "/seed is not a whole number";
  const std::string method = record["method"];
  const bool known = std::any_of(all_methods.begin(), all_methods.end(),
                                 [&](Method m) { return name_of(m) == method; });
  if (!known) return "/method is '" + method + "'; valid: model, simulate, measure";
  if ((method == "measure") == record["backend"].is_null()) {
    return "/backend must be a name for a measurement and null otherwise";
  }
  const std::string status = record["status"];
  if (status != "ok" && status != "skipped" && status != "failed") {
    return "/status is '" + status + "'; valid: ok, skipped, failed";
  }
  if (status != "ok" && (!record.contains("reason") || !record["reason"].is_string())) {
    return "/reason is missing for a case that is not ok";
  }
  const std::string id = case_id(record["lab"], record["study"], method, record["backend"],
                                 record["parameters"], record["seed"]);
  if (id != record["id"].get_ref<const std::string&>()) {
    return fmt::format("/id is {}, but the case's content hashes to {}",
                       record["id"].get<std::string>(), id);
  }
  if (!record.contains("values")) return "/values is missing";
  for (const char* field : {"values", "work"}) {
    if (std::string fault = fault_of_numbers(record, field); !fault.empty()) return fault;
  }
  for (auto* check : {&fault_of_intervals, &fault_of_tables, &fault_of_samples, &fault_of_words}) {
    if (std::string fault = check(record); !fault.empty()) return fault;
  }
  return "";
}

// A message may quote anything; a record must keep its limit.
std::string shortened(const std::string& reason) {
  constexpr std::size_t limit = 4096;
  if (reason.size() <= limit) return reason;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(reason[end]) & 0xC0) == 0x80) --end;  // UTF-8
  return reason.substr(0, end) + "...";
}

}  // namespace

std::string schema_version() {
  return fmt::format("{}.{}", schema_major, schema_minor);
}

std::string name_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::ok:
      return "ok";
    case CaseStatus::skipped:
      return "skipped";
    case CaseStatus::failed:
      return "failed";
  }
  return "?";
}

Json case_record(const Case& c, const std::string& run, CaseStatus status, const Result& result,
                 const std::string& reason) {
  Json record;
  record["record"] = "case";
  record["id"] = c.id;
  record["run"] = run;
  record["lab"] = c.study->lab;
  record["study"] = c.study->name;
  record["method"] = name_of(c.method);
  record["backend"] = c.backend ? Json(name_of(*c.backend)) : Json(nullptr);
  record["parameters"] = c.recorded;
  record["seed"] = c.seed;
  record["status"] = name_of(status);
  if (status != CaseStatus::ok) record["reason"] = shortened(reason);
  record["values"] = result.values();
  if (!result.intervals().empty()) record["interval95"] = result.intervals();
  if (!result.text().empty()) record["text"] = result.text();
  if (!result.tables().empty()) record["tables"] = result.tables();
  if (!result.samples().empty()) record["samples"] = result.samples();
  if (!result.work().empty()) record["work"] = result.work();
  if (!result.files().empty()) record["files"] = result.files();
  if (!result.notes().empty()) record["notes"] = result.notes();
  return record;
}

Json study_declaration(const Study& study) {
  Json values = Json::object();
  for (const ValueSpec& value : study.values) {
    values[value.name] = {{"meaning", value.meaning},
                          {"better", name_of(value.better)},
                          {"headline", value.headline}};
  }
  Json plot = {{"kind", study.plot.kind},  {"x", study.plot.x},
               {"y", study.plot.y},        {"series", study.plot.series},
               {"logx", study.plot.log_x}, {"logy", study.plot.log_y}};
  if (study.plot.mark_best) plot["best"] = true;
  return {{"question", study.question}, {"values", std::move(values)}, {"plot", std::move(plot)}};
}

std::string new_run_id() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  const auto ticks = std::chrono::system_clock::now().time_since_epoch().count();
  return sha256_hex(fmt::format("{} {} {}", host, ::getpid(), ticks)).substr(0, 16);
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::string fault_of_record(const Json& record) {
  if (!record.is_object()) return "it is not an object";
  if (!record.contains("record") || !record["record"].is_string()) return "/record is missing";
  const std::string kind = record["record"];
  if (kind == "case") return fault_of_case(record);
  if (!record.contains("run") || !record["run"].is_string()) return "/run is not text";
  if (kind == "run") {
    if (!record.contains("schema") || !record["schema"].is_string()) return "/schema is not text";
    if (!record.contains("started") || !record["started"].is_string())
      return "/started is not text";
    return "";
  }
  if (kind == "end") {
    for (const char* field : {"cases", "ok", "failed", "skipped"}) {
      if (!record.contains(field) || !record[field].is_number_unsigned()) {
        return fmt::format("/{} is not a count", field);
      }
    }
    if (record.contains("seconds") && !record["seconds"].is_number())
      return "/seconds is not a number";
    return "";
  }
  return "/record is '" + kind + "'; valid: run, case, end";
}

}  // namespace hpclab
