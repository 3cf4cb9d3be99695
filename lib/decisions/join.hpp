// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Pairs of cases of two sides that are the same but for who measured them.
#pragma once

#include "decisions/side.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hpclab::decisions {

struct Join {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;  ///< in the order of A
  std::vector<std::uint32_t> only_a;
  std::vector<std::uint32_t> only_b;
};

/// Pairs by case id first; what is left, and everything where parameters are ignored, by study,
/// method, backend and parameters without the ignored ones, whatever the seed. Throws UsageError
/// when nothing pairs: it names the parameters in which the nearest two cases differ.
Join join_cases(const Side& a, const Side& b, const std::vector<std::string>& ignored);

}  // namespace hpclab::decisions
