// hpclab: SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"

#include <string>

namespace hpclab::test {

/// The message of the UsageError that `function` throws; "" when it throws none. Others pass.
template <class Function>
std::string usage_error_of(Function function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace hpclab::test
