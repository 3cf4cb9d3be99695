// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/child_process.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace hpclab {
namespace {

[[noreturn]] void throw_system(const char* what, int error = errno) {
  throw std::system_error(error, std::generic_category(), what);
}

/// A file descriptor with an owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

// The number stays clear of 0, 1 and 2: the child's dup2 onto those must not meet its own source
// there.
Descriptor above_standard(int number) {
  if (number > 2 || number < 0) return Descriptor(number);
  const Descriptor low(number);
  const int moved = fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) throw_system("duplicating a descriptor");
  return Descriptor(moved);
}

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw_system("creating a pipe");
  Pipe pipe{above_standard(ends[0]), above_standard(ends[1])};
  fcntl(pipe.read.number(), F_SETFL, O_NONBLOCK);
  return pipe;
}

// The text as an anonymous file in memory: no thread or poll has to feed the child, which may
// ignore it.
Descriptor stdin_of(const std::string& text) {
  if (text.empty()) return above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor file = above_standard(memfd_create("stdin", MFD_CLOEXEC));
  if (!file.open()) throw_system("creating the child's input");
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t size = write(file.number(), text.data() + written, text.size() - written);
    if (size < 0 && errno != EINTR) throw_system("writing the child's input");
    if (size > 0) written += static_cast<std::size_t>(size);
  }
  lseek(file.number(), 0, SEEK_SET);
  return file;
}

std::vector<std::string> environment_with(
    const std::map<std::string, std::optional<std::string>>& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) entries.emplace_back(text);
  }
  for (const auto& [name, value] : changes) {
    if (value) entries.push_back(name + "=" + *value);
  }
  return entries;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void redirect(const Descriptor& from, int to) {
    check(posix_spawn_file_actions_adddup2(&actions_, from.number(), to));
  }
  void close_others() { check(posix_spawn_file_actions_addclosefrom_np(&actions_, 3)); }
  void change_directory(const std::filesystem::path& path) {
    check(posix_spawn_file_actions_addchdir_np(&actions_, path.c_str()));
  }
  // Own group, default signals, nothing blocked: whatever this process did to its own signals.
  void isolate() {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    check(posix_spawnattr_setpgroup(&attributes_, 0));
    check(posix_spawnattr_setsigmask(&attributes_, &none));
    check(posix_spawnattr_setsigdefault(&attributes_, &all));
    check(posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  static void check(int error) {
    if (error != 0) throw_system("preparing a child process", error);
  }
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::filesystem::path program_path(const std::string& name, const ChildOptions& options) {
  std::optional<std::string> directories;
  if (const auto change = options.environment.find("PATH"); change != options.environment.end()) {
    directories = change->second.value_or("");
  }
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name);
  if (const auto found = find_in_path(name, directories)) return std::filesystem::absolute(*found);
  throw NotAvailable(fmt::format("cannot start '{}': no such program in PATH", name), "");
}

/// One stream of the child: reads what is there, keeps the first bytes up to the limit.
class Capture {
 public:
  Capture(Descriptor source, std::size_t limit) : source_(std::move(source)), limit_(limit) {}
  bool open() const { return source_.open(); }
  int number() const { return source_.number(); }
  void drain() {
    std::array<char, 65536> block;
    while (source_.open()) {
      const ssize_t size = read(source_.number(), block.data(), block.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN) return;
      if (size <= 0) {
        source_.reset();
        return;
      }
      const std::size_t kept = std::min(static_cast<std::size_t>(size), limit_ - text_.size());
      text_.append(block.data(), kept);
      truncated_ = truncated_ || kept < static_cast<std::size_t>(size);
      // A child that writes without end must not keep us from looking at the clock.
      if (static_cast<std::size_t>(size) < block.size()) return;
      if (++full_blocks_ % 16 == 0) return;
    }
  }
  std::string take_text() { return std::move(text_); }
  bool truncated() const { return truncated_; }

 private:
  Descriptor source_;
  std::size_t limit_;
  std::string text_;
  std::size_t full_blocks_ = 0;
  bool truncated_ = false;
};

/// A started child that is killed with its group and reaped whatever happens to its owner.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {
#ifdef SYS_pidfd_open
    ended_event_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, id, 0U)));
#endif
  }
  ~Child() {
    if (!reaped_) {
      signal_group(SIGKILL);
      reap();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void signal_group(int number) const {
    ::kill(-id_, number);
  }
  /// Has it ended? It stays a zombie, so that its id still means this child and this group.
  bool ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == id_;
  }
  /// Becomes readable when the child ends; -1 on kernels before 5.3, where callers look every few
  /// milliseconds.
  int ended_event() const {
    return ended_event_.number();
  }
  int reap() {
    int status = 0;
    while (wait4(id_, &status, 0, &usage_) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return status;
  }
  /// What it and the children that it waited for used; after reap().
  const rusage& usage() const {
    return usage_;
  }

 private:
  pid_t id_;
  Descriptor ended_event_;
  rusage usage_{};
  bool reaped_ = false;
};

// Waits for output, the child's end or the given time; a signal may end it early.
void wait_for_event(const Capture& out, const Capture& err, const Child& child, bool watch_end,
                    double wait_s) {
  constexpr double longest_s = 0.1;  // a stop request may come from another thread
  constexpr double longest_blind_s = 0.005;
  const bool blind = watch_end && child.ended_event() < 0;
  const double bounded_s = std::clamp(wait_s, 0.0, blind ? longest_blind_s : longest_s);
  std::array<pollfd, 3> events{{{out.number(), POLLIN, 0},
                                {err.number(), POLLIN, 0},
                                {watch_end ? child.ended_event() : -1, POLLIN, 0}}};
  poll(events.data(), events.size(), static_cast<int>(std::ceil(bounded_s * 1e3)));
}

}  // namespace

