// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record.hpp"

#include "support/catch.hpp"
#include "support/demo_cases.hpp"

#include <functional>
#include <regex>
#include <set>
#include <string>

using namespace hpclab;
using namespace hpclab::test;

namespace {

// What is wrong with a valid case record after `change`.
std::string fault_after(const std::function<void(Json&)>& change) {
  Result result;
  result.set_value("time_s", 2, 1, 3);
  result.set_text("bound", "dram");
  result.set_table("levels", {{"level", "size"}, {"", "B"}, {{"l1", 32768}}});
  result.set_samples("time_s", {2, 2.5});
  result.set_work("flops", 64);
  result.add_note("quiet");
  result.add_file("f.json", "00");
  Json record = case_record(demo_case(3), "run", CaseStatus::ok, result);
  change(record);
  return fault_of_record(record);
}

}  // namespace

TEST_CASE("record: does a case record hold everything of its result, and survive text?") {
  Result result;
  result.set_value("time_s", 2.5, 2, 3);
  result.set_text("bound", "dram");
  result.set_work("flops", 64);
  const Case c =
      demo_cases({{"method", "measure"}, {"seed", 7u}, {"parameters", {{"n", 3}}}}).front();
  const Json record = case_record(c, "abc", CaseStatus::ok, result);
  CHECK(Json::parse(record.dump()) == record);
  CHECK(fault_of_record(record).empty());
  CHECK(record["record"] == "case");
  CHECK(record["id"] == c.id);
  CHECK(record["run"] == "abc");
  CHECK(record["lab"] == "demo");
  CHECK(record["study"] == "steps");
  CHECK(record["method"] == "measure");
  CHECK(record["backend"] == "cpu");
  CHECK(record["seed"] == 7);
  CHECK(record["parameters"]["n"] == 3);
  CHECK(record["status"] == "ok");
  CHECK(record["values"]["time_s"] == 2.5);
  CHECK(record["interval95"]["time_s"] == Json::array({2., 3.}));
  CHECK(record["text"]["bound"] == "dram");
  CHECK(record["work"]["flops"] == 64);
  for (const char* absent : {"reason", "tables", "samples", "files", "notes"})
    CHECK_FALSE(record.contains(absent));
  CHECK(demo_record(3)["backend"].is_null());
}

TEST_CASE("record: do skipped and failed cases carry their reason, cut when it is long?") {
  const Json failed = demo_record(3, CaseStatus::failed);
  CHECK(failed["status"] == "failed");
  CHECK(failed["reason"] == "because");
  CHECK(failed["values"] == Json::object());
  CHECK(fault_of_record(failed).empty());
  CHECK(demo_record(3, CaseStatus::skipped)["status"] == "skipped");
  std::string reason = "x";
  for (int i = 0; i < 100000; ++i)
    reason += "\xc3\xa9";  // two bytes each: the cut must not split one
  const Json longest = case_record(demo_case(3), "r", CaseStatus::failed, Result(), reason);
  CHECK(longest["reason"].get<std::string>().size() < 5000);
  CHECK_NOTHROW(longest.dump());
}

TEST_CASE("record: is every kind of damage named by its pointer?") {
  CHECK(fault_after([](Json&) {}).empty());
  struct Row {
    const char* pointer;
    Json value;
    const char* fault;
  };
  const std::vector<Row> rows{
      {"/record", "cases", "/record is 'cases'; valid: run, case, end"},
      {"/record", 3, "/record is missing"},
      {"/lab", 3, "/lab is not text"},
      {"/study", nullptr, "/study is not text"},
      {"/method", Json::array(), "/method is not text"},
      {"/method", "measured", "/method is 'measured'; valid: model, simulate, measure"},
      {"/method", "measure", "/backend must be a name for a measurement"},
      {"/method", "simulate", "hashes to"},
      {"/backend", "cpu", "/backend must be a name for a measurement and null otherwise"},
      {"/backend", 3, "/backend is neither null nor text"},
      {"/status", true, "/status is not text"},
      {"/status", "good", "valid: ok, skipped, failed"},
      {"/status", "failed", "/reason is missing"},
      {"/id", "0123", "/id is not 16 hexadecimal digits"},
      {"/id", "0123456789ABCDEF", "/id is not 16 hexadecimal digits"},
      {"/id", 5, "/id is not 16 hexadecimal digits"},
      {"/id", "0123456789abcdef", "/id is 0123456789abcdef, but the case's content hashes to "},
      {"/run", 5, "/run is not text"},
      {"/parameters", Json::array(), "/parameters is not an object"},
      {"/parameters/n", 4, "hashes to"},
      {"/seed", -1, "/seed is not a whole number"},
      {"/seed", 1.5, "/seed is not a whole number"},
      {"/seed", 9u, "hashes to"},
      {"/values", 3, "/values is not an object"},
      {"/values/time_s", "fast", "/values/time_s is not a finite number"},
      {"/values/time_s", nullptr, "/values/time_s is not a finite number"},
      {"/work"
       "/flops",
       "many",
       "/work"
       "/flops is not a finite number"},
      {"/work", Json::array(), "/work is not an object"},
      {"/interval95", 1, "/interval95 is not an object"},
      {"/interval95/time_s", Json::array({1}), "/interval95/time_s is not [low, high]"},
      {"/interval95/time_s", Json::array({"a", 2}), "/interval95/time_s is not [low, high]"},
      {"/interval95/time_s", Json::array({3, 1}), "/interval95/time_s has its ends exchanged"},
      {"/interval95/other_s", Json::array({1, 3}), "/interval95/other_s belongs to no value"},
      {"/tables", 3, "/tables is not an object"},
      {"/tables/levels", 3, "/tables/levels needs columns, units and rows"},
      {"/tables/levels/rows", 3, "/tables/levels needs columns, units and rows"},
      {"/tables/levels/units", Json::array({""}), "/tables/levels has not one unit a column"},
      {"/tables/levels/rows/0", Json::array({1}), "/tables/levels has a row of the wrong length"},
      {"/tables/levels/rows/0", "l1", "/tables/levels has a row of the wrong length"},
      {"/samples", 3, "/samples is not an object"},
      {"/samples/time_s", 3, "/samples/time_s is not a list"},
      {"/samples/time_s/0", "x", "/samples/time_s has something that is not a number"},
      {"/text", Json::array(), "/text is not an object of texts"},
      {"/text/bound", 3, "/text is not an object of texts"},
      {"/notes", "quiet", "/notes is not a list of texts"},
      {"/notes/0", 3, "/notes is not a list of texts"},
      {"/files", 3, "/files is not a list"},
      {"/files/0", "f.json", "/files has an entry without path and sha256"},
      {"/files/0/sha256", 3, "/files has an entry without path and sha256"},
  };
  for (const Row& row : rows) {
    INFO(row.pointer << " = " << row.value);
    const std::string fault =
        fault_after([&](Json& record) { record[Json::json_pointer(row.pointer)] = row.value; });
    INFO(fault);
    CHECK(contains(fault, row.fault));
  }
  for (const char* field : {"record", "id", "run", "lab", "study", "method", "backend",
                            "parameters", "seed", "status", "values"}) {
    INFO(field);
    CHECK(contains(fault_after([&](Json& record) { record.erase(field); }),
                   std::string("/") + field));
  }
  for (const char* field : {"interval95", "text", "tables", "samples", "work", "files", "notes"}) {
    INFO(field);
    CHECK(fault_after([&](Json& record) { record.erase(field); }).empty());
  }
}

