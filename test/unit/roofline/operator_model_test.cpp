// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "machine/profile_search.hpp"
#include "roofline/operator/ceiling.hpp"
#include "roofline/operator/model.hpp"
#include "support/catch.hpp"

#include <array>
#include <memory>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::roofline::operator_;
using machine::MachineProfile;
using operators::Geometry;
using operators::MatrixPlace;
using operators::OperatorKind;
using operators::Precision;

namespace {

std::shared_ptr<const MachineProfile> shipped(const std::string& name) {
  return std::make_shared<MachineProfile>(machine::read_profile(
      std::string(HPCLAB_SOURCE_DIR) + "/configs/machines/" + name + ".json"));
}

// Parameters as the command line would resolve them.
Parameters resolved(const Json& given) {
  Json parameters = Json::object();
  for (const ParameterSpec& spec : parameter_table().specs()) {
    Json value = given.contains(spec.name) ? given[spec.name] : spec.default_value;
    if (spec.resolve) value = spec.resolve(value);
    if (spec.derive) value = spec.derive(value, parameters);
    parameters[spec.name] = value;
  }
  return parameter_table().bind(parameters);
}

Result modelled(const Json& given, std::shared_ptr<const MachineProfile> profile) {
  Context context;
  context.machine_profile = std::move(profile);
  return model(resolved(given), context);
}

std::string failure(const Json& given, std::shared_ptr<const MachineProfile> profile) {
  try {
    modelled(given, std::move(profile));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Resource of(const std::string& name, double work, double rate) {
  return {name, "bytes", work, rate, rate * 0.9, rate * 1.1, "figure"};
}

double row_share(const Result& result, const std::string& table, const std::string& resource) {
  for (const Json& row : result.tables()[table]["rows"])
    if (row[0] == resource) return row[6].get<double>();
  return 0;
}

}  // namespace

TEST_CASE(
    "operator model: is one exponent a sum at 1, the longest time at large k, between at 4?") {
  const MachineWork two{{of("l2", 2, 1), of("dram", 3, 1)}, {}};
  CHECK(combine(two, 1, 0).time_s == Catch::Approx(5));
  CHECK(combine(two, 64, 0).time_s == Catch::Approx(3).epsilon(1e-6));
  CHECK(combine(two, 4, 0).time_s == Catch::Approx(std::pow(16 + 81, 0.25)));
  CHECK(combine(two, 4, 0).bound == "dram");
  const Prediction wide = combine(two, 4, 0.1);
  CHECK(wide.low_s == Catch::Approx(wide.time_s / 1.1 * 0.9));
  CHECK(wide.high_s == Catch::Approx(wide.time_s / 0.9 * 1.1));
  CHECK(combine({{of("l2", 0, 1), of("dram", 1, 1)}, {}}, 4, 0).resources.size() == 1);
  CHECK_THROWS_AS(combine({{of("l2", 0, 1)}, {}}, 4, 0), CaseFailed);
}

TEST_CASE("operator model: is each pass as long as its slowest unit, and the core their sum?") {
  const MachineWork work{{of("dram", 4, 1)},
                         {{"first", {of("loads", 3, 1), of("fp", 1, 1)}},
                          {"second", {of("loads", 1, 1), of("fp", 4, 1)}}}};
  const Prediction prediction = combine(work, 2, 0);
  CHECK(prediction.core_s == 7);
  CHECK(prediction.bound == "fp");
  CHECK(prediction.bound_s == 7);
  CHECK(prediction.next == "dram");
  CHECK(prediction.find("loads")->work == 4);
  CHECK(prediction.time_s == Catch::Approx(std::sqrt(7. * 7 + 4 * 4)));
}

TEST_CASE(
    "operator model: does the decoded A100 figure of 107 ps fit 18 sweeps and nothing less?") {
  const auto a100 = shipped("a100-40gb");
  struct Candidate {
    int sweeps;
    const char* precision;
    const char* matrix;
    double share;
  };
  for (const Candidate& c : {Candidate{18, "fp64", "constant", .835},
                             {18, "fp32", "shared", .776},
                             {12, "fp64", "constant", .557},
                             {6, "fp64", "constant", .278},
                             {6, "fp64", "shared", .517}}) {
    // Twelve sweeps interpolate; with as many points as nodes all sweeps are alike.
    const Result result = modelled({{"operator", c.sweeps == 6 ? "bp5" : "bp3"},
                                    {"degree", 5},
                                    {"quadrature", 6},
                                    {"sweeps", c.sweeps},
                                    {"precision", c.precision},
                                    {"matrix", c.matrix},
                                    {"kernel", "block"},
                                    {"geometry", "affine"},
                                    {"observed_ps", 107}},
                                   a100);
    CHECK(*result.value("fraction_observed_shared_ratio") == Catch::Approx(c.share).margin(0.0006));
  }
  const Result match = modelled({{"degree", 5},
                                 {"sweeps", 18},
                                 {"kernel", "block"},
                                 {"geometry", "affine"},
                                 {"observed_ps", 107}},
                                a100);
  CHECK(match.text()["bound"] == "shared memory");
  CHECK(*match.value("shared_bytes_per_dof") == Catch::Approx(1742).margin(0.5));
  CHECK(*match.value("textbook_flops_per_dof") == Catch::Approx(399).margin(0.5));
  CHECK(*match.value("observed_flops_per_s") == Catch::Approx(3.73e12).epsilon(0.002));
  const std::string verdict = match.text()["verdict"];
  CHECK(verdict.find("6 sweeps for 18 would be 3x low") != std::string::npos);
}

TEST_CASE("operator model: are the published floors of an H200 the work over the rates?") {
  MachineProfile profile = *shipped("h200");
  machine::Figure dram;
  dram.value = 4.3e12;
  dram.source = "test";
  profile.set("dram", "read_bytes_per_s", dram);
  const auto h200 = std::make_shared<MachineProfile>(profile);
  constexpr std::array<double, 6> stored{35.3, 29.1, 25.7, 23.6, 22.2, 21.2};
  constexpr std::array<double, 6> shared{10.8, 10.7, 11.2, 11.8, 12.5, 13.3};
  for (int degree = 3; degree <= 8; ++degree) {
    const Result result =
        modelled({{"operator", "bk5"}, {"degree", degree}, {"kernel", "slab"}}, h200);
    const double ps = *result.value("time_per_dof_ps");
    CHECK(result.text()["bound"] == "dram");
    CHECK(ps * row_share(result, "resources", "dram") ==
          Catch::Approx(stored[static_cast<std::size_t>(degree - 3)]).margin(0.1));
    CHECK(ps * row_share(result, "resources", "shared memory") ==
          Catch::Approx(shared[static_cast<std::size_t>(degree - 3)]).margin(0.1));
  }
}

TEST_CASE("operator model: is the published time of nekRS on an A100 within 20 % of ours?") {
  const auto a100 = shipped("a100-40gb");
  const Result fp64 = modelled({{"operator", "bk5"}, {"degree", 7}, {"elements", 4096}}, a100);
  CHECK(*fp64.value("time_per_dof_ps") == Catch::Approx(77.7).epsilon(0.2));
  // 67 MB in 40 MB of L2: how much stays there is uncertain, and the interval says so.
  const Result fp32 = modelled(
      {{"operator", "bk5"}, {"degree", 7}, {"elements", 4096}, {"precision", "fp32"}}, a100);
  const auto interval = *fp32.interval("time_per_dof_ps");
  CHECK(interval.first < 41.6);
  CHECK(41.6 < interval.second);
}

TEST_CASE("operator model: are deal.II's rates from DRAM on two Skylakes within 20 % of ours?") {
  const auto skylake = shipped("xeon-8168-2s");
  for (const auto& [degree, rate] : {std::pair{4, 1.60e9}, {6, 1.84e9}}) {
    const Result result = modelled({{"operator", "bp5"},
                                    {"degree", degree},
                                    {"isa", "avx512"},
                                    {"threads", 48},
                                    {"elements", 1 << 20}},
                                   skylake);
    CHECK(*result.value("throughput_dof_per_s") == Catch::Approx(rate).epsilon(0.2));
    CHECK(result.text()["bound"] == "dram");
  }
}

TEST_CASE("operator model: does a working set within L2 of a GPU need no DRAM?") {
  const auto h200 = shipped("h200");
  const Result inside = modelled({{"degree", 5}, {"elements", 1000}}, h200);
  CHECK(*inside.value("dram_bandwidth_bytes_per_s") == 0);
  CHECK(*inside.value("working_set_ratio") < 1);
  const Result outside = modelled({{"degree", 5}, {"elements", 1000000}}, h200);
  CHECK(outside.text()["bound"] == "dram");
  CHECK(*outside.value("working_set_ratio") > 4);
}

TEST_CASE("operator model: is the best kernel of a GPU no slower than any of those built?") {
  const auto h200 = shipped("h200");
  for (const char* geometry : {"stored", "trilinear", "affine"}) {
    for (const int degree : {2, 5, 7, 12}) {
      const Json base{{"operator", "bk5"}, {"degree", degree}, {"geometry", geometry}};
      const auto with = [&](const char* kernel) {
        Json given = base;
        given["kernel"] = kernel;
        return modelled(given, h200);
      };
      const Result best = with("best");
      const double time_s = *best.value("time_s");
      CHECK(time_s <= *with("pencil").value("time_s"));
      if (degree >= 7) CHECK(time_s <= *with("tensor").value("time_s"));
      CHECK(best.text()["kernel"].get<std::string>().find("a block") != std::string::npos);
    }
  }
  CHECK(failure({{"operator", "bk5"}, {"degree", 8}, {"kernel", "tensor"}, {"precision", "fp32"}},
                h200)
            .find("kernel=pencil") != std::string::npos);
}

TEST_CASE("operator model: is a missing ceiling, a contradiction or too many threads named?") {
  MachineProfile bare;
  bare.name = "bare";
  bare.kind = machine::MachineKind::gpu;
  CHECK(failure({{"degree", 3}}, std::make_shared<MachineProfile>(bare))
            .find("bare does not state l2.size_bytes") != std::string::npos);
  const auto skylake = shipped("xeon-8168-2s");
  CHECK(failure({{"threads", 96}, {"isa", "avx512"}}, skylake).find("48 cores") !=
        std::string::npos);
  CHECK(failure({{"threads", 48}, {"isa", "avx512"}, {"elements", 4000}}, skylake)
            .find("does not state l3.read_bytes_per_s") != std::string::npos);
  CHECK(failure({{"operator", "bk5"}, {"vector", "assembled"}}, skylake)
            .find("bp5 works on assembled ones") != std::string::npos);
  CHECK(failure({{"operator", "bk5"}, {"quadrature", 9}}, skylake).find("degree + 1 nodes") !=
        std::string::npos);
}

TEST_CASE(
    "operator model: does a working set by cache_ratio come within 15 %, in rows of whole "
    "vectors?") {
  for (int degree = 1; degree <= 12; ++degree) {
    for (const double ratio : {0.25, 1.0, 4.0, 16.0}) {
      const Parameters p =
          resolved({{"operator", "bk1"}, {"degree", degree}, {"cache_ratio", ratio}});
      const double bytes = working_set_bytes(element_operator(p), p.elements);
      if (p.elements < 64) continue;
      CHECK(bytes == Catch::Approx(ratio * host_last_level_bytes()).epsilon(0.15));
      CHECK(p.elements % 8 == 0);
      if (p.elements > 2000) CHECK(operators::near_cubic_split(p.elements).x % 8 == 0);
    }
  }
  CHECK_THROWS_AS(resolved({{"elements", 10}, {"cache_ratio", 2}}), UsageError);
}
