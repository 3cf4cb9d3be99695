// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/case.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/registry.hpp"
#include "machine/cpu_features.hpp"
#include "machine/profile_search.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/ceilings/host_profile.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/model.hpp"
#include "roofline/ceilings/theory.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

#include <cstdlib>
#include <functional>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
Study study();
}

using namespace hpclab;
using namespace hpclab::roofline::ceilings;
using hpclab::test::contains;

namespace {

std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// The parameters that the first case of these settings has.
Json resolved(const Json& parameters) {
  Registry registry;
  registry.add(study());
  ExpansionOptions options;
  options.find_machine = [](const std::string& name) {
    return MachineReference{name, "0", nullptr};
  };
  const Json config = {{"lab", "roofline"},
                       {"study", "ceilings"},
                       {"method", "measure"},
                       {"parameters", parameters}};
  return expand(experiments_from_json(config, registry, "test"), registry, options)
      .cases[0]
      .parameters;
}

Context context_with(const machine::MachineProfile& profile) {
  Context context;
  context.machine_profile = std::make_shared<const machine::MachineProfile>(profile);
  return context;
}

machine::ProfileFolders shipped() {
  return {{}, std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "machines"};
}

machine::Microarchitecture core_with(std::map<std::string, double> facts) {
  machine::Microarchitecture core;
  for (const auto& [name, value] : facts) core.facts[name] = {value, "test"};
  return core;
}

BandwidthWork work_of(BandwidthKind kind) {
  return find_bandwidth_kernel(kind, InstructionSet::scalar)->work(64);
}

}  // namespace

TEST_CASE("ceilings: is the quantity inferred from the parameters that are given?") {
  CHECK(resolved({{"level", "l1"}})["quantity"] == "bandwidth");
  CHECK(resolved({{"kind", "copy"}})["quantity"] == "bandwidth");
  CHECK(resolved({{"chains", 4}})["quantity"] == "latency");
  CHECK(resolved({{"precision", "fp32"}})["quantity"] == "flops");
  CHECK(resolved({{"order", "page-local"}, {"chains", 2}})["quantity"] == "latency");
  CHECK(resolved({{"read_fraction", 0.25}})["kind"] == "mix");
  CHECK(resolved({{"read_fraction", 0.25}})["quantity"] == "bandwidth");
  CHECK(contains(error_of([] {
                   resolved({{"chains", 2}, {"precision", "fp32"}});
                 }),
                 "belong to different ones"));
  CHECK(contains(error_of([] { resolved({{"order", "random"}}); }), "several fit"));
}

TEST_CASE("ceilings: do cases keep only the parameters that have an effect?") {
  const Json flops = resolved({{"precision", "fp32"}, {"isa", "scalar"}});
  CHECK_FALSE(flops.contains("level"));
  CHECK_FALSE(flops.contains("working_set"));
  CHECK(resolved({{"isa", "widest"}})["isa"] == machine::widest_instruction_set());
  CHECK(resolved({{"threads", 0}})["threads"].get<int>() >= 1);
  CHECK_FALSE(resolved({{"kind", "read"}}).contains("read_fraction"));
}

TEST_CASE("theory: is L1 bound by the slower of its loads and its stores?") {
  // Zen 4: 64 B of loads and 32 B of stores a cycle.
  const auto core = core_with({{"l1_load_bytes_per_cycle", 64}, {"l1_store_bytes_per_cycle", 32}});
  CHECK(bytes_per_cycle(core, MemoryLevel::l1, work_of(BandwidthKind::read)) == 64);
  CHECK(bytes_per_cycle(core, MemoryLevel::l1, work_of(BandwidthKind::write)) == 32);
  CHECK(bytes_per_cycle(core, MemoryLevel::l1, work_of(BandwidthKind::copy)) ==
        64);  // 2 x 32, stores bind
  CHECK(bytes_per_cycle(core, MemoryLevel::l1, work_of(BandwidthKind::triad)) == 96);  // 3 x 32
  CHECK_FALSE(bytes_per_cycle(core, MemoryLevel::l2, work_of(BandwidthKind::read)));
  CHECK_FALSE(bytes_per_cycle(core, MemoryLevel::dram, work_of(BandwidthKind::read)));
}

TEST_CASE("theory: is a ceiling above theory refused, and one within the clock's tolerance kept?") {
  CHECK_NOTHROW(refuse_above_theory(101, 100, 1e9, "flops_per_s"));
  CHECK_THROWS_AS(refuse_above_theory(103, 100, 1e9, "flops_per_s"), CaseFailed);
  CHECK(contains(error_of([] { refuse_above_theory(2e9, 1e9, 3e9, "flops_per_s"); }),
                 "100.0 % above"));
}

