// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/side.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/record.hpp"
#include "core/record_file.hpp"
#include "core/sampler.hpp"
#include "formats/json_lines.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::decisions {
namespace {

using formats::JsonValue;

constexpr std::size_t kept_samples = 200;

struct DeclaredValue {
  Quantity quantity;
  bool headline;
  bool directed;
};

class SideReader {
 public:
  explicit SideReader(const std::optional<std::string>& value) : value_(value) {}

  void read(const std::filesystem::path& path) {
    file_ = static_cast<std::uint32_t>(side_.files.size());
    side_.files.push_back(path.string());
    formats::LineReader lines(path, max_record_bytes);
    formats::JsonLineReader reader(lines);
    lines_ = &lines;
    bool any_run = false;
    bool ended = true;
    bool torn = false;
    while (true) {
      std::optional<JsonValue> record;
      try {
        record = reader.next();
      } catch (const UsageError&) {
        if (!lines.line_is_open()) throw;
        torn = true;  // a crash cut the last line: what was written before it counts
        break;
      }
      if (!record) break;
      if (lines.line_is_open()) {
        torn = true;
        break;
      }
      const std::string_view kind = record->text("record");
      if (kind == "run") {
        take_run(*record);
        any_run = true;
        ended = false;
      } else if (kind == "case") {
        if (!any_run) fail("a case comes before any run record");
        take_case(*record);
      } else if (kind == "end") {
        ended = true;
      } else {
        fail(fmt::format("/record is '{}'; valid: run, case, end", kind));
      }
    }
    if (!any_run) throw UsageError(fmt::format("{}: it holds no run record", path.string()));
    if (torn) {
      side_.warnings.push_back(path.string() + ": the last line is torn and was left out");
    } else if (!ended) {
      side_.warnings.push_back(path.string() + ": its last run did not end");
    }
  }

  Side finish() {
    if (value_ && !declared_anywhere_) {
      throw UsageError(fmt::format("--value: no study of these records declares '{}'{}", *value_,
                                   suggestion(*value_, names_)));
    }
    return std::move(side_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw UsageError(fmt::format("{}: {}", lines_->where(), why));
  }

  void take_run(const JsonValue& record) {
    check_schema_version(record.text("schema"), lines_->where());
    Json run = Json::parse(record.json(), nullptr, false);
    const auto studies = run.find("studies");
    if (studies != run.end() && studies->is_object()) {
      for (const auto& [name, study] : studies->items()) {
        if (study.is_object()) declare(name, study);
      }
    }
    if (std::find(side_.runs.begin(), side_.runs.end(), run) == side_.runs.end())
      side_.runs.push_back(std::move(run));
  }

  void declare(const std::string& study, const Json& declaration) {
    const auto values = declaration.find("values");
    if (values == declaration.end() || !values->is_object()) return;
    std::vector<DeclaredValue>& declared = declared_[study];
    if (!declared.empty()) return;
    for (const auto& [name, spec] : values->items()) {
      if (!spec.is_object()) continue;
      const std::string better = text_member(spec, "better");
      names_.push_back(name);
      declared_anywhere_ = declared_anywhere_ || (value_ && name == *value_);
      declared.push_back({{name, better == "higher"},
                          spec.value("headline", Json()) == Json(true),
                          better == "higher" || better == "lower"});
    }
    // Headline values go first; a stable order keeps the study's own otherwise.
    std::stable_sort(
        declared.begin(), declared.end(),
        [](const DeclaredValue& x, const DeclaredValue& y) { return x.headline && !y.headline; });
  }

  static std::string text_member(const Json& object, const char* name) {
    const Json member = object.value(name, Json());
    return member.is_string() ? member.get<std::string>() : "";
  }

  std::uint64_t id_of(const JsonValue& record) const {
    const std::string_view text = record.text("id");
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id, 16);
    if (text.size() != 16 || error != std::errc() || end != text.data() + text.size())
      fail("/id is not 16 hexadecimal digits");
    return id;
  }

  template <class T>
  static std::uint32_t index_of(std::vector<T>& list, const T& wanted) {
    // The last one found is nearly always the next one wanted.
    for (std::size_t i = list.size(); i-- > 0;) {
      if (list[i] == wanted) return static_cast<std::uint32_t>(i);
    }
    list.push_back(wanted);
    return static_cast<std::uint32_t>(list.size() - 1);
  }

