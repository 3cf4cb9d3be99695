// hpclab: SPDX-License-Identifier: Apache-2.0
#include "decisions/side.hpp"

#include "core/error.hpp"
#include "decisions/comparison.hpp"
#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/mutation.hpp"
#include "support/record_samples.hpp"

using namespace hpclab;
using namespace hpclab::decisions;

namespace {

test::RecordText sample_text() {
  test::RecordText text("one", {{"machine", {{"cpu", {{"model_name", "X"}}}}}});
  text.add_measured({{"threads", 1}}, 2.0, {1.0, 2.0, 3.0});
  text.add_measured({{"threads", 2}}, 4.0, {});
  text.add_predicted({{"threads", 1}}, {{"bandwidth_bytes_per_s", 5.0}, {"bytes", 1.0}});
  text.add_failed({{"threads", 3}}, "no");
  return text;
}

std::string refusal(const test::RecordFolder& folder, const std::string& content) {
  const auto file = folder.write("bad.jsonl", content);
  const std::string message = test::usage_error_of([&] { read_side({file}); });
  return message.empty() ? "" : message.substr(file.string().size());
}

}  // namespace

TEST_CASE("does a side keep figures, costs, quantities and troubles of its cases") {
  const test::RecordFolder folder;
  const Side side = read_side({folder.write("a.jsonl", sample_text().end())});
  REQUIRE(side.cases.size() == 4);
  CHECK(side.cases[0].figures[0].value == 2.0);
  CHECK(side.cases[0].figures[0].costs == std::vector<double>{1.0, 2.0, 3.0});
  CHECK(side.quantities[side.cases[0].quantity].name == "time_s");
  CHECK(side.quantities[side.cases[2].quantity].higher_is_better);
  CHECK(side.cases[3].failed);
  CHECK(side.cases[3].trouble == "failed: no");
  CHECK(side.groups.size() == 2);
  CHECK(side.warnings.empty());
}

TEST_CASE("do files of one folder become processes, and the same run in two of them one") {
  const test::RecordFolder folder;
  for (const char* run : {"one", "two", "three"}) {
    test::RecordText text(run);
    text.add_measured({{"threads", 1}}, 2.0, {});
    folder.write(std::string(run) + ".jsonl", text.end());
    if (run == std::string("two")) folder.write("copy.jsonl", text.end());
  }
  const Side side = read_side(record_files(folder.path().string()));
  CHECK(side.files.size() == 4);
  REQUIRE(side.cases.size() == 1);
  CHECK(side.cases[0].figures.size() == 3);
  CHECK(side.repeated == 1);
}

TEST_CASE("is a torn last line left out with a warning, and a missing end told") {
  const test::RecordFolder folder;
  const std::string whole = sample_text().text();
  const Side side = read_side({folder.write("a.jsonl", whole.substr(0, whole.size() - 20))});
  CHECK(side.cases.size() == 3);
  REQUIRE(side.warnings.size() == 1);
  CHECK(side.warnings[0].find("torn") != std::string::npos);
  CHECK(read_side({folder.write("b.jsonl", whole)}).warnings.size() == 1);
}

TEST_CASE("are other schemas, other JSON, doubled cases and broken numbers refused by line") {
  const test::RecordFolder folder;
  const std::string good = sample_text().text();
  CHECK(refusal(folder, "") == ": it holds no run record");
  CHECK(refusal(folder, R"({"record":"run","schema":"2.0","run":"x"})"
                        "\n")
            .find(":1: schema 2.0 is newer") == 0);
  CHECK(refusal(folder, "{\"record\":\"row\"}\n").find(":1: /record is 'row'") == 0);
  CHECK(refusal(folder, "{\"a\":1}\n").find(":1: missing key 'record'") == 0);
  const std::string once = good.substr(good.find('\n') + 1);
  CHECK(refusal(folder, good + once).find(":6: case ") == 0);
  std::string nan = good;
  nan.replace(nan.find(":2.0}"), 4, ":NaN");
  CHECK(refusal(folder, nan).find(":2: no JSON") == 0);
}

TEST_CASE("is another value compared when asked for, and an unknown one named") {
  const test::RecordFolder folder;
  const auto file = folder.write("a.jsonl", sample_text().end());
  const Side side = read_side({file}, "bytes");
  CHECK(side.cases[2].figures[0].value == 1.0);
  CHECK(side.cases[0].figures.empty());
  CHECK(test::usage_error_of([&] { read_side({file}, "tine_s"); }).find("did you mean 'time_s'") !=
        std::string::npos);
}

TEST_CASE("mutations: does a damaged record file give a side or a UsageError, and a comparison") {
  const test::RecordFolder folder;
  const std::string good = sample_text().end();
  const Side whole = read_side({folder.write("good.jsonl", good)});
  test::Mutator mutator(7);
  for (int i = 0; i < test::mutation_count(2000); ++i) {
    const auto file = folder.write("mutated.jsonl", mutator.mutated(good));
    try {
      const Side side = read_side({file});
      compare(whole, side, {});
      provenance_differences(whole, side);
    } catch (const UsageError&) {
    }
  }
  SUCCEED();
}
