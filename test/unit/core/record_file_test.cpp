// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/record_file.hpp"

#include "core/json_file.hpp"
#include "support/catch.hpp"
#include "support/demo_cases.hpp"
#include "support/fixture_root.hpp"

#include <algorithm>
#include <csignal>
#include <random>
#include <string>
#include <vector>

#include <sys/resource.h>

using namespace hpclab;
using namespace hpclab::test;

namespace {

std::string lines_of(const std::vector<Json>& records) {
  std::string text;
  for (const Json& record : records) text += record.dump() + "\n";
  return text;
}

RecordFile read_text(const std::string& text) {
  FixtureRoot root;
  root.file("f.jsonl", text);
  return read_records(root.path() / "f.jsonl");
}

// The refusal after the folder of the file, so that it starts with "f.jsonl:LINE".
std::string refused(const std::string& text) {
  const std::string error = error_of([&] { read_text(text); });
  const std::size_t name = error.find("f.jsonl");
  return name == std::string::npos ? error : error.substr(name);
}

}  // namespace

TEST_CASE("record file: is what was appended read back, in order?") {
  FixtureRoot root;
  const auto path = root.path() / "f.jsonl";
  {
    RecordWriter writer(path, RecordWriter::Mode::create);
    CHECK(writer.path() == path);
    writer.append(demo_run_record());
    writer.append(demo_record(2));
    writer.append(demo_record(1, CaseStatus::failed));
    writer.append(demo_end_record(2));
    writer.flush();
  }
  RecordFile file = read_records(path);
  CHECK(file.runs == std::vector<Json>{demo_run_record()});
  CHECK(file.cases == std::vector<Json>{demo_record(2), demo_record(1, CaseStatus::failed)});
  CHECK(file.ends == std::vector<Json>{demo_end_record(2)});
  CHECK(file.whole_bytes == std::filesystem::file_size(path));
  CHECK_FALSE(file.torn);
  {
    RecordWriter writer(path, RecordWriter::Mode::append);
    writer.append(demo_record(3));
  }
  CHECK(read_records(path).cases.size() == 3);
}

TEST_CASE("record file: are an existing file, a second writer and a missing folder refused?") {
  FixtureRoot root;
  const auto path = root.path() / "f.jsonl";
  RecordWriter writer(path, RecordWriter::Mode::create);
  CHECK(contains(error_of([&] { RecordWriter(path, RecordWriter::Mode::create); }),
                 "exists; give --resume"));
  CHECK(contains(error_of([&] { RecordWriter(path, RecordWriter::Mode::append); }),
                 "being written by another run"));
  CHECK(contains(
      error_of([&] { RecordWriter(root.path() / "no" / "f", RecordWriter::Mode::create); }),
      "No such file"));
  CHECK(contains(error_of([&] { RecordWriter(root.path(), RecordWriter::Mode::append); }),
                 "cannot write"));
  CHECK(contains(error_of([&] { read_records(root.path()); }), "it is a folder"));
  CHECK(contains(error_of([&] { read_records(root.path() / "none"); }), "No such file"));
}

TEST_CASE("record file: is a torn last line forgiven, and cut before the file goes on?") {
  const std::string whole = lines_of({demo_run_record(), demo_record(1)});
  FixtureRoot root;
  root.file("f.jsonl", whole + demo_record(2).dump().substr(0, 40));
  const auto path = root.path() / "f.jsonl";
  const RecordFile file = read_records(path);
  CHECK(file.torn);
  CHECK(file.cases.size() == 1);
  CHECK(file.whole_bytes == whole.size());
  truncate_file(path, file.whole_bytes);
  CHECK(read_text_file(path) == whole);
  // A whole record without its newline is torn too: a crash may have cut more than is seen.
  CHECK(read_text(whole + demo_record(2).dump()).torn);
  CHECK(read_text("").runs.empty());
  CHECK_FALSE(read_text("").torn);
  CHECK_THROWS_AS(truncate_file(root.path() / "none", 3), UsageError);
}