TEST_CASE(
    "model: are the published peaks of two Xeon 8168 reproduced (3840 Gflop/s, 48 x 128 B x 2.5 "
    "GHz)?") {
  Context context = context_with(machine::find_profile("xeon-8168-2s", shipped()));
  Parameters p;
  p.quantity = Quantity::flops;
  p.isa = "avx512";
  p.threads = 48;
  p.clock = ModelClock::nominal;
  CHECK(*model(p, context).value("flops_per_s") == Catch::Approx(3.84e12));
  p.threads = 1;
  CHECK(*model(p, context).value("flops_per_s") == Catch::Approx(80e9));
  p.quantity = Quantity::bandwidth;
  p.level = MemoryLevel::l1;
  CHECK(*model(p, context).value("bandwidth_bytes_per_s") == Catch::Approx(320e9));
  p.level = MemoryLevel::dram;
  CHECK(*model(p, context).value("bandwidth_bytes_per_s") == Catch::Approx(255.936e9));
  p.isa = "avx2";
  p.quantity = Quantity::flops;
  CHECK(contains(error_of([&] { model(p, context); }), "fp64_avx2_flops_per_s"));
}

TEST_CASE("model: does latency follow Little's law up to the ceiling?") {
  machine::MachineProfile profile;
  profile.name = "made-up";
  machine::Figure figure;
  figure.source = "test";
  const auto set = [&](const char* group, const char* name, double value) {
    figure.value = value;
    profile.set(group, name, figure);
  };
  set("processor", "core_count", 4);
  set("dram", "latency_s", 100e-9);
  set("dram", "core_read_bytes_per_s", 12.8e9);
  set("dram", "read_bytes_per_s", 40e9);
  Context context = context_with(profile);
  Parameters p;
  p.quantity = Quantity::latency;
  p.threads = 1;
  p.chains = 10;  // 10 x 64 B / 100 ns = 6.4 GB/s
  CHECK(*model(p, context).value("bandwidth_bytes_per_s") == Catch::Approx(6.4e9));
  CHECK(*model(p, context).value("latency_s") == Catch::Approx(100e-9));
  p.chains = 32;  // 20.5 GB/s asked of a core that reaches 12.8
  CHECK(*model(p, context).value("bandwidth_bytes_per_s") == Catch::Approx(12.8e9));
  CHECK(*model(p, context).value("latency_s") == Catch::Approx(160e-9));
  p.threads = 4;  // four cores share 40 GB/s
  CHECK(*model(p, context).value("bandwidth_bytes_per_s") == Catch::Approx(40e9));
}

TEST_CASE("model: is a quantity without a model a skipped case?") {
  Context cpu = context_with(machine::find_profile("xeon-8168-2s", shipped()));
  Parameters p;
  p.quantity = Quantity::levels;
  CHECK_THROWS_AS(model(p, cpu), CaseSkipped);
}

TEST_CASE("measure: does every quantity give finite values with their interval in a few samples?") {
  Context context;
  context.sampler.stopping_rule = "count:6";
  Parameters p;
  p.threads = 1;
  p.isa = "scalar";
  p.working_set = 16384;
  const Result bandwidth = measure(p, Backend::cpu, context);
  CHECK(*bandwidth.value("bandwidth_bytes_per_s") > 0);
  REQUIRE(bandwidth.interval("bandwidth_bytes_per_s"));
  CHECK(bandwidth.interval("bandwidth_bytes_per_s")->first <=
        *bandwidth.value("bandwidth_bytes_per_s"));
  CHECK(*bandwidth.value("working_set_bytes") <= 16384);
  CHECK(bandwidth.samples()["time_s"].size() == 6);
  p.quantity = Quantity::latency;
  p.chains = 2;
  const Result latency = measure(p, Backend::cpu, context);
  // One step of two chains moves two lines.
  CHECK(*latency.value("bandwidth_bytes_per_s") ==
        Catch::Approx(128 / *latency.value("latency_s")));
  p.quantity = Quantity::launch;
  CHECK(*measure(p, Backend::cpu, context).value("launch_s") > 0);
  p.launch_by = LaunchBy::graph;
  CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseSkipped);
  p.quantity = Quantity::clock;
  CHECK(*measure(p, Backend::cpu, context).value("clock_hz") > 1e8);
}

