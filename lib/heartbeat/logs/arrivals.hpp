// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Recorded arrivals of heartbeats: seconds, one a line, or time and sequence number.
#pragma once

#include "formats/line_reader.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::heartbeat::logs {

struct Arrival {
  double time_s = 0;
  std::int64_t sequence = 0;
};

/// UsageError "file:line: ..." for text where a number belongs, times that go back, more than two
/// fields, and fewer than three arrivals. One header line is allowed.
std::vector<Arrival> read_arrivals(formats::LineReader& lines);

}  // namespace hpclab::heartbeat::logs
