// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/model_file.hpp"

#include "core/error.hpp"
#include "core/json_file.hpp"
#include "core/nearest_name.hpp"
#include "kvcache/config_keys.hpp"
#include "kvcache/gguf.hpp"
#include "kvcache/hugging_face_config.hpp"
#include "kvcache/safetensors.hpp"
#include "machine/profile_search.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::kvcache {
namespace {

namespace fs = std::filesystem;

constexpr const char* index_name = "model.safetensors.index.json";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Files of a folder with this suffix, sorted.
std::vector<fs::path> files_in(const fs::path& folder, const std::string& suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_file(entry.path()) && entry.path().filename().string().ends_with(suffix)) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A file of ours holds the configuration of a model beside where it comes from.
ModelDescription read_own(const Json& json, const fs::path& file) {
  const std::string where = file.string();
  require_known_keys(json, {"schema", "name", "description", "source", "config", "weights"}, where,
                     "");
  const ConfigKeys keys(json, where, "");
  if (const std::string schema = keys.text("schema", ""); !schema.starts_with("1.")) {
    keys.fail("schema", fmt::format("'{}' is no version that this program reads (1.x)", schema));
  }
  ModelDescription model = model_from_config(json["config"], where);
  model.name = keys.text("name", file.stem().string());
  model.source = keys.text("source", "");
  if (const auto weights = keys.object("weights")) {
    require_known_keys(weights->json(), {"bytes", "source"}, where, "/weights");
    model.stated_weight_bytes = weights->integer("bytes", 0);
    model.weight_source = weights->text("source", "");
    if (*model.stated_weight_bytes == 0) weights->fail("bytes", "0 is no size");
  }
  return model;
}

}  // namespace

ModelFolders model_folders() {
  const machine::ProfileFolders profiles = machine::profile_folders();
  ModelFolders folders;
  if (!profiles.user.empty()) folders.user = profiles.user / "models";
  if (!profiles.shipped.empty()) folders.shipped = profiles.shipped.parent_path() / "models";
  return folders;
}

std::vector<std::string> model_names(const ModelFolders& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : {folders.user, folders.shipped}) {
    if (folder.empty()) continue;
    for (const fs::path& file : files_in(folder, ".json")) names.insert(file.stem().string());
  }
  return {names.begin(), names.end()};
}

bool is_collection(const fs::path& path) {
  return is_folder(path) && !is_file(path / "config.json");
}

std::vector<fs::path> models_in(const fs::path& folder) {
  std::vector<fs::path> models;
  std::vector<fs::path> folders{folder};
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (is_folder(entry.path())) folders.push_back(entry.path());
  }
  for (const fs::path& place : folders) {
    if (is_file(place / "config.json")) {
      models.push_back(place / "config.json");
      continue;
    }
    for (const fs::path& file : files_in(place, ".json")) models.push_back(file);
    for (const fs::path& file : files_in(place, ".gguf")) models.push_back(file);
  }
  if (models.empty()) {
    throw UsageError(
        fmt::format("{}: no model in this folder (config.json, *.json descriptions or *.gguf)",
                    folder.string()));
  }
  std::sort(models.begin(), models.end());
  return models;
}

fs::path find_model(const std::string& name_or_path, const ModelFolders& folders) {
  const bool path_like = name_or_path.find('/') != std::string::npos ||
                         name_or_path.ends_with(".json") || name_or_path.ends_with(".gguf");
  if (!path_like) {
    for (const fs::path& folder : {folders.user, folders.shipped}) {
      const fs::path path = folder.empty() ? fs::path() : folder / (name_or_path + ".json");
      if (is_file(path)) return path;
    }
    if (!is_folder(name_or_path)) {
      throw UsageError(
          fmt::format("unknown model '{}'{}; or give a config.json, the folder of a "
                      "checkpoint or a GGUF file",
                      name_or_path, suggestion(name_or_path, model_names(folders))));
    }
  }
  const fs::path path = name_or_path;
  if (is_folder(path)) {
    if (is_file(path / "config.json")) return path / "config.json";
    const std::vector<fs::path> headers = files_in(path, ".gguf");
    if (headers.size() == 1) return headers.front();
    throw UsageError(fmt::format("{}: the folder holds no config.json and {} GGUF files",
                                 name_or_path, headers.size()));
  }
  if (!is_file(path)) throw UsageError(fmt::format("{}: no such model file", name_or_path));
  return path;
}

ModelDescription read_model(const fs::path& file) {
  if (file.extension() == ".gguf") return read_gguf(file);
  const Json json = read_json_file(file);
  if (json.is_object() && json.contains("config") && json.contains("schema")) {
    return read_own(json, file);
  }
  ModelDescription model = model_from_config(json, file.string());
  const fs::path folder = file.parent_path();
  if (is_file(folder / index_name)) {
    read_weight_bytes(model, folder / index_name);
  } else if (is_file(folder / "model.safetensors")) {
    read_weight_bytes(model, folder / "model.safetensors");
  }
  return model;
}

void read_weight_bytes(ModelDescription& model, const fs::path& file) {
  if (file.extension() == ".gguf") {
    model.stated_weight_bytes = read_gguf(file).stated_weight_bytes;
  } else if (file.filename().string().ends_with(".index.json")) {
    model.stated_weight_bytes = index_weight_bytes(file);
  } else {
    model.stated_weight_bytes = safetensors_weight_bytes(file);
  }
  model.weight_source = file.filename().string();
}

}  // namespace hpclab::kvcache
