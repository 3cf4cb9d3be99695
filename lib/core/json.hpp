// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The JSON type of the project: object keys keep their order, so that records and configs read
// well. Headers include this one (declarations only); sources that build or read values include
// <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace hpclab {

using Json = nlohmann::ordered_json;

}  // namespace hpclab
