// hpclab: SPDX-License-Identifier: Apache-2.0
//
// From a file to records and to a machine profile.
#include "core/case.hpp"
#include "core/record.hpp"
#include "core/registry.hpp"
#include "machine/profile_search.hpp"
#include "roofline/import/model.hpp"
#include "roofline/import/placement.hpp"
#include "roofline/import/saved_profile.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/fixture_root.hpp"
#include "support/text.hpp"
#include "unit/roofline/import/samples.hpp"

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::import {
Study study();
}

using namespace hpclab;
using namespace hpclab::test;
using namespace hpclab::roofline::import;

namespace {

machine::MachineProfile shipped(const std::string& name) {
  return machine::find_profile(
      name, {{}, std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "machines"});
}

const Registry& registry() {
  static const Registry instance = [] {
    Registry fresh;
    fresh.add(study());
    return fresh;
  }();
  return instance;
}

std::vector<Case> cases_of(const std::filesystem::path& file, const std::string& machine,
                           Json parameters = Json::object()) {
  parameters["file"] = file.string();
  ExpansionOptions options;
  options.find_machine = [&](const std::string&) {
    return MachineReference{machine, "0",
                            std::make_shared<const machine::MachineProfile>(shipped(machine))};
  };
  const Json config = {
      {"lab", "roofline"}, {"study", "import"}, {"parameters", std::move(parameters)}};
  return expand(experiments_from_json(config, registry(), "t"), registry(), options).cases;
}

// Records of all points of a file on a machine.
std::vector<Json> records_of(const std::filesystem::path& file, const std::string& machine) {
  std::vector<Json> records;
  for (const Case& c : cases_of(file, machine)) {
    Context context;
    context.machine_profile = c.machine->profile;
    const Result result = c.study->model(c.parameters, context);
    records.push_back(case_record(c, "00000000000000aa", CaseStatus::ok, result));
    CHECK(fault_of_record(records.back()).empty());
    for (const auto& [name, value] : result.values().items())
      CHECK(c.study->find_value(name) != nullptr);
  }
  return records;
}

std::vector<Json> records_of_text(const std::string& text, const std::string& machine) {
  FixtureRoot root;
  root.file("some.log", text);
  return records_of(root.path() / "some.log", machine);
}

}  // namespace

TEST_CASE("import: is every point of a file a case, unless one is named?") {
  FixtureRoot root;
  root.file("a.log", nekrs_log);
  const auto all = cases_of(root.path() / "a.log", "a100-40gb");
  REQUIRE(all.size() == 2);
  CHECK(all[0].recorded["file"]["name"] == "a.log");
  CHECK(all[1].recorded["point"] == "axhelm p=7 fp32 4096 elements");
  CHECK(cases_of(root.path() / "a.log", "a100-40gb", {{"point", "axhelm p=7 fp32 4096 elements"}})
            .size() == 1);
  const auto wrong =
      cases_of(root.path() / "a.log", "a100-40gb", {{"point", "axhelm p=7 fp16 4096 elements"}});
  Context context;
  context.machine_profile = wrong[0].machine->profile;
  CHECK_THROWS_AS(wrong[0].study->model(wrong[0].parameters, context), CaseFailed);
}

TEST_CASE("import: does a missing or damaged file end the expansion, with place and reason?") {
  FixtureRoot root;
  root.file("bad.log", "nothing\n").file("cut.log", nekrs_log.substr(0, 300));
  CHECK(contains(usage_error_of([&] { cases_of(root.path() / "bad.log", "a100-40gb"); }),
                 "bad.log: none of its first 1 lines is of a known log format"));
  CHECK(contains(usage_error_of([&] { cases_of(root.path() / "cut.log", "a100-40gb"); }),
                 "cut.log:2:"));
  CHECK(contains(usage_error_of([&] { cases_of(root.path() / "none.log", "a100-40gb"); }),
                 "No such file"));
  CHECK(contains(usage_error_of([&] { cases_of("", "a100-40gb"); }),
                 "no file is given: hpclab roofline import FILE...; known logs are"));
}

