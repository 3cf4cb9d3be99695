// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "heartbeat/lint/timers.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace hpclab;
using namespace hpclab::heartbeat::lint;

TEST_CASE("are the shipped timers in order, and a hierarchy that works too?") {
  CHECK(check(Timers{}).empty());
  Timers timers;
  timers.process_group_timeout_s = 120;
  timers.train_step_timeout_s = 200;
  timers.init_timeout_s = 300;
  timers.watchdog_timeout_s = 1800;
  CHECK(check(timers).empty());
  CHECK(ordered(timers).front().seconds == 1);
  CHECK(ordered(timers).back().name == "watchdog_timeout_s");
}

TEST_CASE("are equal timers flagged with the race that they cause?") {
  Timers timers;
  timers.heartbeat_timeout_s = timers.process_group_timeout_s;
  const auto found = check(timers);
  REQUIRE(found.size() == 1);
  CHECK(found[0].fault == Fault::equal);
  CHECK(found[0].consequence.find("133028") != std::string::npos);
}

TEST_CASE("is every inverted or too close pair flagged?") {
  Timers timers;
  timers.train_step_timeout_s = 300;  // below the process group's 600 s
  timers.init_timeout_s = 300;        // equal to the step's, below the process group's
  timers.longest_pause_s = 500;       // beyond the heartbeat timeout
  timers.heartbeat_period_s = 300;    // less than half of it
  const auto found = check(timers);
  const auto count = [&](Fault fault) {
    return std::count_if(found.begin(), found.end(),
                         [&](const Finding& f) { return f.fault == fault; });
  };
  CHECK(count(Fault::inverted) == 3);
  CHECK(count(Fault::equal) == 1);
  CHECK(count(Fault::close) == 1);
  timers.dump_wait_s = -1;
  CHECK_THROWS_AS(check(timers), UsageError);
}
