// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Times of day as traces write them.
#pragma once

#include <string>
#include <string_view>

namespace hpclab::kvcache::requests {

/// Seconds from 1970-01-01 00:00:00 to "2023-11-16 18:17:03.9799600" (fraction optional, 'T' for
/// the blank, a trailing 'Z' or "+00:00" allowed: times are UTC). UsageError "where: ..." for any
/// other text and for dates that the Gregorian calendar does not have.
double calendar_seconds(std::string_view text, const std::string& where);

}  // namespace hpclab::kvcache::requests
