// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What `hpclab LAB STUDY` runs when no parameters are given.
#pragma once

#include "core/experiment.hpp"
#include "hpclab/program.hpp"
#include "hpclab/verb.hpp"

#include <string>
#include <vector>

namespace hpclab::app {

struct DefaultRun {
  /// Marked as from_defaults. Those with backends of their own keep them.
  std::vector<Experiment> experiments;
  std::string words;  ///< says what runs; empty when there is nothing to say
};

/// The study's default experiments suit the first of its backends. For a backend (--backend) or a
/// machine profile (--machine) of another kind the shipped configuration LAB/STUDY-BACKEND.json or
/// LAB/STUDY-FAMILY.json takes their place, where there is one.
DefaultRun default_run(const Program& program, const Study& study, const Arguments& arguments);

}  // namespace hpclab::app
