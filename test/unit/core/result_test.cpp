// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/result.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"

#include <limits>
#include <stdexcept>

using namespace hpclab;
using namespace hpclab::test;

TEST_CASE("result: is a number that is not finite refused wherever it may enter?") {
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    Result result;
    CHECK(contains(error_of([&] { result.set_value("time_s", bad); }), "time_s is not finite"));
    CHECK_THROWS_AS(result.set_value("time_s", bad), CaseFailed);
    CHECK_THROWS_AS(result.set_interval("time_s", bad, 1), CaseFailed);
    CHECK(contains(error_of([&] { result.set_interval("time_s", 0, bad); }),
                   "upper bound of time_s"));
    CHECK_THROWS_AS(result.set_work("flops", bad), CaseFailed);
    CHECK_THROWS_AS(result.set_samples("time_s", {1, bad}), CaseFailed);
    CHECK_THROWS_AS(result.set_table("t", {{"x"}, {"s"}, {{bad}}}), CaseFailed);
    CHECK(result.values().empty());
    CHECK(result.samples().empty());
    CHECK(result.tables().empty());
    CHECK(result.work().empty());
    CHECK_FALSE(result.interval("time_s"));
  }
}

TEST_CASE("result: must a table have one unit a column and one cell a column in every row?") {
  Result result;
  CHECK_THROWS_AS(result.set_table("t", {{"x", "y"}, {"s"}, {}}), std::logic_error);
  CHECK_THROWS_AS(result.set_table("t", {{"x", "y"}, {"s", ""}, {{1, 2}, {3}}}), std::logic_error);
  CHECK(result.tables().empty());
  result.set_table("levels",
                   {{"level", "bandwidth"}, {"", "B/s"}, {{"l1", 1e11}, {"dram", nullptr}}});
  CHECK(result.tables()["levels"] ==
        Json{{"columns", {"level", "bandwidth"}},
             {"units", {"", "B/s"}},
             {"rows", Json::array({Json::array({"l1", 1e11}), Json::array({"dram", nullptr})})}});
  result.set_table("empty", {{"only"}, {""}, {}});
  CHECK(result.tables()["empty"]["rows"].is_array());
  CHECK(result.tables()["empty"]["columns"] == Json::array({"only"}));
}

TEST_CASE("result: is everything set found again?") {
  Result result;
  result.set_value("time_s", 2, 1, 3);
  result.set_value("time_s", 2.5);
  result.set_text("bound", "dram");
  result.set_samples("time_s", {2, 3});
  result.set_work("flops", 64);
  result.add_note("throttled");
  result.add_file("a.json", "00ff");
  CHECK(result.value("time_s") == 2.5);
  CHECK(result.interval("time_s") == std::pair(1., 3.));
  CHECK_FALSE(result.value("time"));
  CHECK(result.text()["bound"] == "dram");
  CHECK(result.samples()["time_s"] == Json::array({2., 3.}));
  CHECK(result.work()["flops"] == 64);
  CHECK(result.notes() == std::vector<std::string>{"throttled"});
  CHECK(result.files() == Json::array({{{"path", "a.json"}, {"sha256", "00ff"}}}));
}
