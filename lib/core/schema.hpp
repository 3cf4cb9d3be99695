// hpclab: SPDX-License-Identifier: Apache-2.0
//
// JSON Schema (draft 2020-12) of configuration files, generated from the parameter tables.
#pragma once

#include "core/registry.hpp"

#include <nlohmann/json.hpp>

namespace hpclab {

/// Schema of one study's configuration file.
Json config_schema(const Study& study);

/// Schema of a run file: {"experiments": [...]} over all studies.
Json run_schema(const Registry& registry);

}  // namespace hpclab
