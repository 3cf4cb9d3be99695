// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace hpclab;

TEST_CASE("context: is a random stream the same for seed and purpose, and another otherwise?") {
  Context context;
  context.seed = 5;
  const auto first = [](RandomStream stream) { return stream.uniform(); };
  CHECK(first(context.random("arrivals")) == first(context.random("arrivals")));
  CHECK(first(context.random("arrivals")) != first(context.random("sizes")));
  Context other;
  other.seed = 6;
  CHECK(first(context.random("arrivals")) != first(other.random("arrivals")));
  other.seed = 5;
  CHECK(first(context.random("arrivals")) == first(other.random("arrivals")));
}

TEST_CASE("context: does collect follow the context's rule and stop token?") {
  Context context;
  context.sampler.stopping_rule = "count:12";
  context.sampler.warm_up_samples = 0;
  context.sampler.watch_thread = false;
  int calls = 0;
  const SampleSet set = context.collect([&] {
    ++calls;
    return 2.0;
  });
  CHECK(set.count == 12);
  CHECK(calls == 12);
  CHECK(set.median_s == 2.0);
  StopSource source;
  context.sampler.stop = source.token();
  source.request_stop();
  CHECK_THROWS_AS(context.collect([] { return 1.0; }), Interrupted);
}

TEST_CASE("stop token: does a default token never stop, and do copies share the flag?") {
  CHECK_FALSE(StopToken().stop_requested());
  CHECK_NOTHROW(StopToken().throw_if_requested());
  StopSource source;
  const StopToken token = source.token();
  const StopToken copy = token;
  CHECK_FALSE(copy.stop_requested());
  source.request_stop();
  CHECK(copy.stop_requested());
  CHECK(token.stop_requested());
  CHECK_THROWS_AS(copy.throw_if_requested(), Interrupted);
}