std::optional<std::filesystem::path> find_in_path(std::string_view name,
                                                  const std::optional<std::string>& directories) {
  const auto is_program = [](const std::filesystem::path& path) {
    struct stat facts {};
    return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
           access(path.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::filesystem::path path(name);
    return is_program(path) ? std::optional(path) : std::nullopt;
  }
  const char* inherited = std::getenv("PATH");
  const std::string list = directories.value_or(inherited != nullptr ? inherited : "/usr/bin:/bin");
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    // An empty entry means the current directory (POSIX, 8.3).
    const std::string directory = begin == end ? "." : list.substr(begin, end - begin);
    std::filesystem::path path = std::filesystem::path(directory) / name;
    if (is_program(path)) return path;
    begin = end + 1;
  }
  return std::nullopt;
}

ChildResult run_child(const std::vector<std::string>& argv, const ChildOptions& options) {
  if (argv.empty()) throw std::invalid_argument("child process without a program");
  const std::filesystem::path& directory = options.working_directory;
  if (!directory.empty() && !std::filesystem::is_directory(directory)) {
    throw UsageError(fmt::format("working directory '{}' is no directory", directory.string()));
  }
  const std::filesystem::path program = program_path(argv[0], options);
  const std::vector<std::string> environment = environment_with(options.environment);
  const Descriptor input = stdin_of(options.stdin_text);
  Pipe out = make_pipe();
  Pipe err = make_pipe();

  SpawnSettings settings;
  if (!directory.empty()) settings.change_directory(directory);
  settings.redirect(input, STDIN_FILENO);
  settings.redirect(out.write, STDOUT_FILENO);
  settings.redirect(err.write, STDERR_FILENO);
  settings.close_others();
  settings.isolate();
  const double begin_s = now_s();
  pid_t id = -1;
  const int error = posix_spawn(&id, program.c_str(), settings.actions(), settings.attributes(),
                                pointers_to(argv).data(), pointers_to(environment).data());
  if (error == EAGAIN || error == ENOMEM) throw_system("starting a child process", error);
  if (error != 0) {
    throw NotAvailable(fmt::format("cannot start '{}': {}", program.string(), std::strerror(error)),
                       "");
  }
  Child child(id);
  out.write.reset();
  err.write.reset();
  Capture captured_out(std::move(out.read), options.capture_limit_bytes);
  Capture captured_err(std::move(err.read), options.capture_limit_bytes);

  ChildResult result;
  constexpr double never_s = 1e18;
  // Grandchildren may hold the pipes open after the child; they get this long to finish writing.
  constexpr double leftover_grace_s = 0.1;
  double deadline_s = options.time_limit_s > 0.0 ? begin_s + options.time_limit_s : never_s;
  double close_at_s = never_s;
  bool terminated = false;
  bool ended = false;
  while (!ended || captured_out.open() || captured_err.open()) {
    options.stop.throw_if_requested();
    const double time_s = now_s();
    if (!ended && time_s >= deadline_s) {
      child.signal_group(terminated ? SIGKILL : SIGTERM);
      deadline_s = time_s + (terminated ? never_s : options.kill_grace_s);
      terminated = true;
      result.timed_out = true;
    }
    if (ended && time_s >= close_at_s) {
      child.signal_group(SIGKILL);
      captured_out.drain();
      captured_err.drain();
      break;
    }
    wait_for_event(captured_out, captured_err, child, !ended,
                   std::min(deadline_s, close_at_s) - time_s);
    captured_out.drain();
    captured_err.drain();
    if (!ended && child.ended()) {
      ended = true;
      deadline_s = never_s;
      result.wall_s = now_s() - begin_s;
      close_at_s = now_s() + leftover_grace_s;
    }
  }
  child.signal_group(SIGKILL);
  const int status = child.reap();
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result.cpu_s = seconds(child.usage().ru_utime) + seconds(child.usage().ru_stime);
  result.peak_memory_bytes = 1024.0 * static_cast<double>(child.usage().ru_maxrss);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.stdout_text = captured_out.take_text();
  result.stderr_text = captured_err.take_text();
  result.stdout_truncated = captured_out.truncated();
  result.stderr_truncated = captured_err.truncated();
  return result;
}

}  // namespace hpclab
