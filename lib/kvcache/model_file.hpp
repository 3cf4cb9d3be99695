// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Where model descriptions come from: a name shipped in configs/models, a config.json, the folder
// of a checkpoint, a GGUF file, or one of our own description files (configs/models/README.md).
#pragma once

#include "kvcache/model_description.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace hpclab::kvcache {

/// Folders searched for names, in this order; a test passes its own.
struct ModelFolders {
  std::filesystem::path user;     ///< models/ beside the user's machine profiles
  std::filesystem::path shipped;  ///< configs/models
};
ModelFolders model_folders();

/// Names that find_model() knows, sorted, each once.
std::vector<std::string> model_names(const ModelFolders& folders = model_folders());

/// The file that a name or path means; a checkpoint's folder means its config.json. UsageError with
/// the nearest name, or saying what the folder lacks.
std::filesystem::path find_model(const std::string& name_or_path,
                                 const ModelFolders& folders = model_folders());

/// Every model of a folder: description files, config.json and GGUF files in it and in the folders
/// directly below, sorted. UsageError when there is none.
std::vector<std::filesystem::path> models_in(const std::filesystem::path& folder);
/// Whether the path is a folder that is no checkpoint itself.
bool is_collection(const std::filesystem::path& path);

/// The description of a file that find_model() returned. Weight bytes are those of an index or
/// headers beside a config.json, where there are any. UsageError.
ModelDescription read_model(const std::filesystem::path& file);

/// Replaces the weight bytes by those that a *.safetensors.index.json, a *.safetensors header or a
/// GGUF header states. UsageError.
void read_weight_bytes(ModelDescription& model, const std::filesystem::path& file);

}  // namespace hpclab::kvcache
