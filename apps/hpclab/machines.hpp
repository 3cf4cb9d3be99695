// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Machine profiles as cases refer to them.
#pragma once

#include "core/case.hpp"

#include <string>

namespace hpclab::app {

/// A profile by name or file; the empty name is the default one, `this-cpu` this processor.
MachineReference find_machine(const std::string& name);

/// One of the shipped profiles, even where this host has saved another of that name.
MachineReference shipped_machine(const std::string& name);

}  // namespace hpclab::app
