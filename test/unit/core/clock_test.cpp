// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/clock.hpp"

#include "core/stop_token.hpp"
#include "support/catch.hpp"

#include <csignal>

using namespace hpclab;

TEST_CASE("the clock never runs backwards and shows steps below a millisecond") {
  std::int64_t last = now_ns();
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t now = now_ns();
    REQUIRE(now >= last);
    last = now;
  }
  CHECK(now_s() >= 0.0);
  CHECK(clock_resolution_s() >= 1e-9);
}

TEST_CASE("thread CPU time advances with work") {
  const double begin_s = thread_cpu_s();
  volatile double sink = 0.0;
  while (thread_cpu_s() == begin_s) sink = sink + 1.0;
  CHECK(thread_cpu_s() > begin_s);
}

TEST_CASE("ticks count upwards at a positive rate, with or without an invariant counter") {
  const TickClock clock(0.001);
  const std::uint64_t begin = clock.ticks();
  const std::uint64_t end = clock.ticks();
  CHECK(clock.ticks_per_s() > 0.0);
  CHECK(clock.seconds(begin, end) >= 0.0);
  if (!clock.counter_is_invariant()) CHECK(clock.ticks_per_s() == Catch::Approx(1e9));
}

TEST_CASE("a stop request reaches every copy of its token and no default token") {
  StopSource source;
  const StopToken token = source.token();
  const StopToken copy = token;
  CHECK(!copy.stop_requested());
  source.request_stop();
  CHECK(copy.stop_requested());
  CHECK_THROWS_AS(token.throw_if_requested(), Interrupted);
  CHECK(!StopToken().stop_requested());
}

TEST_CASE("does the first SIGINT set the flag instead of ending the program") {
  const StopToken token = stop_on_signals();
  REQUIRE(!token.stop_requested());
  std::raise(SIGINT);
  CHECK(token.stop_requested());
}
