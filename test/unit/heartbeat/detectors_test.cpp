// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/random_stream.hpp"
#include "heartbeat/detector/chen.hpp"
#include "heartbeat/detector/online_optimum.hpp"
#include "heartbeat/detector/phi_accrual.hpp"
#include "heartbeat/detector/presets.hpp"
#include "heartbeat/detector/swim.hpp"
#include "heartbeat/detector/timeout_detectors.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>

using namespace hpclab;
using namespace hpclab::heartbeat;
using hpclab::test::usage_error_of;

namespace {

constexpr Nanoseconds s = 1'000'000'000;

void beat_steadily(Detector& detector, int count, Nanoseconds period = s) {
  for (int i = 0; i < count; ++i) detector.on_heartbeat({i * period, i});
}

}  // namespace

TEST_CASE("does a fixed timeout fail a sender exactly when it was silent that long?") {
  FixedTimeout detector(100);
  detector.on_heartbeat({50, 0});
  CHECK(detector.on_tick(149) == Verdict::trusted);
  CHECK(detector.on_tick(150) == Verdict::failed);
  detector.on_heartbeat({160, 1});
  CHECK(detector.on_tick(200) == Verdict::trusted);
  CHECK_THROWS_AS(FixedTimeout(0), std::invalid_argument);
}

TEST_CASE("does a polled timeout wait for the next look?") {
  FixedTimeout detector(25, 10);
  detector.on_heartbeat({3, 0});
  CHECK(detector.next_deadline() == 30);
  detector.on_heartbeat({5, 1});
  CHECK(detector.next_deadline() == 30);
  detector.on_heartbeat({6, 2});
  CHECK(detector.next_deadline() == 40);
}

TEST_CASE("is a clock that steps back taken as no time passing?") {
  for (const std::string& name : detector_names()) {
    INFO(name);
    const auto detector = make_detector(name, {});
    beat_steadily(*detector, 20);
    const Nanoseconds before = detector->next_deadline();
    detector->on_heartbeat({5 * s, 20});
    CHECK(detector->next_deadline() <= later(before, s));
    // etcd's timeout is as long as the period of these heartbeats.
    if (name != "etcd-election") CHECK(detector->on_tick(20 * s - 1) != Verdict::failed);
  }
}

TEST_CASE("do phi accrual detectors convict at the published silences?") {
  // Steady heartbeats of 1 s, threshold 8, deviation 100 ms: 5.22599 deviations above mean + pause
  // (logistic), 5.612 (exact tail of the normal distribution).
  CHECK(normal_phi_quantile(8, NormalTail::logistic) == Catch::Approx(5.22599).epsilon(1e-5));
  CHECK(normal_phi_quantile(8, NormalTail::exact) == Catch::Approx(5.612).epsilon(1e-4));
  PhiAccrual akka({});
  beat_steadily(akka, 3000);
  CHECK(to_s(akka.next_deadline() - 2999 * s) == Catch::Approx(4.5226).epsilon(1e-4));
  CHECK(akka.phi(akka.next_deadline()) == Catch::Approx(8).epsilon(1e-6));
  CassandraAccrual cassandra({});
  beat_steadily(cassandra, 3000);
  CHECK(to_s(cassandra.next_deadline() - 2999 * s) == Catch::Approx(18.4207).epsilon(1e-5));
}

TEST_CASE("is phi monotonic, finite and equal to its definition in the tail?") {
  double before = -1;
  for (double y = -50; y < 200; y += 0.37) {
    for (const NormalTail tail : {NormalTail::logistic, NormalTail::exact}) {
      CHECK(std::isfinite(normal_phi(y, tail)));
    }
    CHECK(normal_phi(y, NormalTail::exact) >= before);
    before = normal_phi(y, NormalTail::exact);
  }
  // log10 of the normal tail at 40: -349.437 (asymptotic series to four terms).
  CHECK(normal_phi(40, NormalTail::exact) == Catch::Approx(349.437).epsilon(1e-5));
  for (const double threshold : {0.5, 1.0, 8.0, 16.0, 400.0}) {
    for (const NormalTail tail : {NormalTail::logistic, NormalTail::exact}) {
      CHECK(normal_phi(normal_phi_quantile(threshold, tail), tail) ==
            Catch::Approx(threshold).epsilon(1e-9));
    }
  }
}

