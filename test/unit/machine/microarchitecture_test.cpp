// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/microarchitecture.hpp"

#include "core/error.hpp"
#include "core/json.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::machine;

namespace {

const std::filesystem::path table = HPCLAB_SOURCE_DIR "/configs/machines/microarchitectures.json";

CpuIdentity cpu(const char* vendor, int family, int model) {
  CpuIdentity id;
  id.vendor = vendor;
  id.family = family;
  id.model = model;
  return id;
}

Microarchitecture core(const char* vendor, int family, int model) {
  const MicroarchitectureLookup lookup = find_microarchitecture(cpu(vendor, family, model), table);
  REQUIRE(lookup.found.has_value());
  return *lookup.found;
}

}  // namespace

TEST_CASE("microarchitecture: are processors recognised by family and model?") {
  CHECK(core("AuthenticAMD", 0x17, 0x31).name == "zen2");  // EPYC 7742
  CHECK(core("AuthenticAMD", 0x19, 0x01).name == "zen3");  // EPYC 7763
  CHECK(core("AuthenticAMD", 0x19, 0x11).name == "zen4");  // EPYC 9654
  CHECK(core("AuthenticAMD", 0x19, 0x61).name == "zen4");  // Ryzen 7950X
  CHECK(core("AuthenticAMD", 0x1a, 0x02).name == "zen5");  // EPYC 9755
  CHECK(core("GenuineIntel", 6, 0x55).name == "skylake-server");
  CHECK(core("GenuineIntel", 6, 0x6a).name == "ice-lake-server");
  CHECK(core("GenuineIntel", 6, 0x8f).name == "sapphire-rapids");
  CHECK(core("GenuineIntel", 6, 0xcf).name == "sapphire-rapids");
  CHECK(core("GenuineIntel", 6, 0xad).name == "granite-rapids");
  CHECK(core("GenuineIntel", 6, 0x97).name == "golden-cove-client");
}

TEST_CASE("microarchitecture: does an unknown processor give a reason instead of a guess?") {
  const MicroarchitectureLookup unknown =
      find_microarchitecture(cpu("GenuineIntel", 6, 0x3c), table);
  CHECK_FALSE(unknown.found.has_value());
  CHECK(unknown.reason.find("GenuineIntel family 6 model 60") != std::string::npos);
  const MicroarchitectureLookup no_file = find_microarchitecture(cpu("GenuineIntel", 6, 0x55), {});
  CHECK_FALSE(no_file.found.has_value());
  CHECK_FALSE(no_file.reason.empty());
}

TEST_CASE("microarchitecture: do peaks equal the figures that vendors and readers quote?") {
  const Microarchitecture skylake = core("GenuineIntel", 6, 0x55);
  // 48 cores at 2.5 GHz: 3840 GFLOP/s, as the deal.II benchmark node states.
  CHECK(48 * *theoretical_operations_per_s(skylake, NumberType::fp64, CodePath::avx512, 2.5e9) ==
        Catch::Approx(3840e9));
  CHECK(*operations_per_cycle(skylake, NumberType::fp64, CodePath::avx2) == 16);
  CHECK(*operations_per_cycle(skylake, NumberType::fp32, CodePath::avx512) == 64);
  CHECK(*operations_per_cycle(skylake, NumberType::fp64, CodePath::scalar) == 4);
  CHECK(*operations_per_cycle(skylake, NumberType::int8, CodePath::avx512) == 256);
  CHECK_FALSE(operations_per_cycle(skylake, NumberType::bf16, CodePath::avx512).has_value());
  CHECK(*operations_per_cycle(core("AuthenticAMD", 0x17, 0x31), NumberType::fp64, CodePath::avx2) ==
        16);  // Microway: 16 double-precision FLOP a cycle
  const Microarchitecture rapids = core("GenuineIntel", 6, 0x8f);
  CHECK(*operations_per_cycle(rapids, NumberType::bf16, CodePath::amx) == 1024);
  CHECK(*operations_per_cycle(rapids, NumberType::int8, CodePath::amx) == 2048);
  CHECK(*operations_per_cycle(rapids, NumberType::fp16, CodePath::avx512) == 128);
  CHECK_FALSE(operations_per_cycle(rapids, NumberType::fp64, CodePath::amx).has_value());
}

TEST_CASE("microarchitecture: does Zen 4 do one 512-bit FMA and 64 bytes of loads a cycle?") {
  const Microarchitecture zen4 = core("AuthenticAMD", 0x19, 0x11);
  CHECK(*operations_per_cycle(zen4, NumberType::fp64, CodePath::avx512) == 16);
  CHECK(*operations_per_cycle(zen4, NumberType::fp64, CodePath::avx2) == 16);
  CHECK(*operations_per_cycle(zen4, NumberType::bf16, CodePath::avx512) == 64);
  CHECK(*operations_per_cycle(zen4, NumberType::int8, CodePath::avx512) == 128);
  CHECK(*theoretical_bytes_per_s(zen4, "l1_load_bytes_per_cycle", 3e9) == 192e9);
  CHECK_FALSE(theoretical_bytes_per_s(zen4, "l4_bytes_per_cycle", 3e9).has_value());
  CHECK_THROWS_AS(zen4.require("outstanding_l1_misses_count"), CaseFailed);
}

TEST_CASE("microarchitecture: has every entry sourced facts and the four that probes need?") {
  const Json json = Json::parse(std::ifstream(table));
  for (const Json& entry : json.at("microarchitectures")) {
    for (const Json& range : entry.at("match")) {
      CHECK(range.at("first_model").get<int>() <= range.at("last_model").get<int>());
      const Microarchitecture found =
          core(entry.at("vendor").get<std::string>().c_str(), range.at("family").get<int>(),
               range.at("first_model").get<int>());
      CHECK(found.name == entry.at("name").get<std::string>());  // no earlier entry overlaps
      for (const char* fact : {"l1_load_bytes_per_cycle", "l1_store_bytes_per_cycle",
                               "avx2_fma_per_cycle", "integer_add_latency_cycles"}) {
        CHECK(found.require(fact) > 0);
      }
    }
  }
}

TEST_CASE("microarchitecture: are misspelt and malformed facts refused with their place?") {
  test::FixtureRoot root;
  const auto complaint = [&](const std::string& facts) -> std::string {
    root.file("table.json",
              R"({"schema":"1.0","microarchitectures":[{"name":"x","vendor":"V","description":"d",)"
              R"("match":[{"family":1,"first_model":0,"last_model":9}],"facts":)" +
                  facts + "}]}");
    try {
      find_microarchitecture(cpu("V", 1, 5), root.path() / "table.json");
      return "";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  CHECK(complaint(R"({"avx2_fma_per_cycle":{"value":2,"source":"s"}})").empty());
  CHECK(complaint(R"({"avx2_fma_per_cyle":{"value":2,"source":"s"}})")
            .find("/microarchitectures/0/facts/avx2_fma_per_cyle: unknown fact; did you mean "
                  "'avx2_fma_per_cycle'?") != std::string::npos);
  CHECK_FALSE(complaint(R"({"avx2_fma_per_cycle":{"value":0,"source":"s"}})").empty());
  CHECK_FALSE(complaint(R"({"avx2_fma_per_cycle":{"value":2,"source":""}})").empty());
  CHECK_FALSE(complaint(R"({"avx2_fma_per_cycle":{"value":"two","source":"s"}})").empty());
  CHECK_FALSE(complaint(R"([)").empty());
}
