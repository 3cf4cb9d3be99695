// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A model description from the config.json that Hugging Face checkpoints carry. Only architectures
// whose cache layout is known are read; others are refused, because which layers keep what cannot
// be told from sizes alone.
#pragma once

#include "core/json.hpp"
#include "kvcache/model_description.hpp"

#include <string>
#include <vector>

namespace hpclab::kvcache {

/// The description. `origin` names the file in messages and, without folder and suffix, the model.
/// UsageError: unknown architecture (with the nearest known one and the keys that decide a layout),
/// keys that the architecture needs and that are missing (all of them), wrong types (JSON pointer),
/// sizes that contradict each other.
ModelDescription model_from_config(const Json& config, const std::string& origin);

/// Values of model_type that model_from_config() reads, sorted.
std::vector<std::string> known_architectures();

/// How quantised weights are stored, from quantization_config; nothing quantised when it is absent.
/// UsageError for a method that is not known.
Quantization quantization_from_config(const Json& config, const std::string& origin);

}  // namespace hpclab::kvcache
