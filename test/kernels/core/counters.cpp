// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/counters.hpp"

#include "core/error.hpp"
#include "cuda/core/driver_state.hpp"
#include "kernels/support.hpp"

#include <algorithm>
#include <iostream>

using namespace hpclab;
using namespace hpclab::cuda;

namespace {

/// CUPTI, or null after saying why there is none.
std::unique_ptr<Counters> counters_or_skip() {
  try {
    return load_counters();
  } catch (const NotAvailable& missing) {
    std::cerr << "skipped: " << missing.what() << "\n";
    return nullptr;
  }
}

template <class Call>
std::string usage_error_of(Call call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

}  // namespace

TEST_CASE("counters: are H200 and A100 among the chips, without a driver?") {
  const auto counters = counters_or_skip();
  if (!counters) return;
  const std::vector<std::string> chips = counters->chips();
  for (const char* chip : {"GH100", "GA100"})
    CHECK(std::find(chips.begin(), chips.end(), chip) != chips.end());
}

TEST_CASE("counters: do the metric sets take the known number of passes on GH100 and GA100?") {
  const auto counters = counters_or_skip();
  if (!counters) return;
  for (const char* chip : {"GH100", "GA100"}) {
    const auto passes = [&](const char* set) {
      return counters->configure(chip, find_metric_set(set).metrics)->passes();
    };
    INFO(chip);
    CHECK(find_metric_set("roofline").metrics.size() == 9);
    // CUPTI 13.0: bytes of device memory fit one pass, the nine of a roofline take three.
    CHECK(passes("dram") == 1);
    CHECK(passes("roofline") == 3);
    CHECK(passes("l2") == 2);
    CHECK(passes("shared") == 1);
    CHECK(passes("flops") == 1);
  }
}

TEST_CASE("counters: does a misspelt metric, ending or chip name the nearest?") {
  const auto counters = counters_or_skip();
  if (!counters) return;
  const auto configure = [&](const char* chip, const char* metric) {
    return usage_error_of([&] { counters->configure(chip, {"dram__bytes_write.sum", metric}); });
  };
  CHECK(test::contains(configure("GH100", "dram__bytes_raed.sum"), "'dram__bytes_raed.sum'"));
  CHECK(test::contains(configure("GH100", "dram__bytes_raed.sum"),
                       "did you mean 'dram__bytes_read'"));
  CHECK(test::contains(configure("GH100", "dram__bytes_read.sun"), "did you mean '.sum'"));
  CHECK(test::contains(configure("GH10O", "dram__bytes_read.sum"), "did you mean 'GH100'"));
}

TEST_CASE("counters: does an unknown metric set name the nearest?") {
  CHECK(test::contains(usage_error_of([] { find_metric_set("rofline"); }),
                       "did you mean 'roofline'"));
}

TEST_CASE("counters: is a missing CUPTI not available, with the library and the mend?") {
  try {
    load_counters("libhpclab-no-such-cupti.so.1");
    FAIL("the library exists after all");
  } catch (const NotAvailable& error) {
    CHECK(error.code() == ExitCode::unavailable);
    CHECK_FALSE(error.mend().empty());
  }
}

TEST_CASE("counters: does counting without a device say so instead of crashing?") {
  const auto counters = counters_or_skip();
  if (!counters || query_driver_state().condition == DriverCondition::available) return;
  const auto configuration = counters->configure("GH100", find_metric_set("dram").metrics);
  bool ran = false;
  CHECK_THROWS_AS(configuration->count([&] { ran = true; }), NotAvailable);
  CHECK_FALSE(ran);
}

TEST_CASE("counters: are flops and bytes summed with the weights of their instructions?") {
  const auto instruction = [](const char* name) {
    return "smsp__sass_thread_inst_executed_op_" + std::string(name) + "_pred_on.sum";
  };
  CHECK(flops_of({}) == 0.0);
  CHECK(flops_of({{instruction("dadd"), 5}, {instruction("dfma"), 7}}) == 19.0);
  CHECK(flops_of({{instruction("fmul"), 3}, {instruction("hfma"), 2}, {instruction("hadd"), 1}}) ==
        13.0);
  CHECK(dram_bytes_of({{"dram__bytes_read.sum", 3e9}, {"dram__bytes_write.sum", 1e9}}) == 4e9);
}

TEST_CASE("counters: is the permission read from the driver's parameters?") {
  CHECK(counters_permitted("ResmanDebugLevel: 4\nRmProfilingAdminOnly: 0\n", false));
  CHECK_FALSE(counters_permitted("ResmanDebugLevel: 4\nRmProfilingAdminOnly: 1\n", false));
  CHECK(counters_permitted("RmProfilingAdminOnly: 1\n", true));
  CHECK(counters_permitted("EnableMSI: 1\n", false));
}

TEST_CASE("counters: does the state of this machine agree with library and driver?") {
  const CounterState state = query_counter_state();
  if (state.condition == CounterCondition::available) return;
  CHECK_FALSE(state.reason.empty());
  CHECK_FALSE(state.mend.empty());
  if (state.condition == CounterCondition::no_driver)
    CHECK(state.reason == query_driver_state().reason);
}