TEST_CASE("does a window of gaps give the moments of its last entries?") {
  GapWindow window(5);
  for (const Nanoseconds gap : {100, 7, 3, 9, 4, 8, 6}) window.add(gap);
  CHECK(window.mean_ns() == Catch::Approx(6));
  CHECK(window.deviation_ns() == Catch::Approx(std::sqrt(26.0 / 5)));
}

TEST_CASE("does a paused observer suppress its verdicts for as long as the pause limit?") {
  LocalPauseGuard guarded(std::make_unique<FixedTimeout>(3 * s), s, 5 * s);
  for (int i = 0; i <= 10; ++i) {
    guarded.on_heartbeat({i * s, i});
    CHECK(guarded.on_tick(i * s) == Verdict::trusted);
  }
  CHECK(guarded.on_tick(17 * s) == Verdict::trusted);  // it was the observer that slept
  CHECK(guarded.on_tick(21 * s) == Verdict::trusted);
  CHECK(guarded.next_deadline() == 22 * s);
  CHECK(guarded.on_tick(22 * s) == Verdict::failed);
}

TEST_CASE("does Chen's detector trust between freshness points as its definition says?") {
  FreshnessPoints nfd_s(10, 4);
  CHECK(nfd_s.on_tick(3) == Verdict::trusted);
  CHECK(nfd_s.on_tick(4) == Verdict::failed);  // tau_0 = 4, heartbeat 0 has not come
  nfd_s.on_heartbeat({5, 0});
  CHECK(nfd_s.on_tick(13) == Verdict::trusted);
  CHECK(nfd_s.on_tick(14) == Verdict::failed);
  nfd_s.on_heartbeat({26, 3});
  nfd_s.on_heartbeat({27, 1});  // a late one changes nothing
  CHECK(nfd_s.next_deadline() == 44);
}

TEST_CASE("does the estimated freshness point follow the mean arrival of the last heartbeats?") {
  EstimatedFreshness nfd_e(100, 30, 2);
  nfd_e.on_heartbeat({10, 0});
  nfd_e.on_heartbeat({120, 1});
  CHECK(nfd_e.next_deadline() == (10 + 20) / 2 + 200 + 30);
  nfd_e.on_heartbeat({240, 2});
  CHECK(nfd_e.next_deadline() == (20 + 40) / 2 + 300 + 30);
  nfd_e.on_heartbeat({999, 1});
  CHECK(nfd_e.next_deadline() == 360);
}

