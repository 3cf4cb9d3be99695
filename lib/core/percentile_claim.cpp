// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/percentile_claim.hpp"

#include <cmath>
#include <stdexcept>

#include <boost/math/special_functions/beta.hpp>

namespace hpclab {
namespace {

void require_share(double share, const char* what) {
  if (!(share > 0.0 && share < 1.0)) throw std::invalid_argument(what);
}

// Chance of `failures` or fewer failures among `samples` when the true share of good ones is only
// `percentile`.
double chance_of_luck(std::size_t samples, std::size_t failures, double percentile) {
  return boost::math::ibeta(static_cast<double>(samples - failures),
                            static_cast<double>(failures + 1), percentile);
}

}  // namespace

std::size_t samples_for_percentile(double percentile, double confidence, std::size_t failures) {
  require_share(percentile, "percentile outside (0, 1)");
  require_share(confidence, "confidence outside (0, 1)");
  const double risk = 1.0 - confidence;
  if (failures == 0) {
    const double exact = std::log1p(-confidence) / std::log(percentile);
    return static_cast<std::size_t>(std::ceil(exact));
  }
  // The chance falls as samples are added: bracket, then bisect.
  std::size_t too_few = failures;
  std::size_t enough = failures + 1;
  while (chance_of_luck(enough, failures, percentile) > risk) {
    too_few = enough;
    enough *= 2;
  }
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (chance_of_luck(middle, failures, percentile) > risk ? too_few : enough) = middle;
  }
  return enough;
}

long long failures_allowed(std::size_t samples, double percentile, double confidence) {
  if (samples < samples_for_percentile(percentile, confidence)) return -1;
  const double risk = 1.0 - confidence;
  std::size_t allowed = 0;
  std::size_t too_many = samples;
  while (too_many - allowed > 1) {
    const std::size_t middle = allowed + (too_many - allowed) / 2;
    (chance_of_luck(samples, middle, percentile) <= risk ? allowed : too_many) = middle;
  }
  return static_cast<long long>(allowed);
}

}  // namespace hpclab