TEST_CASE("record file: is any other damaged line refused with its number?") {
  const std::string run = lines_of({demo_run_record()});
  CHECK(
      contains(refused(run + "{\n" + lines_of({demo_record(1)})), "f.jsonl:2: not a JSON object"));
  CHECK(contains(refused(run + "\n"), "f.jsonl:2: not a JSON object"));
  CHECK(contains(refused(run + "3\n"), "f.jsonl:2: it is not an object"));
  CHECK(contains(refused(run + std::string(10, '\0') + "\n"), "f.jsonl:2"));
  Json wrong = demo_record(1);
  wrong["parameters"]["n"] = 2;
  CHECK(contains(refused(run + lines_of({demo_record(3), wrong})), "f.jsonl:3: /id is "));
  CHECK(contains(refused(lines_of({demo_record(1), demo_run_record()})),
                 "f.jsonl:1: a case comes before any run"));
  CHECK(contains(refused(run + "{\"record\":\"case\",\"values\":{\"x\":1e999}}\n"), "f.jsonl:2"));
}

TEST_CASE("record file: is a newer schema refused first, an older minor or newer minor read?") {
  const auto with_schema = [](const std::string& version) {
    Json run = demo_run_record();
    run["schema"] = version;
    return lines_of({run, demo_record(1)});
  };
  CHECK(contains(refused(with_schema("2.0")), "f.jsonl:1: schema 2.0 is newer than 1.0"));
  CHECK(contains(refused(with_schema("12.3")), "newer"));
  CHECK(contains(refused(with_schema("one")), "schema 'one' is no version"));
  CHECK(contains(refused(with_schema("99999999999999.0")), "no version"));
  CHECK(read_text(with_schema("1.9")).cases.size() == 1);
  CHECK(read_text(with_schema("0.9")).cases.size() == 1);
  // A newer schema need not have the fields of this one.
  CHECK(contains(refused("{\"record\":\"run\",\"schema\":\"2.0\",\"begun\":3}\n"),
                 "schema 2.0 is newer"));
}

TEST_CASE("record file: does a case tried again supersede its failure, and only that?") {
  const Json failed = demo_record(1, CaseStatus::failed);
  const RecordFile file = read_text(lines_of(
      {demo_run_record(), failed, demo_record(2), failed, demo_run_record("b"), demo_record(1)}));
  CHECK(file.superseded == 2);
  CHECK(file.runs.size() == 2);
  REQUIRE(file.cases.size() == 2);
  CHECK(file.cases[0] == demo_record(1));
  const std::string twice = refused(lines_of({demo_run_record(), demo_record(1), demo_record(1)}));
  CHECK(contains(twice, "f.jsonl:3: case " + demo_case(1).id + " is already finished"));
  CHECK(
      contains(refused(lines_of({demo_run_record(), demo_record(1), failed})), "already finished"));
  CHECK(contains(
      refused(lines_of({demo_run_record(), demo_record(1, CaseStatus::skipped), demo_record(1)})),
      "already finished"));
}

TEST_CASE("record file: is a record above 64 KiB refused by reader and writer, the largest kept?") {
  const auto padded = [](std::size_t bytes) {
    Json record = demo_record(1);
    record["notes"] = Json::array({""});
    record["notes"][0] = std::string(bytes - record.dump().size() - 1, 'x');
    return record;
  };
  const std::string run = lines_of({demo_run_record()});
  CHECK(padded(max_record_bytes).dump().size() + 1 == max_record_bytes);
  CHECK(read_text(run + lines_of({padded(max_record_bytes)})).cases.size() == 1);
  CHECK(contains(refused(run + lines_of({padded(max_record_bytes + 1)})),
                 "has 65537 bytes, more than 65536"));
  FixtureRoot root;
  RecordWriter writer(root.path() / "f.jsonl", RecordWriter::Mode::create);
  writer.append(demo_run_record());
  CHECK_THROWS_AS(writer.append(padded(max_record_bytes + 1)), UsageError);
  writer.append(padded(max_record_bytes));
  CHECK(read_records(root.path() / "f.jsonl").cases.size() == 1);
}

TEST_CASE("record file: is a line nested deeply enough to overflow a stack refused?") {
  const std::string run = lines_of({demo_run_record()});
  const std::string deep = std::string(20000, '[') + std::string(20000, ']');
  CHECK(contains(refused(run + deep + "\n"), "f.jsonl:2"));
  Json record = demo_record(1);
  record["parameters"]["n"] = "DEEP";
  std::string text = record.dump();
  text.replace(text.find("\"DEEP\""), 6, deep);
  CHECK(contains(refused(run + text + "\n"), "f.jsonl:2"));
}