TEST_CASE("are memberlist's suspicion timers reproduced?") {
  SwimOptions lan = swim_lan();
  lan.members = 1024;
  // Whole thousandths of log10 n, as the library computes it: 4 * 3.010 s.
  CHECK(minimum_suspicion(lan) == 12'040'000'000);
  CHECK(maximum_suspicion(lan) == 72'240'000'000);
  CHECK(expected_confirmations(lan) == 2);
  Suspicion suspicion(lan, 0, "a");
  CHECK(suspicion.deadline() == 72'240'000'000);
  CHECK_FALSE(suspicion.confirm("a"));
  CHECK(suspicion.confirm("b"));
  // 72.24 - 60.2 ln 2 / ln 3, to the millisecond below.
  CHECK(suspicion.deadline() == 34'258'000'000);
  CHECK(suspicion.confirm("c"));
  CHECK(suspicion.deadline() == 12'040'000'000);
  CHECK_FALSE(suspicion.confirm("d"));
  lan.members = 3;
  CHECK(expected_confirmations(lan) == 0);
  CHECK(Suspicion(lan, 0, "a").deadline() == 4 * s);
  CHECK(retransmissions(swim_lan()) == 4);
}

TEST_CASE("is local health clamped and does it scale by at most eight?") {
  LocalHealth health(8);
  health.probe_succeeded();
  CHECK(health.score() == 0);
  for (int i = 0; i < 20; ++i) health.probe_failed(0, 0);
  CHECK(health.score() == 7);
  CHECK(health.scaled(100) == 800);
  health.probe_failed(3, 3);
  CHECK(health.score() == 7);
  health.probe_succeeded();
  health.refuted_own_suspicion();
  CHECK(health.score() == 7);
}

TEST_CASE("does SWIM suspect before it fails, and does a heartbeat refute?") {
  SwimDetector detector(swim_lan());
  detector.on_heartbeat({0, 0});
  CHECK(detector.on_tick(1 * s) == Verdict::trusted);
  CHECK(detector.on_tick(2 * s) == Verdict::suspected);
  const auto other = detector.clone();
  detector.on_heartbeat({3 * s, 1});
  CHECK(detector.on_tick(3 * s) == Verdict::trusted);
  CHECK(other->on_tick(25 * s) == Verdict::suspected);
  CHECK(other->on_tick(26 * s) == Verdict::failed);
}

TEST_CASE("is the expected first detection that of n random probers?") {
  CHECK(expected_first_detection_periods(2) == 1);
  CHECK(expected_first_detection_periods(3) == Catch::Approx(1 / (1 - 0.25)));
  CHECK(expected_first_detection_periods(1'000'000'000) == Catch::Approx(1.58198).epsilon(1e-5));
}

TEST_CASE("does the largest-gap rule wait five times the largest gap?") {
  LargestGapTimeout detector(5, 60 * s);
  detector.on_heartbeat({0, 0});
  CHECK(detector.next_deadline() == 60 * s);
  for (int i = 1; i <= 3; ++i) detector.on_heartbeat({i * s, i});
  CHECK(detector.next_deadline() == 8 * s);
  detector.on_heartbeat({5 * s, 4});
  CHECK(detector.next_deadline() == 15 * s);
}

TEST_CASE("do all detectors keep their promise about the next deadline on random arrivals?") {
  // Between two events, on_tick before the promised deadline answers what it answered before.
  for (const std::string& name : detector_names()) {
    INFO(name);
    RandomStream random(7, name);
    DetectorSetting setting;
    setting.timeout = 3 * s;
    const auto detector = make_detector(name, setting);
    Nanoseconds now = 0;
    for (int i = 0; i < 400; ++i) {
      detector->on_heartbeat({now, i});
      const Verdict verdict = detector->on_tick(now);
      const Nanoseconds deadline = detector->next_deadline();
      const double scale = random.uniform() < 0.05 ? 20 : 1;
      const Nanoseconds next = now + 1 + to_ns(-std::log1p(-random.uniform()) * scale);
      const Nanoseconds look = std::min(next, deadline - 1);
      if (look > now && deadline > now) CHECK(detector->on_tick(look) == verdict);
      // A clone behaves like the original.
      const auto copy = detector->clone();
      CHECK(copy->on_tick(next) == detector->on_tick(next));
      now = next;
    }
    CHECK(detector->failure_deadline() >= detector->next_deadline());
  }
}

TEST_CASE("does the generalised Pareto fit recover the tail it is given?") {
  for (const double shape : {-0.3, 0.0, 0.2, 0.4}) {
    std::vector<double> excesses;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double u = 1 - (i + 0.5) / n;
      excesses.push_back(shape == 0 ? -3 * std::log(u) : 3 * (std::pow(u, -shape) - 1) / shape);
    }
    const ParetoTail tail = fit_pareto_tail(excesses);
    CHECK(tail.shape == Catch::Approx(shape).margin(0.02));
    CHECK(tail.scale == Catch::Approx(3).epsilon(0.03));
    // limited_mean is the integral of the survival.
    double sum = 0;
    for (int i = 0; i < 10000; ++i) sum += tail.survival((i + 0.5) * 1e-3) * 1e-3;
    CHECK(tail.limited_mean(10) == Catch::Approx(sum).epsilon(1e-5));
  }
}

TEST_CASE("are unknown detector names answered with the nearest one?") {
  CHECK(usage_error_of([] { make_detector("fixd", {}); }).find("fixed") != std::string::npos);
  CHECK(usage_error_of([] { find_preset("torchtf"); }).find("torchft") != std::string::npos);
  CHECK(find_preset("akka").timeout == Catch::Approx(4.5226e9).epsilon(1e-4));
}
