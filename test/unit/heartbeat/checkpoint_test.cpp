// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/context.hpp"
#include "core/error.hpp"
#include "heartbeat/checkpoint/parameters.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace hpclab;
using namespace hpclab::heartbeat::checkpoint;

TEST_CASE("is the exact interval the maximum of the efficiency?") {
  for (const double mtbf : {1e2, 1e4, 1e9}) {
    for (const double ratio : {1e-9, 1e-4, 0.1, 3.0}) {
      const Costs costs{mtbf, ratio * mtbf, 7, 3};
      const double best = exact_interval_s(costs);
      const double at_best = efficiency(costs, best);
      CHECK(at_best >= efficiency(costs, best * 1.01));
      CHECK(at_best >= efficiency(costs, best * 0.99));
    }
  }
}

TEST_CASE("do Young's and Daly's intervals approach the exact one for cheap checkpoints?") {
  const Costs costs{1e6, 1, 0, 0};
  CHECK(young_interval_s(costs) == Catch::Approx(exact_interval_s(costs)).epsilon(1e-3));
  CHECK(daly_interval_s(costs) == Catch::Approx(exact_interval_s(costs)).epsilon(1e-6));
  CHECK(daly_interval_s({10, 25, 0, 0}) == 10);
}

TEST_CASE("is the closed form refused for failures that are not exponential?") {
  Parameters p;
  p.weibull_shape = 0.7;
  Context context;
  CHECK_THROWS_AS(model(p, context), CaseFailed);
  CHECK(*simulate(p, context).value("efficiency_ratio") > 0.5);
}

TEST_CASE("does the simulation agree with the closed form within four standard errors?") {
  for (const double mtbf : {1000.0, 5000.0, 86400.0}) {
    Parameters p;
    p.mtbf_s = mtbf;
    p.detection_s = 20;
    p.restart_s = 100;
    p.segments = 100'000;
    Context context;
    const Result simulated = simulate(p, context);
    const double error =
        (simulated.interval("efficiency_ratio")->second - *simulated.value("efficiency_ratio")) /
        1.96;
    CHECK(std::abs(*simulated.value("efficiency_ratio") -
                   *model(p, context).value("efficiency_ratio")) < 4 * error);
  }
}
