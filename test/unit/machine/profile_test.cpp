// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/profile.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "machine/profile_search.hpp"
#include "support/catch.hpp"
#include "support/fixture_root.hpp"
#include "support/text.hpp"

#include <nlohmann/json.hpp>

using namespace hpclab;
using namespace hpclab::machine;
using hpclab::test::contains;

namespace {

Json minimal() {
  return Json::parse(R"({"schema":"1.0","name":"toy","kind":"cpu","description":"a toy",
    "figures":{"dram":{"read_bytes_per_s":{"value":1e10,"interval95":[9e9,1.1e10],"status":"measured",
    "source":"log","conditions":"4 threads"},"latency_s":{"value":1e-7,"status":"published","source":"sheet"}}}})");
}

/// Message of the UsageError that reading this JSON gives; "" when it gives none.
std::string complaint(const Json& json) {
  try {
    profile_from_json(json, "toy.json");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("profile: are figures, intervals and sources read?") {
  const MachineProfile profile = profile_from_json(minimal(), "toy.json");
  CHECK(profile.name == "toy");
  CHECK(profile.kind == MachineKind::cpu);
  CHECK(profile.require("dram", "read_bytes_per_s") == 1e10);
  CHECK(profile.interval95("dram", "read_bytes_per_s") == std::array<double, 2>{9e9, 1.1e10});
  CHECK(profile.interval95("dram", "latency_s") == std::array<double, 2>{1e-7, 1e-7});
  CHECK(profile.figure("dram", "read_bytes_per_s").status == FigureStatus::measured);
  CHECK(profile.figure("dram", "read_bytes_per_s").conditions == "4 threads");
}

TEST_CASE("profile: is an unknown key refused with its place and the nearest name?") {
  Json json = minimal();
  json["figures"]["dram"]["raed_bytes_per_s"] = json["figures"]["dram"]["read_bytes_per_s"];
  CHECK(contains(complaint(json), "toy.json: /figures/dram: unknown key 'raed_bytes_per_s'"));
  CHECK(contains(complaint(json), "did you mean 'read_bytes_per_s'?"));
  json = minimal();
  json["figures"]["drum"] = Json::object();
  CHECK(contains(complaint(json), "/figures: unknown key 'drum'; did you mean 'dram'?"));
  json = minimal();
  json["figures"]["dram"]["latency_s"]["sauce"] = "x";
  CHECK(contains(complaint(json), "/figures/dram/latency_s: unknown key 'sauce'"));
  json = minimal();
  json["colour"] = "red";
  CHECK(contains(complaint(json), "/: unknown key 'colour'"));
}

TEST_CASE("profile: is a newer major of the schema refused and a newer minor read?") {
  Json json = minimal();
  json["schema"] = "2.0";
  json["something_new"] = 1;
  CHECK(contains(complaint(json), "version 2.0 is newer than 1.0"));
  json = minimal();
  json["schema"] = "1.7";
  CHECK(complaint(json) == "");
  for (const Json& bad : {Json("one"), Json("1"), Json("0.9"), Json(1.0), Json()}) {
    json["schema"] = bad;
    CHECK(contains(complaint(json), "/schema"));
  }
}

TEST_CASE("profile: are wrong types and impossible figures refused with their place?") {
  const std::string place = "/figures/dram/read_bytes_per_s";
  for (const auto& [key, value] : std::map<std::string, Json>{{"value", "fast"},
                                                              {"value ", 1},
                                                              {"status", "guessed"},
                                                              {"source", ""},
                                                              {"source", 3},
                                                              {"interval95", {1}},
                                                              {"conditions", 5}}) {
    Json json = minimal();
    json["figures"]["dram"]["read_bytes_per_s"][key] = value;
    CHECK(contains(complaint(json), place));
  }
  for (const double value : {0.0, -1.0}) {
    Json json = minimal();
    json["figures"]["dram"]["latency_s"]["value"] = value;
    CHECK(contains(complaint(json), "/figures/dram/latency_s: value"));
  }
  Json json = minimal();
  json["figures"]["dram"]["read_bytes_per_s"]["interval95"] = {1.2e10, 1.3e10};
  CHECK(contains(complaint(json), "does not enclose"));
  json = minimal();
  json["figures"]["dram"] = 7;
  CHECK(contains(complaint(json), "/figures/dram: an object is expected"));
  json = minimal();
  json.erase("kind");
  CHECK(contains(complaint(json), "key \"kind\" is missing"));
  json = minimal();
  json["name"] = "Toy Box";
  CHECK(contains(complaint(json), "/name"));
  CHECK(contains(complaint(Json::array()), "JSON object"));
}

TEST_CASE("profile: does a missing figure name profile, figure and what is there?") {
  const MachineProfile profile = profile_from_json(minimal(), "toy.json");
  try {
    profile.first_of("dram", {"copy_bytes_per_s", "triad_bytes_per_s"});
    FAIL("no error");
  } catch (const CaseFailed& error) {
    const std::string message = error.what();
    CHECK(contains(message, "toy does not state dram.copy_bytes_per_s or dram.triad_bytes_per_s"));
    CHECK(contains(message, "latency_s, read_bytes_per_s"));
  }
  CHECK_THROWS_AS(profile.require("l2", "read_bytes_per_s"), CaseFailed);
  CHECK(profile.find("l2", "read_bytes_per_s") == nullptr);
  CHECK(profile.first_of("dram", {"copy_bytes_per_s", "read_bytes_per_s"}).value == 1e10);
}

TEST_CASE("profile: does writing and reading give the same figures, hash and no rest files?") {
  test::FixtureRoot root;
  MachineProfile profile = profile_from_json(minimal(), "toy.json");
  profile.set("peak", "fp64_vector_flops_per_s",
              {1.0 / 3.0, std::nullopt, FigureStatus::derived, "1/3", ""});
  const auto path = root.path() / "new/folder/toy.json";
  write_profile(profile, path);
  write_profile(profile, path);  // replaces
  const MachineProfile read = read_profile(path);
  CHECK(profile_to_json(read) == profile_to_json(profile));
  CHECK(read.require("peak", "fp64_vector_flops_per_s") == 1.0 / 3.0);
  CHECK(read.sha256 == sha256_of_file(path));
  CHECK(read.file == path);
  int files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(path.parent_path())) {
    ++files;
  }
  CHECK(files == 1);
}

TEST_CASE("profile: are unreadable and unwritable files usage errors that name the file?") {
  test::FixtureRoot root;
  root.file("broken.json", "{\"schema\": ");
  CHECK_THROWS_AS(read_profile(root.path() / "broken.json"), UsageError);
  CHECK_THROWS_AS(read_profile(root.path() / "absent.json"), UsageError);
  CHECK_THROWS_AS(read_profile(root.path()), UsageError);
  const MachineProfile profile = profile_from_json(minimal(), "toy.json");
  CHECK_THROWS_AS(write_profile(profile, root.path() / "broken.json/toy.json"), UsageError);
}

TEST_CASE("profile: does a user's profile hide a shipped one of the same name?") {
  test::FixtureRoot root;
  Json json = minimal();
  root.file("shipped/toy.json", json.dump());
  json["name"] = "a100-40gb";
  root.file("shipped/a100-40gb.json", json.dump());
  root.file("shipped/microarchitectures.json", "{}");
  const ProfileFolders folders{root.path() / "user", root.path() / "shipped"};
  CHECK(find_profile("toy", folders).description == "a toy");
  CHECK(profile_names(folders) == std::vector<std::string>{"a100-40gb", "toy"});
  CHECK(default_profile(folders).name == "a100-40gb");
  json["name"] = "toy";
  json["description"] = "mine";
  root.file("user/toy.json", json.dump());
  CHECK(find_profile("toy", folders).description == "mine");
  CHECK(find_profile((root.path() / "shipped/toy.json").string(), folders).description == "a toy");
  try {
    find_profile("tov", folders);
    FAIL("no error");
  } catch (const UsageError& error) {
    CHECK(contains(error.what(), "did you mean 'toy'?"));
  }
  CHECK_THROWS_AS(find_profile("microarchitectures", folders), UsageError);
  CHECK_THROWS_AS(find_profile("toy", ProfileFolders{}), UsageError);
}

TEST_CASE("profile: is this host's saved profile the default?") {
  test::FixtureRoot root;
  const ProfileFolders folders{root.path() / "user", root.path() / "shipped"};
  MachineProfile profile = profile_from_json(minimal(), "toy.json");
  profile.name = host_profile_name();
  CHECK(profile.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
        std::string::npos);
  CHECK(save_profile(profile, folders) == root.path() / "user" / (profile.name + ".json"));
  CHECK(default_profile(folders).name == profile.name);
  CHECK_THROWS_AS(save_profile(profile, ProfileFolders{}), UsageError);
}
