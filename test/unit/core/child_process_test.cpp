// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/child_process.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace hpclab;

namespace {

ChildResult shell(const std::string& script, const ChildOptions& options = {}) {
  return run_child({"sh", "-c", script}, options);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += !entry.path().empty();
  }
  return count;
}

bool is_alive(pid_t id) {
  return kill(id, 0) == 0;
}

// A killed grandchild is a zombie until init reaps it: read its state instead of its existence.
bool is_running(pid_t id) {
  if (!is_alive(id)) return false;
  const ChildResult state = shell("cut -d' ' -f3 /proc/" + std::to_string(id) + "/stat");
  return state.exit_code == 0 && state.stdout_text != "Z\n" && !state.stdout_text.empty();
}

}  // namespace

TEST_CASE("exit code and both streams arrive separately") {
  const ChildResult result = shell("echo out; echo err >&2; exit 3");
  CHECK(result.exit_code == 3);
  CHECK(result.signal == 0);
  CHECK(result.stdout_text == "out\n");
  CHECK(result.stderr_text == "err\n");
  CHECK(!result.succeeded());
  CHECK(!result.timed_out);
  CHECK(result.wall_s > 0.0);
  CHECK(shell("true").succeeded());
}

TEST_CASE("a child that a signal ends reports the signal and no exit code") {
  const ChildResult result = shell("kill -SEGV $$");
  CHECK(result.exit_code == -1);
  CHECK(result.signal == SIGSEGV);
}

TEST_CASE("arguments and environment changes reach the child unaltered") {
  const ChildResult echoed = run_child({"printf", "%s|", "a b", "$HOME", "", "*"});
  CHECK(echoed.stdout_text == "a b|$HOME||*|");
  setenv("HPCLAB_TEST_REMOVED", "1", 1);
  ChildOptions options;
  options.environment["HPCLAB_TEST_SET"] = "x=y z";
  options.environment["HPCLAB_TEST_REMOVED"] = std::nullopt;
  const ChildResult result =
      shell("echo \"$HPCLAB_TEST_SET/${HPCLAB_TEST_REMOVED-gone}\"", options);
  unsetenv("HPCLAB_TEST_REMOVED");
  CHECK(result.stdout_text == "x=y z/gone\n");
}

TEST_CASE(
    "input text is read to its end, ignored input is no error, and without it input is empty") {
  ChildOptions options;
  options.stdin_text = std::string(3000000, 'x');
  CHECK(run_child({"wc", "-c"}, options).stdout_text == "3000000\n");
  CHECK(shell("exit 0", options).exit_code == 0);
  CHECK(run_child({"wc", "-c"}).stdout_text == "0\n");
}

TEST_CASE("the working directory is the child's alone") {
  ChildOptions options;
  options.working_directory = "/";
  CHECK(shell("pwd", options).stdout_text == "/\n");
  options.working_directory = "/does/not/exist";
  CHECK_THROWS_AS(shell("pwd", options), UsageError);
}

TEST_CASE("a program that is missing or no program is an error that names it") {
  for (const char* name : {"hpclab-no-such-program", "/no/such/program", "/dev/null"}) {
    try {
      run_child({name});
      FAIL("started " << name);
    } catch (const NotAvailable& error) {
      CHECK(std::string(error.what()).find(name) != std::string::npos);
    }
  }
  CHECK_THROWS_AS(run_child({}), std::invalid_argument);
}

TEST_CASE("the time limit ends a child that sleeps, and one that ignores SIGTERM") {
  ChildOptions options;
  options.time_limit_s = 0.5;  // long enough for a shell to get going on a busy machine
  options.kill_grace_s = 0.05;
  const ChildResult slept = shell("echo before; exec sleep 100", options);
  CHECK(slept.timed_out);
  CHECK(slept.signal == SIGTERM);
  CHECK(slept.stdout_text == "before\n");
  CHECK(slept.wall_s < 50.0);
  const ChildResult stubborn = shell("trap '' TERM; while :; do sleep 0.01; done", options);
  CHECK(stubborn.timed_out);
  CHECK(stubborn.signal == SIGKILL);
  const ChildResult deaf = shell("exec >/dev/null 2>&1; exec sleep 100", options);
  CHECK(deaf.timed_out);
}

TEST_CASE("grandchildren do not outlive the child, and do not keep the call waiting") {
  const ChildResult result = shell("sleep 100 & echo $!");
  CHECK(result.exit_code == 0);
  const auto grandchild = static_cast<pid_t>(std::stol(result.stdout_text));
  for (int i = 0; i < 200 && is_running(grandchild); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(!is_running(grandchild));
  CHECK(result.wall_s < 50.0);
}

TEST_CASE("endless output is bounded, marked, and still ended by the time limit") {
  ChildOptions options;
  options.capture_limit_bytes = 100000;
  const ChildResult large = shell("head -c 5000000 /dev/zero", options);
  CHECK(large.exit_code == 0);
  CHECK(large.stdout_text.size() == 100000);
  CHECK(large.stdout_truncated);
  CHECK(!large.stderr_truncated);
  options.time_limit_s = 0.05;
  const ChildResult endless = run_child({"yes"}, options);
  CHECK(endless.timed_out);
  CHECK(endless.stdout_text.size() <= 100000);
}

TEST_CASE("no descriptor and no zombie is left, after failures too") {
  const std::size_t before = open_descriptors();
  ChildOptions options;
  options.time_limit_s = 0.02;
  options.stdin_text = "text";
  for (int i = 0; i < 5; ++i) {
    shell("echo x", {});
    shell("sleep 100", options);
    CHECK_THROWS_AS(run_child({"/dev/null"}), NotAvailable);
  }
  CHECK(open_descriptors() == before);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);
}

TEST_CASE("the child inherits no descriptor but the standard ones") {
  const int leak = open("/dev/null", O_RDONLY);  // deliberately without O_CLOEXEC
  REQUIRE(leak > 2);
  // ls itself opens the folder it lists: one number more.
  const ChildResult result = run_child({"ls", "/proc/self/fd"});
  close(leak);
  CHECK(result.stdout_text == "0\n1\n2\n3\n");
}

TEST_CASE("a stop request kills the child and throws Interrupted") {
  StopSource source;
  ChildOptions options;
  options.stop = source.token();
  std::thread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    source.request_stop();
  });
  CHECK_THROWS_AS(shell("sleep 100", options), Interrupted);
  stopper.join();
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}

TEST_CASE("children of several threads do not hold each other's pipes open") {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&good, t] {
      for (int i = 0; i < 5; ++i) {
        const std::string text = std::to_string(100 * t + i);
        good[t] += run_child({"echo", text}).stdout_text == text + "\n";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == std::vector<int>(4, 5));
}

TEST_CASE("programs are found in PATH, in a given list, or by their own path") {
  const auto found = find_in_path("sh");
  REQUIRE(found.has_value());
  CHECK(find_in_path(found->string()) == found);
  CHECK(!find_in_path("hpclab-no-such-program").has_value());
  CHECK(!find_in_path("sh", "/no/such:/proc").has_value());
  CHECK(find_in_path("sh", "/no/such:" + found->parent_path().string()) == found);
  CHECK(!find_in_path("").has_value());
  CHECK(!find_in_path("/").has_value());  // a folder is executable, but no program
}
