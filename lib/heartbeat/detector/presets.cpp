// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/detector/presets.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "heartbeat/detector/chen.hpp"
#include "heartbeat/detector/online_optimum.hpp"
#include "heartbeat/detector/phi_accrual.hpp"
#include "heartbeat/detector/swim.hpp"
#include "heartbeat/detector/timeout_detectors.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::heartbeat {
namespace {

constexpr Nanoseconds ms = 1'000'000;
constexpr Nanoseconds s = 1000 * ms;

// Silence that fails a sender whose heartbeats came steadily with this period.
Nanoseconds steady_timeout(const Detector& fresh, Nanoseconds period) {
  const auto detector = fresh.clone();
  constexpr int beats = 3000;
  for (int i = 0; i <= beats; ++i) detector->on_heartbeat({i * period, i});
  return detector->failure_deadline() - beats * period;
}

std::vector<Preset> make_presets() {
  std::vector<Preset> all{
      {"etcd-election", "fixed", 100 * ms, 1 * s,
       "etcd: election timeout 1000 ms, heartbeat 100 ms"},
      {"torchft", "fixed", 100 * ms, 5 * s, "torchft src/lighthouse.rs: heartbeat_timeout_ms 5000"},
      {"ulfm", "fixed", 3 * s, 10 * s, "Open MPI 5: mpi_ft_detector_timeout 10, period 3"},
      {"torchelastic", "fixed", 5 * s, 15 * s,
       "torchelastic dynamic rendezvous: keep_alive_interval 5 s, keep_alive_max_attempt 3"},
      {"nvrx-heartbeat", "fixed", 1 * s, 30 * s,
       "nvidia-resiliency-ext in-process: heartbeat_timeout 30 s"},
      {"nvrx-soft", "fixed", 1 * s, 60 * s, "nvidia-resiliency-ext in-process: soft_timeout 60 s"},
      {"nvrx-hard", "fixed", 1 * s, 90 * s, "nvidia-resiliency-ext in-process: hard_timeout 90 s"},
      {"c10d-heartbeat", "fixed", 1 * s, 480 * s,
       "ProcessGroupNCCL: TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC 480"},
      {"c10d-collective", "fixed", 1 * s, 600 * s, "ProcessGroupNCCL: collective timeout 10 min"}};
  all.push_back({"nvrx-auto", "largest-gap", 1 * s, 5 * s,
                 "nvidia-resiliency-ext: safety_factor 5.0 times the largest gap"});
  all.push_back({"akka", "phi", 1 * s, 0,
                 "Akka reference.conf: threshold 8, window 1000, deviation 100 ms, pause 3 s"});
  all.push_back({"cassandra", "cassandra", 1 * s, 0, "Cassandra: phi_convict_threshold 8"});
  all.push_back({"memberlist-lan", "swim", 1 * s, 0, "hashicorp/memberlist DefaultLANConfig"});
  all.push_back({"memberlist-wan", "swim", 5 * s, 0, "hashicorp/memberlist DefaultWANConfig"});
  all.push_back({"memberlist-local", "swim", 1 * s, 0, "hashicorp/memberlist DefaultLocalConfig"});
  return all;
}

SwimOptions swim_of(std::string_view name, std::int64_t members) {
  SwimOptions options = name == "memberlist-wan"     ? swim_wan()
                        : name == "memberlist-local" ? swim_local()
                                                     : swim_lan();
  options.members = members;
  return options;
}

std::unique_ptr<Detector> of_preset(const Preset& preset, const DetectorSetting& setting) {
  if (preset.family == "fixed") return std::make_unique<FixedTimeout>(preset.timeout);
  if (preset.family == "largest-gap") {
    return std::make_unique<LargestGapTimeout>(5.0, std::max(60 * s, setting.period));
  }
  if (preset.family == "phi") return std::make_unique<PhiAccrual>(PhiOptions{});
  if (preset.family == "cassandra") {
    return std::make_unique<LocalPauseGuard>(std::make_unique<CassandraAccrual>(CassandraOptions{}),
                                             s, 5 * s);
  }
  return std::make_unique<SwimDetector>(swim_of(preset.name, setting.members));
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list = make_presets();
    for (Preset& preset : list) {
      if (preset.timeout != 0) continue;
      DetectorSetting setting;
      setting.period = preset.period;
      preset.timeout = steady_timeout(*of_preset(preset, setting), preset.period);
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const Preset& a, const Preset& b) { return a.timeout < b.timeout; });
    return list;
  }();
  return all;
}

const Preset& find_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
    names.push_back(preset.name);
  }
  throw UsageError(fmt::format("no preset '{}'{}", name, suggestion(name, names)));
}

std::vector<std::string> detector_names() {
  std::vector<std::string> names{"fixed", "k-missed", "phi",  "phi-exact",   "cassandra-phi",
                                 "nfd-s", "nfd-e",    "swim", "largest-gap", "online-optimum"};
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

std::unique_ptr<Detector> make_detector(std::string_view name, const DetectorSetting& setting) {
  const Nanoseconds period = setting.period;
  const Nanoseconds timeout = setting.timeout > 0 ? setting.timeout : 3 * period;
  if (name == "fixed") return std::make_unique<FixedTimeout>(timeout);
  if (name == "k-missed") {
    // As many whole periods as the timeout holds, at least one, looked at once a period.
    const Nanoseconds missed = std::max<Nanoseconds>(timeout / period, 1);
    return std::make_unique<FixedTimeout>(missed * period, period);
  }
  if (name == "phi" || name == "phi-exact") {
    PhiOptions options;
    options.first_estimate = period;
    options.minimum_deviation = std::max<Nanoseconds>(period / 10, 1);
    options.acceptable_pause = std::max<Nanoseconds>(timeout - period, 0);
    options.tail = name == "phi" ? NormalTail::logistic : NormalTail::exact;
    return std::make_unique<PhiAccrual>(options);
  }
  if (name == "cassandra-phi") {
    CassandraOptions options;
    options.initial_gap = options.largest_gap = 2 * period;
    return std::make_unique<CassandraAccrual>(options);
  }
  const Nanoseconds margin = std::max<Nanoseconds>(timeout - period, 0);
  if (name == "nfd-s") return std::make_unique<FreshnessPoints>(period, margin);
  if (name == "nfd-e") return std::make_unique<EstimatedFreshness>(period, margin);
  if (name == "swim") {
    SwimOptions options;
    options.probe_interval = period;
    options.probe_timeout = std::max<Nanoseconds>(period / 2, 1);
    options.members = setting.members;
    return std::make_unique<SwimDetector>(options);
  }
  if (name == "largest-gap") return std::make_unique<LargestGapTimeout>(5.0, 60 * period);
  if (name == "online-optimum") {
    OnlineOptimumOptions options;
    options.failure_rate_per_s = setting.failure_rate_per_s;
    options.rebuild_s = setting.rebuild_s;
    options.initial = timeout;
    options.period = period;
    return std::make_unique<OnlineOptimum>(options);
  }
  for (const Preset& preset : presets()) {
    if (preset.name == name) return of_preset(preset, setting);
  }
  throw UsageError(fmt::format("no detector '{}'{}", name, suggestion(name, detector_names())));
}

}  // namespace hpclab::heartbeat
