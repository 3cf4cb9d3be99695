// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/program_output.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpclab::machine {
namespace {

constexpr std::size_t largest_output = 4096;

struct Child {
  pid_t process = -1;
  int pipe = -1;  // reading end; -1 once the child has closed its output
  std::string output;
};

Child start(const std::vector<std::string>& command) {
  Child child;
  int ends[2];
  if (command.empty() || pipe2(ends, O_CLOEXEC) != 0) return child;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  if (posix_spawn(&child.process, command[0].c_str(), &actions, nullptr, arguments.data(),
                  environ) == 0) {
    child.pipe = ends[0];
  } else {
    child.process = -1;
    close(ends[0]);
  }
  close(ends[1]);
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

void read_some(Child& child) {
  std::array<char, 1024> block{};
  const ssize_t count = read(child.pipe, block.data(), block.size());
  if (count <= 0) {
    close(child.pipe);
    child.pipe = -1;
    return;
  }
  const auto wanted =
      std::min(static_cast<std::size_t>(count), largest_output - child.output.size());
  child.output.append(block.data(), wanted);
}

}  // namespace

std::vector<std::string> outputs_of(const std::vector<std::vector<std::string>>& commands,
                                    double timeout_s) {
  using Clock = std::chrono::steady_clock;
  std::vector<Child> children;
  for (const auto& command : commands) children.push_back(start(command));
  const auto deadline =
      Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1e3));
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<Child*> owners;
    for (Child& child : children) {
      if (child.pipe < 0) continue;
      waiting.push_back({child.pipe, POLLIN, 0});
      owners.push_back(&child);
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (waiting.empty() || left <= 0) break;
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left)) <= 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) read_some(*owners[i]);
    }
  }
  std::vector<std::string> outputs;
  for (Child& child : children) {
    if (child.pipe >= 0) {
      kill(child.process, SIGKILL);
      close(child.pipe);
    }
    if (child.process > 0) waitpid(child.process, nullptr, 0);
    outputs.push_back(std::move(child.output));
  }
  return outputs;
}

}  // namespace hpclab::machine