TEST_CASE("record file: is text that is no UTF-8 replaced, so that the line stays valid?") {
  FixtureRoot root;
  RecordWriter writer(root.path() / "f.jsonl", RecordWriter::Mode::create);
  writer.append(demo_run_record());
  Json record = demo_record(1);
  record["notes"] = Json::array({"a\xff"});
  writer.append(record);
  CHECK(read_records(root.path() / "f.jsonl").cases[0]["notes"][0] == "a\xef\xbf\xbd");
}

TEST_CASE("record file: is a full device an error with exit code 3?") {
  RecordWriter writer("/dev/full", RecordWriter::Mode::create);
  try {
    writer.append(demo_run_record());
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ExitCode::cases_failed);
    CHECK(contains(error.what(), "No space left"));
  }
}

TEST_CASE("record file: is a line that reached the file in part cut off again?") {
  FixtureRoot root;
  const auto path = root.path() / "f.jsonl";
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::string first_error;
  std::string second_error;
  {
    RecordWriter writer(path, RecordWriter::Mode::create);
    writer.append(demo_run_record());
    writer.append(demo_record(1));
    const std::string kept = read_text_file(path);
    rlimit limit = before;
    limit.rlim_cur = kept.size() + 25;
    setrlimit(RLIMIT_FSIZE, &limit);
    first_error = error_of([&] { writer.append(demo_record(2)); });
    limit.rlim_cur = kept.size();
    setrlimit(RLIMIT_FSIZE, &limit);
    second_error = error_of([&] { writer.append(demo_record(2)); });
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(read_text_file(path) == kept);
    writer.append(demo_record(3));
  }
  std::signal(SIGXFSZ, ignored);
  CHECK(contains(first_error, "cut short"));
  CHECK(contains(first_error, "the records before are kept"));
  CHECK(contains(second_error, "File too large"));
  CHECK(read_records(path).cases.size() == 2);
}

TEST_CASE("record file: does a cut at any byte leave exactly the whole lines?") {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<Json> records{demo_run_record()};
    std::vector<std::int64_t> order(30);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i) + 1;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < 1 + random() % 12; ++i)
      records.push_back(demo_record(order[i], static_cast<CaseStatus>(random() % 3),
                                    static_cast<double>(1 + random() % 100)));
    const std::string text = lines_of(records);
    FixtureRoot root;
    for (int cut = 0; cut < 25; ++cut) {
      const std::size_t bytes = random() % (text.size() + 1);
      std::filesystem::remove(root.path() / "f.jsonl");
      root.file("f.jsonl", text.substr(0, bytes));
      const auto whole = static_cast<std::size_t>(
          std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bytes), '\n'));
      const RecordFile file = read_records(root.path() / "f.jsonl");
      CHECK(file.runs.size() + file.cases.size() == whole);
      CHECK(file.torn == (bytes > 0 && text[bytes - 1] != '\n'));
      for (std::size_t i = 1; i < whole; ++i) CHECK(file.cases[i - 1] == records[i]);
      CHECK(
          file.whole_bytes ==
          lines_of({records.begin(), records.begin() + static_cast<std::ptrdiff_t>(whole)}).size());
    }
  }
}