  void take_case(const JsonValue& record) {
    const std::uint64_t id = id_of(record);
    const auto backend = record.find("backend");
    const CaseGroup group{std::string(record.text("lab")), std::string(record.text("study")),
                          std::string(record.text("method")),
                          backend ? std::string(backend->text()) : ""};
    const std::string_view status = record.text("status");
    if (status != "ok" && status != "failed" && status != "skipped")
      fail(fmt::format("/status is '{}'; valid: ok, skipped, failed", status));
    const auto [entry, fresh] =
        side_.position.try_emplace(id, static_cast<std::uint32_t>(side_.cases.size()));
    if (fresh) {
      SideCase added;
      added.id = id;
      added.group = index_of(side_.groups, group);
      added.seed = static_cast<std::uint64_t>(record.require("seed").integer());
      added.parameters = record.require("parameters").json();
      if (!added.parameters.starts_with('{')) fail("/parameters is not an object");
      side_.cases.push_back(std::move(added));
    }
    SideCase& c = side_.cases[entry->second];
    if (status != "ok") {
      if (c.figures.empty()) {
        c.failed = status == "failed";
        c.trouble = fmt::format("{}: {}", status, record.text("reason"));
      }
      return;
    }
    const std::uint32_t run = index_of(side_.run_ids, std::string(record.text("run")));
    for (const ProcessFigure& earlier : c.figures) {
      if (earlier.file == file_) {
        fail(fmt::format("case {} is already finished in an earlier line", record.text("id")));
      }
      if (earlier.run != run) continue;
      ++side_.repeated;
      return;
    }
    if (c.figures.empty()) c.trouble.clear();
    c.failed = false;
    take_figure(record, c, run);
    if (const auto rule = record.find("stopping_rule"))
      index_of(side_.stopping_rules, std::string(rule->text()));
  }

  void take_figure(const JsonValue& record, SideCase& c, std::uint32_t run) {
    const CaseGroup& group = side_.groups[c.group];
    const JsonValue values = record.require("values");
    if (group.measured()) {
      if (const auto clock = values.find("clock_hz")) side_.clocks_hz.push_back(clock->number());
    }
    if (c.quantity == SideCase::no_quantity) c.quantity = choose(group, values);
    if (c.quantity == SideCase::no_quantity) {
      c.trouble = value_ ? fmt::format("no value {}", *value_) : "no value has a better direction";
      return;
    }
    const Quantity& quantity = side_.quantities[c.quantity];
    const auto value = values.find(quantity.name);
    if (!value) return;
    ProcessFigure figure{file_, run, value->number(), {}};
    if (const auto samples = record.find("samples")) take_samples(*samples, quantity, figure);
    c.figures.push_back(std::move(figure));
  }

  std::uint32_t choose(const CaseGroup& group, const JsonValue& values) {
    const auto declared = declared_.find(group.lab + "/" + group.study);
    if (declared == declared_.end())
      fail(fmt::format("no run record before it declares the values of {}/{}", group.lab,
                       group.study));
    for (const DeclaredValue& one : declared->second) {
      if (value_ ? one.quantity.name != *value_ : !one.directed) continue;
      if (values.find(one.quantity.name)) return index_of(side_.quantities, one.quantity);
    }
    return SideCase::no_quantity;
  }

  void take_samples(const JsonValue& samples, const Quantity& quantity, ProcessFigure& figure) {
    std::optional<JsonValue> chosen = samples.find(quantity.name);
    bool higher = quantity.higher_is_better;
    if (!chosen) {
      std::size_t lists = 0;
      samples.for_each_member([&](std::string_view name, const JsonValue& list) {
        ++lists;
        if (!name.ends_with("_s")) return;
        chosen = list;
        higher = name.ends_with("_per_s");
      });
      if (lists != 1 || !chosen) return;
    }
    chosen->numbers(figure.costs);
    if (figure.costs.size() > kept_samples) figure.costs = thinned(figure.costs, kept_samples);
    const bool positive =
        std::all_of(figure.costs.begin(), figure.costs.end(), [](double x) { return x > 0.0; });
    if (!positive) figure.costs.clear();
    if (higher) {
      for (double& cost : figure.costs) cost = 1.0 / cost;
    }
  }

  const std::optional<std::string>& value_;
  const formats::LineReader* lines_ = nullptr;
  Side side_;
  std::uint32_t file_ = 0;
  std::map<std::string, std::vector<DeclaredValue>> declared_;
  std::vector<std::string> names_;
  bool declared_anywhere_ = false;
};

}  // namespace

std::string CaseGroup::text() const {
  return fmt::format("{} {}, {}{}", lab, study, method, backend.empty() ? "" : " on " + backend);
}

Side read_side(const std::vector<std::filesystem::path>& files,
               const std::optional<std::string>& value) {
  SideReader reader(value);
  for (const auto& file : files) reader.read(file);
  return reader.finish();
}

std::vector<std::filesystem::path> record_files(const std::string& name) {
  std::error_code error;
  if (!std::filesystem::is_directory(name, error)) return {name};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(name)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  if (files.empty()) throw UsageError(fmt::format("'{}': the folder holds no .jsonl file", name));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace hpclab::decisions
