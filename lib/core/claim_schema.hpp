// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json.hpp"

namespace hpclab {

/// JSON Schema (2020-12) of claims files, for editors. The reader checks more: names of the study,
/// lengths of lists, figures that suit their tolerance.
Json claims_schema();

}  // namespace hpclab
