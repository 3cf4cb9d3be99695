// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A number with the range that it is expected in, and how it is known.
#pragma once

#include <string>
#include <utility>

namespace hpclab::kvcache {

/// `low` and `high` bound the middle 95 % of what such numbers were seen to be; equal to `value`
/// where it is exact.
struct Estimate {
  double value = 0;
  double low = 0;
  double high = 0;
  std::string how;  ///< "config", "index", "driver", "estimate", "log"

  static Estimate exact(double bytes, std::string known_by) {
    return {bytes, bytes, bytes, std::move(known_by)};
  }
  static Estimate between(double bytes, double below, double above, std::string known_by) {
    return {bytes, bytes * below, bytes * above, std::move(known_by)};
  }
};

}  // namespace hpclab::kvcache