TEST_CASE("import: do rates, intensity, share and binding ceiling of the published line follow?") {
  const auto records = records_of_text(nekrs_log, "a100-40gb");
  REQUIRE(records.size() == 2);
  const Json& values = records[0]["values"];
  CHECK(values["throughput_dof_per_s"].get<double>() == Catch::Approx(12.867e9).epsilon(5e-4));
  CHECK(values["bandwidth_bytes_per_s"].get<double>() == Catch::Approx(1229.2e9).epsilon(5e-4));
  CHECK(values["flops_per_s"].get<double>() == Catch::Approx(2131.9e9).epsilon(5e-4));
  CHECK(values["printed_flops_per_s"].get<double>() == Catch::Approx(2131.91e9));
  CHECK(values["intensity_flops_per_byte"].get<double>() == Catch::Approx(232783872.0 / 134217728));
  // The profile states a measured update bandwidth of 1372 GB/s and 1555 GB/s of theory.
  CHECK(values["fraction_of_ceiling_ratio"].get<double>() ==
        Catch::Approx(1229.2 / 1372).epsilon(1e-3));
  CHECK(records[0]["text"]["bound"] == "dram update 1.372 TB/s");
  CHECK(records[0]["text"]["verdict"] == "no contradiction");
  CHECK(records[0]["text"]["where"] == "some.log:1");
  CHECK(records[0]["work"]["dram_bytes"] == 134217728);
  CHECK(records[0]["work"]["flops"] == 232783872);
}

TEST_CASE("import: are figures above the machine and working sets within its cache flagged?") {
  // Ten times as fast: 12.3 TB/s and 21 TFLOP/s of fp64 on an A100.
  const std::string fast =
      with(with(with(with(nekrs_log, "0.00010919", "0.000010919"), "12.8668", "128.668"), "1229.21",
                "12292.1"),
           "2131.91", "21319.1");
  const std::string verdict =
      records_of_text(fast, "a100-40gb")[0]["text"]["verdict"].get<std::string>();
  CHECK(contains(verdict, "CONTRADICTION: "));
  CHECK(contains(verdict,
                 "12.29 TB/s is above the theoretical bandwidth of a100-40gb's dram, 1.555 TB/s"));
  CHECK(
      contains(verdict, "21.32 Tflop/s is above the fp64 vector peak of a100-40gb, 9.700 Tflop/s"));
  // 134 MB lie in the 512 MiB of L3 of two EPYC 7742 sockets.
  const auto record = records_of_text(nekrs_log, "epyc-7742-2s")[0];
  CHECK(contains(record["text"]["verdict"].get<std::string>(), "fits the"));
}

TEST_CASE("import: does the working set choose the level where the log leaves it open?") {
  const machine::MachineProfile xeon = shipped("xeon-8168-2s");
  CHECK(last_level_cache_bytes(xeon) == 2.0 * 34603008);
  const auto levels = [&](double total, double a_thread) {
    Point point;
    point.time_s = {1, 0};
    point.bytes[by_working_set] = 1e9;
    point.working_set_bytes = total;
    point.working_set_a_thread_bytes = a_thread;
    return place(point, xeon).bytes.begin()->first;
  };
  CHECK(levels(48 * 20e3, 20e3) == "l1");
  CHECK(levels(48 * 500e3, 500e3) == "l2");
  CHECK(levels(60e6, 2e6) == "l3");
  CHECK(levels(200e6, 4e6) == "dram");
  CHECK(levels(1e6, 0) == "l1");  // one problem of all 48 cores
  CHECK(levels(0, 0) == "dram");
}

