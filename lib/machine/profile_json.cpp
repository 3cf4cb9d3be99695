// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reading and writing of machine profiles. Every message carries the file and a JSON pointer.
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/sha256.hpp"
#include "machine/profile.hpp"
#include "machine/profile_vocabulary.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace hpclab::machine {
namespace {

constexpr int schema_major = 1;
constexpr const char* schema_text = "1.0";

/// A JSON value with the place it came from.
struct Node {
  const Json& json;
  std::string origin;
  std::string pointer;

  [[noreturn]] void fail(const std::string& reason) const {
    throw UsageError(fmt::format("{}: {}: {}", origin, pointer.empty() ? "/" : pointer, reason));
  }
  Node at(const std::string& key) const { return {json[key], origin, pointer + "/" + key}; }
  bool has(const char* key) const { return json.contains(key); }

  void check_keys(const std::vector<std::string>& known) const {
    if (!json.is_object()) fail("an object is expected");
    for (const auto& [key, unused] : json.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(fmt::format("unknown key '{}'{}", key, suggestion(key, known)));
      }
    }
  }
  std::string text(const char* key) const {
    if (!has(key)) fail(fmt::format("key \"{}\" is missing", key));
    if (!json[key].is_string()) at(key).fail("a string is expected");
    return json[key].get<std::string>();
  }
  double number() const {
    if (!json.is_number()) fail("a number is expected");
    return json.get<double>();
  }
  template <typename Choice>
  Choice choice(const char* key, std::initializer_list<Choice> choices) const {
    const std::string word = text(key);
    std::string valid;
    for (const Choice candidate : choices) {
      if (word == name_of(candidate)) return candidate;
      valid += fmt::format("{}\"{}\"", valid.empty() ? "" : ", ", name_of(candidate));
    }
    at(key).fail(fmt::format("\"{}\" is not one of {}", word, valid));
  }
};

void check_schema(const Node& node) {
  const std::string version = node.text("schema");
  char* end = nullptr;
  const long major = std::strtol(version.c_str(), &end, 10);
  if (end == version.c_str() || *end != '.' || major < 1) {
    node.at("schema").fail(
        fmt::format("\"{}\" is not a version like \"{}\"", version, schema_text));
  }
  if (major > schema_major) {
    node.at("schema").fail(
        fmt::format("version {} is newer than {}, which this program reads; "
                    "use a newer hpclab",
                    version, schema_text));
  }
}

Figure figure_from(const Node& node) {
  node.check_keys({"value", "interval95", "status", "source", "conditions"});
  Figure figure;
  if (!node.has("value")) node.fail("key \"value\" is missing");
  figure.value = node.at("value").number();
  figure.status = node.choice<FigureStatus>(
      "status", {FigureStatus::published, FigureStatus::measured, FigureStatus::derived});
  figure.source = node.text("source");
  if (node.has("conditions")) figure.conditions = node.text("conditions");
  if (node.has("interval95")) {
    const Node interval = node.at("interval95");
    if (!interval.json.is_array() || interval.json.size() != 2 || !interval.json[0].is_number() ||
        !interval.json[1].is_number()) {
      interval.fail("two numbers [lower, upper] are expected");
    }
    figure.interval95 = {{interval.json[0].get<double>(), interval.json[1].get<double>()}};
  }
  return figure;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  if (!file || std::filesystem::is_directory(path) || !(content << file.rdbuf())) {
    throw UsageError(fmt::format("cannot read the machine profile {}", path.string()));
  }
  return content.str();
}

}  // namespace

MachineProfile profile_from_json(const Json& json, const std::string& origin) {
  const Node root{json, origin, ""};
  if (!json.is_object()) root.fail("a machine profile is a JSON object");
  check_schema(root);  // before the keys: a newer schema may have more of them
  root.check_keys({"schema", "name", "kind", "description", "figures"});
  MachineProfile profile;
  profile.name = root.text("name");
  if (profile.name.empty() || profile.name.find_first_not_of(
                                  "abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos) {
    root.at("name").fail("a name of lower-case letters, digits and hyphens is expected");
  }
  profile.kind = root.choice<MachineKind>("kind", {MachineKind::cpu, MachineKind::gpu});
  profile.description = root.text("description");
  if (!root.has("figures")) root.fail("key \"figures\" is missing");
  const Node groups = root.at("figures");
  groups.check_keys(profile_groups());
  for (const auto& [group_name, unused_group] : groups.json.items()) {
    const Node group = groups.at(group_name);
    group.check_keys(profile_figure_names(group_name));
    for (const auto& [figure_name, unused_figure] : group.json.items()) {
      const Node figure = group.at(figure_name);
      try {
        profile.set(group_name, figure_name, figure_from(figure));
      } catch (const UsageError& error) {
        if (std::string_view(error.what()).substr(0, origin.size()) == origin) throw;
        figure.fail(error.what());
      }
    }
  }
  return profile;
}

Json profile_to_json(const MachineProfile& profile) {
  Json json;
  json["schema"] = schema_text;
  json["name"] = profile.name;
  json["kind"] = name_of(profile.kind);
  json["description"] = profile.description;
  Json& groups = json["figures"] = Json::object();
  for (const std::string& group : profile_groups()) {
    for (const std::string& figure_name : profile_figure_names(group)) {
      const Figure* figure = profile.find(group, figure_name);
      if (!figure) continue;
      Json& entry = groups[group][figure_name];
      entry["value"] = figure->value;
      if (figure->interval95) entry["interval95"] = *figure->interval95;
      entry["status"] = name_of(figure->status);
      entry["source"] = figure->source;
      if (!figure->conditions.empty()) entry["conditions"] = figure->conditions;
    }
  }
  return json;
}

MachineProfile read_profile(const std::filesystem::path& path) {
  const std::string content = read_file(path);
  Json json;
  try {
    json = Json::parse(content);
  } catch (const Json::parse_error& error) {
    throw UsageError(fmt::format("{}: not valid JSON: {}", path.string(), error.what()));
  }
  MachineProfile profile = profile_from_json(json, path.string());
  profile.file = path;
  profile.sha256 = sha256_hex(content);
  return profile;
}

void write_profile(const MachineProfile& profile, const std::filesystem::path& path) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path unfinished = path;
  unfinished += fmt::format(".{}.part", getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file << profile_to_json(profile).dump(2) << '\n';
  file.close();
  if (file) std::filesystem::rename(unfinished, path, error);
  if (!file || error) {
    std::filesystem::remove(unfinished, error);
    throw UsageError(
        fmt::format("cannot write the machine profile {}; is its folder writable?", path.string()));
  }
}

std::string update_profile(const std::filesystem::path& path, MachineProfile fresh) {
  fresh.name = profile_name_from(path.stem().string());
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    write_profile(fresh, path);
    return "Saved profile: " + path.string();
  }
  MachineProfile profile = read_profile(path);
  if (profile.kind != fresh.kind) {
    throw UsageError(
        fmt::format("'{}' is the profile of another kind of machine; give another --save-machine",
                    path.string()));
  }
  for (const auto& [group, figures] : fresh.figures()) {
    for (const auto& [name, figure] : figures) profile.set(group, name, figure);
  }
  write_profile(profile, path);
  return "Updated profile: " + path.string();
}

}  // namespace hpclab::machine
