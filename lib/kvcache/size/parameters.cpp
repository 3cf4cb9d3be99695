// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/size/parameters.hpp"

namespace hpclab::kvcache::size {

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = [] {
    ParameterTable<Parameters> made;
    add_deployment_parameters(made);
    return made;
  }();
  return table;
}

}  // namespace hpclab::kvcache::size