TEST_CASE("record file: do 10,000 damaged files end in a usage error or in valid records?") {
  const Json failed = demo_record(2, CaseStatus::failed);
  Json rich = demo_record(4);
  rich["tables"]["t"] = {{"columns", {"x", "y"}}, {"units", {"s", ""}}, {"rows", {{1, 2}, {3, 4}}}};
  rich["samples"]["time_s"] = {1, 2, 3};
  rich["notes"] = Json::array({"quiet"});
  const std::string good = lines_of({demo_run_record(), demo_record(1), failed, demo_record(3),
                                     rich, demo_record(2), demo_end_record(4)});
  FixtureRoot root;
  const auto path = root.path() / "f.jsonl";
  std::mt19937 random(17);
  int refusals = 0;
  int accepted = 0;
  int strangers = 0;
  for (int i = 0; i < 10000; ++i) {
    std::string text = good;
    for (std::uint32_t change = 0; change <= random() % 2; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 30));
          break;
        default:
          text[at] = "0123456789{}[]\",:\n-e."[random() % 21];
      }
      if (text.empty()) text = "x";
    }
    std::filesystem::remove(path);  // some file systems flush a file that is written over
    root.file("f.jsonl", text);
    try {
      const RecordFile file = read_records(path);
      ++accepted;
      for (const Json& record : file.cases) strangers += fault_of_record(record).empty() ? 0 : 1;
    } catch (const UsageError&) {
      ++refusals;
    }  // anything else ends the test with its message
  }
  CHECK(strangers == 0);
  CHECK(refusals > 5000);
  CHECK(accepted > 10);
  CHECK(refusals + accepted == 10000);
}

TEST_CASE("merge: are shards joined into one valid file, the successful record kept?") {
  const Json failed_1 = demo_record(1, CaseStatus::failed);
  const Json skipped_3 = demo_record(3, CaseStatus::skipped);
  FixtureRoot root;
  root.file("a", lines_of({demo_run_record("a"), failed_1, demo_record(2), skipped_3,
                           demo_end_record(3)}))
      .file("b", lines_of({demo_run_record("b"), demo_record(1), demo_record(4, CaseStatus::failed),
                           demo_end_record(2)}))
      .file("c", lines_of({demo_run_record("c"), demo_record(2), demo_record(3, CaseStatus::failed),
                           failed_1}));
  const auto merge = [&](const std::vector<std::string>& names, const std::string& out) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& name : names) paths.push_back(root.path() / name);
    merge_records(paths, root.path() / out);
    return read_records(root.path() / out);
  };
  const RecordFile merged = merge({"a", "b", "c"}, "abc");
  CHECK(merged.runs.size() == 3);
  REQUIRE(merged.cases.size() == 4);
  CHECK(merged.cases[0] == demo_record(1));
  CHECK(merged.cases[1] == demo_record(2));
  CHECK(merged.cases[2] == skipped_3);
  CHECK(merged.cases[3]["status"] == "failed");
  REQUIRE(merged.ends.size() == 1);
  CHECK(merged.ends[0]["cases"] == 4);
  CHECK(merged.ends[0]["ok"] == 2);
  CHECK(merged.ends[0]["failed"] == 1);
  CHECK(merged.ends[0]["skipped"] == 1);
  CHECK(merged.ends[0]["seconds"] == 3.0);
  // Success wins in any order of the inputs.
  for (const auto& order :
       std::vector<std::vector<std::string>>{{"b", "a", "c"}, {"c", "b", "a"}, {"c", "a", "b"}}) {
    const RecordFile other = merge(order, order[0] + order[1] + order[2]);
    CHECK(other.cases.size() == 4);
    for (const Json& record : other.cases) {
      if (record["id"] == demo_case(1).id) CHECK(record["status"] == "ok");
    }
  }
}

TEST_CASE("merge: are two answers to one case, an existing file and no run at all refused?") {
  FixtureRoot root;
  root.file("a", lines_of({demo_run_record("a"), demo_record(1, CaseStatus::ok, 2)}))
      .file("b", lines_of({demo_run_record("b"), demo_record(1, CaseStatus::ok, 3)}))
      .file("empty", "");
  const auto at = [&](const char* name) { return root.path() / name; };
  const std::string conflict = error_of([&] { merge_records({at("a"), at("b")}, at("out")); });
  CHECK(contains(conflict, "b: case " + demo_case(1).id + " is finished in another input too"));
  CHECK_FALSE(std::filesystem::exists(at("out")));
  CHECK(contains(error_of([&] { merge_records({at("a")}, at("b")); }), "exists"));
  CHECK(contains(error_of([&] { merge_records({at("empty")}, at("out")); }), "no run record"));
  CHECK(contains(error_of([&] { merge_records({}, at("out")); }), "no run record"));
  CHECK(contains(error_of([&] {
                   merge_records({at("a"), at("none")}, at("out"));
                 }),
                 "No such file"));
  merge_records({at("a"), at("a")}, at("same"));
  CHECK(read_records(at("same")).cases.size() == 1);
}
