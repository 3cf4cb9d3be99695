// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Parameters of `hpclab roofline import`.
#pragma once

#include "core/parameter.hpp"
#include "roofline/import/log.hpp"

#include <filesystem>
#include <string>

namespace hpclab::roofline::import {

struct Parameters {
  std::filesystem::path file;
  std::string format = "auto";
  Launches launches = Launches::together;
  std::string point;  ///< name of a point of the file
};

const ParameterTable<Parameters>& parameter_table();

}  // namespace hpclab::roofline::import
