// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/trace.hpp"

#include "core/json_file.hpp"
#include "support/catch.hpp"
#include "support/demo_study.hpp"
#include "support/fixture_root.hpp"

#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace hpclab;
using namespace hpclab::test;

namespace {

const trace::Name outer_name("test/outer");
const trace::Name inner_name("test/inner");

// Complete events of a trace file by name; fails when a name occurs twice.
std::map<std::string, Json> events_of(const std::filesystem::path& file) {
  std::map<std::string, Json> events;
  const Json document = read_json_file(file);
  for (const Json& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    CHECK(events.emplace(event["name"].get<std::string>(), event).second);
  }
  return events;
}

// Registered listeners stay for the rest of the program: this one hears only while it is asked to.
class Ear : public trace::Listener {
 public:
  void begin(const trace::Name& name, trace::Category category, std::uint64_t payload) override {
    if (listening)
      heard.push_back(std::string("begin ") + name.text() + " " + trace::name_of(category) + " " +
                      std::to_string(payload));
  }
  void end() override {
    if (listening) heard.push_back("end");
  }
  bool listening = false;
  std::vector<std::string> heard;
};

}  // namespace

TEST_CASE("trace: do ranges nest, and carry the case of their thread?") {
  FixtureRoot root;
  const auto file = root.path() / "trace.json";
  {
    const trace::Range before(outer_name,
                              trace::Category::io);  // begins before the trace: not in it
    trace::start(file);
  }
  trace::set_case("00000000000000ff");
  CHECK(trace::current_case() == 255);
  {
    const trace::Range outer(outer_name, trace::Category::measure);
    const trace::Range inner(inner_name, trace::Category::warmup);
  }
  static const trace::Name thread_name("test/thread");
  std::thread([] { const trace::Range range(thread_name, trace::Category::setup); }).join();
  trace::finish();
  { const trace::Range after(outer_name, trace::Category::io); }
  const auto events = events_of(file);
  REQUIRE(events.size() == 3);
  const Json& outer = events.at("test/outer");
  const Json& inner = events.at("test/inner");
  CHECK(outer["cat"] == "measure");
  CHECK(inner["cat"] == "warmup");
  CHECK(outer["args"]["case"] == "00000000000000ff");
  CHECK_FALSE(events.at("test/thread").contains("args"));
  CHECK(events.at("test/thread")["tid"] != outer["tid"]);
  const auto begin = [](const Json& event) { return event["ts"].get<double>(); };
  const auto end = [](const Json& event) {
    return event["ts"].get<double>() + event["dur"].get<double>();
  };
  CHECK(begin(outer) >= 0);
  CHECK(begin(inner) >= begin(outer));
  CHECK(end(inner) <= end(outer) + 1e-6);
  trace::set_case("");
  CHECK(trace::current_case() == 0);
}

TEST_CASE("trace: do events come in order of their begin, outer ranges before inner ones?") {
  FixtureRoot root;
  const auto file = root.path() / "trace.json";
  trace::start(file);
  for (int i = 0; i < 3; ++i) {
    const trace::Range outer(outer_name, trace::Category::measure);
    const trace::Range inner(inner_name, trace::Category::warmup);
  }
  trace::finish();
  const Json document = Json::parse(read_text_file(file));
  std::vector<std::string> names;
  double last = 0;
  for (const Json& event : document["traceEvents"]) {
    for (const char* field : {"name", "ph", "ts", "pid", "tid"}) CHECK(event.contains(field));
    if (event["ph"] != "X") continue;
    CHECK(event["ts"].get<double>() >= last);
    last = event["ts"].get<double>();
    names.push_back(event["name"].get<std::string>());
  }
  const std::vector<std::string> pair{"test/outer", "test/inner"};
  REQUIRE(names.size() == 6);
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(names[i] == pair[i % 2]);
}

TEST_CASE("trace: is nothing kept without start, and does each trace hold its own ranges only?") {
  trace::finish();  // without start: nothing happens
  FixtureRoot root;
  { const trace::Range range(outer_name, trace::Category::model); }
  trace::start(root.path() / "a");
  CHECK(std::filesystem::exists(root.path() / "a"));  // proven writable before anything is measured
  trace::finish();
  CHECK(events_of(root.path() / "a").empty());
  trace::start(root.path() / "x");
  trace::start(root.path() / "b");
  { const trace::Range range(inner_name, trace::Category::model); }
  trace::finish();
  CHECK(events_of(root.path() / "b").size() == 1);
}

TEST_CASE("trace: is a file that cannot be written an error of start, and nothing then listens?") {
  FixtureRoot root;
  CHECK_THROWS_AS(trace::start(root.path() / "none" / "f"), UsageError);
  CHECK_THROWS_AS(trace::start(root.path()), UsageError);
  { const trace::Range range(inner_name, trace::Category::model); }
  trace::start(root.path() / "ok");
  trace::finish();
  CHECK(events_of(root.path() / "ok").empty());
}

TEST_CASE("trace: does a listener hear begin and end with name, category and payload?") {
  static Ear ear;
  trace::add_listener(ear);
  ear.listening = true;
  trace::set_case("000000000000000a");
  {
    const trace::Range outer(outer_name, trace::Category::communication);
    const trace::Range inner(inner_name, trace::Category::simulate);
  }
  trace::set_case("");
  ear.listening = false;
  CHECK(ear.heard == std::vector<std::string>{"begin test/outer communication 10",
                                              "begin test/inner simulate 10", "end", "end"});
}

TEST_CASE("trace: is a range open when the trace starts left out, though another listens?") {
  static Ear ear;
  trace::add_listener(ear);
  FixtureRoot root;
  {
    const trace::Range open(outer_name, trace::Category::io);
    trace::start(root.path() / "f");
    const trace::Range inner(inner_name, trace::Category::io);
  }
  trace::finish();
  const auto events = events_of(root.path() / "f");
  CHECK(events.size() == 1);
  CHECK(events.contains("test/inner"));
}

TEST_CASE("trace: are names numbered as they are made, and all categories named?") {
  const trace::Name a("a");
  const trace::Name b("b");
  CHECK(b.index() == a.index() + 1);
  CHECK(std::string(b.text()) == "b");
  for (std::uint32_t i = 1; i <= 7; ++i)
    CHECK(std::string(trace::name_of(static_cast<trace::Category>(i))) != "?");
}
