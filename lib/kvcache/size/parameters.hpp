// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab kvcache size`.
#pragma once

#include "core/parameter.hpp"
#include "kvcache/deployment_parameters.hpp"

namespace hpclab::kvcache::size {

struct Parameters : DeploymentParameters {};

const ParameterTable<Parameters>& parameter_table();

}  // namespace hpclab::kvcache::size
