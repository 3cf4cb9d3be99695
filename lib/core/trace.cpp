// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/trace.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/json_file.hpp"

#include <algorithm>
#include <charconv>
#include <mutex>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpclab::trace {
namespace {

thread_local std::uint64_t case_of_thread = 0;

struct Event {
  const char* name;
  Category category;
  std::uint64_t payload;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  long thread;
};

// Collects events of all threads; each thread keeps its open ranges on a stack of its own.
class ChromeTrace : public Listener {
 public:
  void open(std::filesystem::path file) {
    file_ = std::move(file);
    start_ns_ = now_ns();
  }

  void begin(const Name& name, Category category, std::uint64_t payload) override {
    stack().push_back({name.text(), category, payload, now_ns(), 0, ::syscall(SYS_gettid)});
  }

  void end() override {
    if (stack().empty()) return;  // the range began before the trace did
    Event event = stack().back();
    stack().pop_back();
    event.end_ns = now_ns();
    const std::scoped_lock lock(mutex_);
    events_.push_back(event);
  }

  void write() {
    const std::scoped_lock lock(mutex_);
    Json events = Json::array();
    events.push_back({{"ph", "M"},
                      {"name", "process_name"},
                      {"ts", 0.0},
                      {"pid", ::getpid()},
                      {"tid", ::getpid()},
                      {"args", {{"name", "hpclab"}}}});
    // They were collected in order of their ends: an outer range is to come before those within.
    std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
      return std::tie(a.thread, a.begin_ns, b.end_ns) < std::tie(b.thread, b.begin_ns, a.end_ns);
    });
    for (const Event& event : events_) {
      Json json = {{"ph", "X"},
                   {"name", event.name},
                   {"cat", name_of(event.category)},
                   {"ts", static_cast<double>(event.begin_ns - start_ns_) * 1e-3},
                   {"dur", static_cast<double>(event.end_ns - event.begin_ns) * 1e-3},
                   {"pid", ::getpid()},
                   {"tid", event.thread}};
      if (event.payload != 0) json["args"] = {{"case", fmt::format("{:016x}", event.payload)}};
      events.push_back(std::move(json));
    }
    write_text_file(
        file_, Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}.dump() + "\n");
    events_.clear();
  }

 private:
  static std::vector<Event>& stack() {
    thread_local std::vector<Event> open;
    return open;
  }

  std::filesystem::path file_;
  std::int64_t start_ns_ = 0;
  std::mutex mutex_;
  std::vector<Event> events_;
};

ChromeTrace& chrome_trace() {
  static ChromeTrace trace;
  return trace;
}

std::vector<Listener*>& listeners() {
  static std::vector<Listener*> all;
  return all;
}

}  // namespace

namespace detail {

std::atomic<bool> listening{false};

void begin(const Name& name, Category category) {
  for (Listener* listener : listeners()) listener->begin(name, category, case_of_thread);
}

void end() {
  for (Listener* listener : listeners()) listener->end();
}

}  // namespace detail

const char* name_of(Category category) {
  switch (category) {
    case Category::setup:
      return "setup";
    case Category::warmup:
      return "warmup";
    case Category::measure:
      return "measure";
    case Category::simulate:
      return "simulate";
    case Category::model:
      return "model";
    case Category::io:
      return "io";
    case Category::communication:
      return "communication";
  }
  return "?";
}

Name::Name(const char* text) : text_(text) {
  static std::atomic<std::uint32_t> next{0};
  index_ = next++;
}

void add_listener(Listener& listener) {
  listeners().push_back(&listener);
  detail::listening = true;
}

void start(const std::filesystem::path& file) {
  write_text_file(file, "");
  chrome_trace().open(file);
  std::erase(listeners(), &chrome_trace());  // a second start goes on in the new file
  add_listener(chrome_trace());
}

void finish() {
  if (std::erase(listeners(), &chrome_trace()) == 0) return;
  detail::listening = !listeners().empty();
  chrome_trace().write();
}

void set_case(const std::string& case_id) {
  std::uint64_t value = 0;
  std::from_chars(case_id.data(), case_id.data() + case_id.size(), value, 16);
  case_of_thread = value;
}

std::uint64_t current_case() {
  return case_of_thread;
}

}  // namespace hpclab::trace