TEST_CASE("record: are run and end records checked?") {
  CHECK(fault_of_record(3) == "it is not an object");
  CHECK(fault_of_record(Json::array()) == "it is not an object");
  CHECK(fault_of_record(demo_run_record()).empty());
  CHECK(fault_of_record(demo_end_record(3)).empty());
  for (const char* field : {"run", "schema", "started"}) {
    Json run = demo_run_record();
    run[field] = 3;
    CHECK(fault_of_record(run) == std::string("/") + field + " is not text");
    run.erase(field);
    CHECK(fault_of_record(run) == std::string("/") + field + " is not text");
  }
  for (const char* field : {"cases", "ok", "failed", "skipped"}) {
    Json end = demo_end_record(3);
    end[field] = -1;
    CHECK(fault_of_record(end) == std::string("/") + field + " is not a count");
  }
  Json end = demo_end_record(3);
  end["seconds"] = "long";
  CHECK(fault_of_record(end) == "/seconds is not a number");
}

TEST_CASE("record: is the id the hash of the content, whatever the order of parameters?") {
  Json record = demo_record(3);
  Json reversed = Json::object();
  const Json& parameters = record["parameters"];
  for (auto entry = parameters.rbegin(); entry != parameters.rend(); ++entry)
    reversed[entry.key()] = *entry;
  record["parameters"] = reversed;
  CHECK(fault_of_record(record).empty());
  CHECK(case_id("a", "b", "model", nullptr, {{"x", 1}, {"y", 2}}, 1) ==
        case_id("a", "b", "model", nullptr, {{"y", 2}, {"x", 1}}, 1));
  std::set<std::string> ids{case_id("a", "b", "model", nullptr, {{"x", 1}}, 1),
                            case_id("ab", "b", "model", nullptr, {{"x", 1}}, 1),
                            case_id("a", "c", "model", nullptr, {{"x", 1}}, 1),
                            case_id("a", "b", "simulate", nullptr, {{"x", 1}}, 1),
                            case_id("a", "b", "model", "cpu", {{"x", 1}}, 1),
                            case_id("a", "b", "model", nullptr, {{"x", 2}}, 1),
                            case_id("a", "b", "model", nullptr, {{"x", 1.0}}, 1),
                            case_id("a", "b", "model", nullptr, {{"x", 1}}, 2)};
  CHECK(ids.size() == 8);
}

TEST_CASE("record: does the study's declaration say question, values and plot?") {
  const Json declaration = study_declaration(demo_study());
  CHECK(declaration["question"] == "How long do n steps take?");
  CHECK(declaration["values"]["time_s"] ==
        Json{{"meaning", "time of all steps"}, {"better", "lower"}, {"headline", true}});
  CHECK(declaration["plot"] == Json{{"kind", "lines"},
                                    {"x", "n"},
                                    {"y", "time_s"},
                                    {"series", Json::array({"shape"})},
                                    {"logx", true},
                                    {"logy", true}});
}

TEST_CASE("record: are run ids fresh and times in UTC?") {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(new_run_id());
  CHECK(ids.size() == 100);
  CHECK(std::regex_match(*ids.begin(), std::regex("[0-9a-f]{16}")));
  CHECK(std::regex_match(utc_now(), std::regex("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
  CHECK(schema_version() == "1.0");
  CHECK(name_of(CaseStatus::skipped) == "skipped");
}
