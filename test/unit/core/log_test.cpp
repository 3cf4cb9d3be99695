// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/log.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

using namespace hpclab;

namespace {

// What `action` writes to file descriptor 2. A file is no terminal, so nothing is coloured.
std::string stderr_of(const std::function<void()>& action) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::rewind(file);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, size);
  }
  std::fclose(file);
  return text;
}

// The same with a pseudo-terminal as file descriptor 2, where its few hundred bytes fit the
// terminal's buffer.
std::string terminal_output_of(const std::function<void()>& action) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(master >= 0);
  REQUIRE(grantpt(master) == 0);
  REQUIRE(unlockpt(master) == 0);
  const int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  REQUIRE(slave >= 0);
  const int saved = dup(STDERR_FILENO);
  dup2(slave, STDERR_FILENO);
  action();
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(slave);
  // The kernel hands output over in its own time; with the other end closed, EIO marks the end of
  // it.
  std::string text;
  char buffer[4096];
  for (ssize_t size = 0; (size = read(master, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(size));
  }
  close(master);
  return text;
}

class EnvironmentGuard {
 public:
  EnvironmentGuard(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~EnvironmentGuard() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

struct LevelGuard {
  LogLevel before = log_level();
  ~LevelGuard() { set_log_level(before); }
};

}  // namespace

TEST_CASE("log lines carry their level as a plain prefix, and info none") {
  LevelGuard guard;
  set_log_level(LogLevel::debug);
  CHECK(stderr_of([] {
          log_debug("d {}", 1);
          log_info("i {:.2f}", 2.0);
          log_warning("w {}", "x");
          log_error("e {{}} %v");
        }) == "debug: d 1\ni 2.00\nwarning: w x\nerror: e {} %v\n");
}

TEST_CASE("the prefix is coloured on a terminal, unless NO_COLOR or a dumb terminal says no") {
  LevelGuard guard;
  set_log_level(LogLevel::info);
  const auto warn = [] { log_warning("hot"); };
  EnvironmentGuard terminal("TERM", "xterm");
  EnvironmentGuard no_wish("NO_COLOR", nullptr);
  CHECK(terminal_output_of(warn) == "\x1b[33mwarning: \x1b[0mhot\r\n");
  {
    EnvironmentGuard wish("NO_COLOR", "1");
    CHECK(terminal_output_of(warn) == "warning: hot\r\n");
  }
  {
    EnvironmentGuard empty("NO_COLOR", "");
    CHECK(terminal_output_of(warn).find("\x1b[33m") == 0);
  }
  EnvironmentGuard dumb("TERM", "dumb");
  CHECK(terminal_output_of(warn) == "warning: hot\r\n");
}

TEST_CASE(
    "on a terminal a log line replaces the bar, which is drawn again below and removed at the "
    "end") {
  LevelGuard guard;
  set_log_level(LogLevel::info);
  EnvironmentGuard terminal("TERM", "xterm");
  double time_s = 0.0;
  const std::string text = terminal_output_of([&] {
    Progress progress(2, ProgressMode::automatic, [&] { return time_s; });
    log_info("between");
  });
  const std::string bar = "[....................] 0/2 cases";
  const std::string erase = "\r\x1b[K";
  CHECK(text == erase + bar + erase + "between\r\n" + bar + erase);
}

TEST_CASE("messages below the level are dropped, and quiet drops all") {
  LevelGuard guard;
  const auto all = [] {
    log_debug("d");
    log_info("i");
    log_warning("w");
    log_error("e");
  };
  set_log_level(LogLevel::info);
  CHECK(stderr_of(all) == "i\nwarning: w\nerror: e\n");
  set_log_level(LogLevel::error);
  CHECK(stderr_of(all) == "error: e\n");
  set_log_level(LogLevel::quiet);
  CHECK(stderr_of(all).empty());
}

TEST_CASE("a level is parsed by name, and a misspelt one names the nearest") {
  CHECK(parse_log_level("warning") == LogLevel::warning);
  CHECK(parse_log_level("quiet") == LogLevel::quiet);
  try {
    parse_log_level("warnign");
    FAIL("accepted");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("did you mean 'warning'?") != std::string::npos);
  }
  CHECK_THROWS_AS(parse_log_level(""), UsageError);
}

TEST_CASE("lines of many threads and a bar between them arrive whole") {
  LevelGuard guard;
  set_log_level(LogLevel::info);
  constexpr int lines = 200;
  const std::string text = stderr_of([] {
    double time_s = 0.0;
    Progress progress(4 * lines, ProgressMode::bar, [&time_s] { return time_s += 1.0; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&progress, t] {
        for (int i = 0; i < lines; ++i) {
          log_info("thread {} line {} end", t, i);
          progress.advance();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(progress.done() == 4 * lines);
  });
  std::istringstream stream(text);
  std::string line;
  int whole = 0;
  while (std::getline(stream, line)) {
    const std::size_t erased = line.rfind("\x1b[K");
    if (erased != std::string::npos) line.erase(0, erased + 3);
    if (line.empty()) continue;
    REQUIRE(line.rfind("thread ", 0) == 0);
    REQUIRE(line.substr(line.size() - 4) == " end");
    ++whole;
  }
  CHECK(whole == 4 * lines);
  CHECK(text.size() > 4);
  CHECK(text.substr(text.size() - 4) == "\r\x1b[K");  // the bar is gone at the end
}

TEST_CASE("is the bar drawn at most ten times a second") {
  double time_s = 0.0;
  const std::string text = stderr_of([&] {
    Progress progress(1000, ProgressMode::bar, [&] { return time_s; });
    for (int i = 0; i < 1000; ++i) {
      time_s += 0.001;
      progress.advance();
    }
  });
  std::size_t drawn = 0;
  for (std::size_t at = 0; (at = text.find('[', at)) != std::string::npos; ++at) {
    drawn += text[at + 1] == '#' || text[at + 1] == '.';
  }
  CHECK(drawn >= 9);
  CHECK(drawn <= 11);
}

TEST_CASE("without a terminal a short run is silent and a long one says a line every ten seconds") {
  LevelGuard guard;
  set_log_level(LogLevel::info);
  double time_s = 0.0;
  const auto run = [&](double step_s) {
    return stderr_of([&, step_s] {
      Progress progress(10, ProgressMode::automatic, [&] { return time_s; });
      for (int i = 0; i < 10; ++i) {
        time_s += step_s;
        progress.advance();
      }
    });
  };
  CHECK(run(0.5).empty());
  const std::string text = run(6.0);
  CHECK(std::count(text.begin(), text.end(), '\n') == 5);
  CHECK(text.find("2/10 cases, 6 s each, 48 s left") != std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  set_log_level(LogLevel::quiet);
  CHECK(run(6.0).empty());
}

TEST_CASE("progress text states rate and time left and keeps to the columns") {
  CHECK(progress_text(0, 40, 0.0, "", 79) == "[....................] 0/40 cases");
  CHECK(progress_text(10, 40, 5.0, "", 79) == "[#####...............] 10/40 cases, 2/s, 15 s left");
  CHECK(progress_text(40, 40, 400.0, "", 79) == "[####################] 40/40 cases, 10 s each");
  CHECK(progress_text(1, 1000, 3.6, "", 79).find("59 min 56 s left") != std::string::npos);
  CHECK(progress_text(1, 5001, 3.6, "", 79).find("5 h 00 min left") != std::string::npos);
  CHECK(progress_text(1, 40, 1.0, std::string(200, 'x'), 60).size() == 60);
  CHECK(progress_text(0, 0, 0.0, "", 79).find("0/0") != std::string::npos);
}