TEST_CASE("import: does a bandwidth-bound row of deal.II reach most of the node's bandwidth?") {
  // 220 GB/s allow 1.87 GDOF/s at degree 4; 1.60 were measured.
  const auto records = records_of_text(dealii_log, "xeon-8168-2s");
  const Json& values = records[1]["values"];
  CHECK(values["throughput_dof_per_s"].get<double>() == Catch::Approx(1.60e9).epsilon(5e-3));
  CHECK(records[1]["text"]["bound"] == "dram read 220.0 GB/s");
  CHECK(values["fraction_of_ceiling_ratio"].get<double>() == Catch::Approx(0.85).epsilon(0.02));
}

TEST_CASE("import: does a profile without the ceilings that a point needs name them?") {
  Point point;
  point.time_s = {1, 0};
  point.flops = 1e9;
  point.precision = "fp8";
  point.bytes["shared"] = 1;
  const Placement placement = place(point, shipped("xeon-8168-2s"));
  CHECK(placement.uses.empty());
  REQUIRE(placement.notes.size() == 2);
  CHECK(placement.notes[0] == "profile xeon-8168-2s states no bandwidth of shared");
  CHECK(placement.notes[1] == "profile xeon-8168-2s states no peak of fp8 vector units");
}

TEST_CASE("saved profile: do logs of a GPU become a profile that models can read?") {
  std::vector<Json> records = records_of_text(gpu_cache_log(), "h200");
  for (const std::string& text : {gpu_stream_log, gpu_roofline_log}) {
    for (Json& record : records_of_text(text, "h200")) records.push_back(std::move(record));
  }
  machine::MachineProfile profile = profile_from_records(records);
  profile.name = "some-gpu";
  CHECK(profile.kind == machine::MachineKind::gpu);
  CHECK(profile.require("l2", "read_bytes_per_s") == 10000e9);
  CHECK(profile.require("dram", "read_bytes_per_s") == 3900e9);  // the better of two logs
  CHECK(profile.require("dram", "triad_bytes_per_s") == 3534e9);
  CHECK(profile.require("peak", "fp32_vector_flops_per_s") == 19002e9);
  const machine::Figure& figure = profile.figure("l2", "read_bytes_per_s");
  CHECK(figure.interval95.has_value());
  CHECK(figure.source == "gpu-benches log some.log, read by hpclab roofline import");
  CHECK(contains(figure.conditions, "median and central 95 % range of"));
  const Json json = machine::profile_to_json(profile);
  CHECK(machine::profile_from_json(json, "t").require("l2", "read_bytes_per_s") == 10000e9);
}

TEST_CASE("saved profile: does a BabelStream csv take the kind of the machine it is placed on?") {
  const auto records = records_of_text(babelstream_csv, "xeon-8168-2s");
  const machine::MachineProfile profile = profile_from_records(records);
  CHECK(profile.kind == machine::MachineKind::cpu);
  CHECK(profile.require("dram", "triad_bytes_per_s") == Catch::Approx(1342177.28e6));
  FixtureRoot root;
  RunSummary summary;
  summary.records = records;
  summary.outputs = {{"save-machine", (root.path() / "My_Box.json").string()}};
  const auto lines = conclude(summary);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "3 of 3 points contradict themselves or the machine");  // 1.4 TB/s on a Xeon
  CHECK(contains(lines[1], "Saved profile: "));
  CHECK(contains(lines[1], "(3 figures; of a cpu like --machine, because the log does not say)"));
  CHECK(machine::read_profile(root.path() / "My_Box.json").name == "my-box");
  CHECK(contains(conclude(summary)[1], "Updated profile: "));
}

TEST_CASE("saved profile: are logs without ceilings, or of two kinds of machine, refused?") {
  RunSummary summary;
  summary.outputs = {{"save-machine", "unused.json"}};
  summary.records = records_of_text(nekrs_log, "a100-40gb");
  CHECK(contains(usage_error_of([&] { conclude(summary); }),
                 "no point of the logs measures a ceiling"));
  summary.records = records_of_text(likwid_bench_log, "xeon-8168-2s");
  for (Json& record : records_of_text(gpu_stream_log, "h200"))
    summary.records.push_back(std::move(record));
  CHECK(contains(usage_error_of([&] { conclude(summary); }), "of a processor and of a GPU"));
}