TEST_CASE("measure: are impossible requests failed or skipped with the reason?") {
  Context context;
  context.sampler.stopping_rule = "count:6";
  Parameters p;
  p.isa = "scalar";
  p.threads = 4096;
  CHECK(contains(error_of([&] { measure(p, Backend::cpu, context); }), "processing units"));
  p.threads = 1;
  p.working_set = 32;
  CHECK(contains(error_of([&] { measure(p, Backend::cpu, context); }),
                 "smaller than the kernel's smallest"));
  p.working_set = std::int64_t{1} << 50;
  CHECK(contains(error_of([&] { measure(p, Backend::cpu, context); }), "available"));
  p.working_set = 0;
  p.kind = "mix";
  p.read_fraction = 0.3;
  CHECK(contains(error_of([&] { measure(p, Backend::cpu, context); }), "multiple of 1/8"));
  p.quantity = Quantity::flops;
  p.isa = "scalar";
  p.precision = PeakPrecision::bf16;
  CHECK(contains(error_of([&] { measure(p, Backend::cpu, context); }),
                 "no bf16 multiply-add in scalar"));
}

TEST_CASE(
    "profile: do records of one core and of all cores become the right figures, the best isa "
    "first?") {
  const int cores = host_topology().cores;
  const auto bandwidth = [&](const char* level, const char* kind, const char* isa, int threads,
                             double value) {
    return Json{{"method", "measure"},
                {"backend", "cpu"},
                {"status", "ok"},
                {"run", "0123456789abcdef"},
                {"parameters",
                 {{"quantity", "bandwidth"},
                  {"level", level},
                  {"kind", kind},
                  {"isa", isa},
                  {"threads", threads},
                  {"working_set", 0},
                  {"memory", "near"}}},
                {"values", {{"bandwidth_bytes_per_s", value}, {"working_set_bytes", 1e6}}},
                {"interval95", {{"bandwidth_bytes_per_s", {0.9 * value, 1.1 * value}}}}};
  };
  std::vector<Json> records{bandwidth("l1", "read", "avx512", 1, 200e9),
                            bandwidth("l1", "read", "avx2", 1, 230e9),
                            bandwidth("l1", "read", "scalar", 1, 60e9),
                            bandwidth("dram", "copy-nontemporal", "avx2", cores, 40e9)};
  // Small pages are another figure, not another try at the same one.
  records.push_back(bandwidth("dram", "copy-nontemporal", "avx2", cores, 45e9));
  records.back()["parameters"]["huge_pages"] = "never";
  records.push_back({{"method", "measure"},
                     {"backend", "cpu"},
                     {"status", "ok"},
                     {"run", "0123456789abcdef"},
                     {"parameters", {{"quantity", "launch"}, {"threads", cores}}},
                     {"values", {{"launch_s", 2e-6}}}});
  const machine::MachineProfile profile = profile_from_records(records);
  CHECK(profile.require("dram", "small_page_nontemporal_copy_bytes_per_s") == 45e9);
  CHECK(profile.require("launch", "kernel_s") == 2e-6);
  CHECK(profile.require("l1", "core_read_bytes_per_s") == 230e9);
  CHECK(profile.interval95("l1", "core_read_bytes_per_s")[0] == Catch::Approx(207e9));
  CHECK(profile.require("dram", "nontemporal_copy_bytes_per_s") == 40e9);
  CHECK(profile.find("l1", "core_read_bytes_per_s")->status == machine::FigureStatus::measured);
  records[0]["status"] = "failed";
  CHECK_THROWS_AS(profile_from_records({records[0]}), CaseFailed);
}

TEST_CASE("profile: is a home that cannot be written said, and is it no error?") {
  const char* before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before ? before : "";
  RunSummary summary;
  summary.default_experiment = true;
  summary.complete = true;
  summary.records = {{{"method", "measure"},
                      {"backend", "cpu"},
                      {"status", "ok"},
                      {"run", "0123456789abcdef"},
                      {"parameters", {{"quantity", "clock"}}},
                      {"values", {{"clock_hz", 3e9}}}}};
  ::setenv("XDG_DATA_HOME", "/proc", 1);
  std::vector<std::string> lines = conclude(summary);
  REQUIRE_FALSE(lines.empty());
  CHECK(contains(lines.back(), "Profile not saved"));
  summary.complete = false;
  lines = conclude(summary);
  CHECK(lines.empty());
  if (before) {
    ::setenv("XDG_DATA_HOME", kept.c_str(), 1);
  } else {
    ::unsetenv("XDG_DATA_HOME");
  }
}
