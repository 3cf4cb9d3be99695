// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/device_process.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpclab::roofline::residency {
namespace {

struct Reply {
  std::uint32_t failed = 0;
  std::array<char, 252> text{};
};

[[noreturn]] void fail(const char* what) {
  throw CaseFailed(fmt::format("{}: {}", what, std::strerror(errno)));
}

// What a process answers about itself; never throws.
Reply reply_of(const std::function<void()>& work) {
  Reply reply;
  const auto say = [&](std::string_view text) {
    reply.failed = 1;
    std::copy_n(text.begin(), std::min(text.size(), reply.text.size() - 1), reply.text.begin());
  };
  try {
    work();
  } catch (const std::exception& error) {
    say(error.what());
  } catch (...) {
    say("unknown error");
  }
  return reply;
}

// The life of the child: ends with its owner, by a closed channel or by the kernel.
[[noreturn]] void serve_until_closed(int channel, pid_t owner,
                                     const std::function<DeviceProcess::Serve()>& prepare) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner) _exit(0);  // it died before the line above
  std::signal(SIGINT, SIG_IGN);      // the terminal's Ctrl-C is the owner's to handle
  std::signal(SIGTERM, SIG_DFL);
  DeviceProcess::Serve serve;
  Reply reply = reply_of([&] { serve = prepare(); });
  const bool ready = reply.failed == 0;
  while (send(channel, &reply, sizeof reply, MSG_NOSIGNAL) == sizeof reply && ready) {
    std::uint32_t command = 0;
    ssize_t size = 0;
    do {
      size = recv(channel, &command, sizeof command, 0);
    } while (size < 0 && errno == EINTR);
    if (size != sizeof command) break;
    reply = reply_of([&] { serve(command); });
  }
  _exit(0);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("status {}", WEXITSTATUS(status));
}

}  // namespace

SharedSegment::SharedSegment(std::size_t bytes) : bytes_(bytes) {
  const int file = memfd_create("hpclab-residency", MFD_CLOEXEC);
  if (file < 0) fail("creating a shared segment");
  void* memory = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int error = errno;
  close(file);  // the mapping keeps the memory
  if (memory == MAP_FAILED) {
    errno = error;
    fail("mapping a shared segment");
  }
  data_ = static_cast<std::byte*>(memory);
  madvise(memory, bytes, MADV_HUGEPAGE);  // where the system allows it for shared memory
}

SharedSegment::~SharedSegment() {
  munmap(data_, bytes_);
}

DeviceProcess::DeviceProcess(const std::function<Serve()>& prepare, StopToken stop)
    : stop_(std::move(stop)) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail("creating a channel between processes");
  const pid_t owner = getpid();
  child_ = fork();
  if (child_ == 0) {
    close(ends[0]);
    serve_until_closed(ends[1], owner, prepare);
  }
  close(ends[1]);
  channel_ = ends[0];
  if (child_ < 0) {
    close(channel_);
    fail("starting the device process");
  }
  try {
    wait_for_reply();
  } catch (...) {
    end();
    throw;
  }
}

DeviceProcess::~DeviceProcess() {
  end();
}

// It keeps nothing worth saving, and may be in the middle of a long step.
void DeviceProcess::end() noexcept {
  if (channel_ >= 0) close(std::exchange(channel_, -1));
  if (child_ <= 0) return;
  kill(child_, SIGKILL);
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
  child_ = -1;
}

void DeviceProcess::wait_for_reply() {
  constexpr int look_at_stop_ms = 50;
  for (;;) {
    pollfd event{channel_, POLLIN, 0};
    const int ready = poll(&event, 1, look_at_stop_ms);
    if (ready < 0 && errno != EINTR) fail("waiting for the device process");
    if (ready > 0) break;
    stop_.throw_if_requested();
  }
  Reply reply;
  const ssize_t size = recv(channel_, &reply, sizeof reply, 0);
  if (size == sizeof reply) {
    if (reply.failed != 0) throw CaseFailed(fmt::format("device process: {}", reply.text.data()));
    return;
  }
  int status = 0;
  const pid_t ended = waitpid(child_, &status, 0);
  if (ended == child_) child_ = -1;
  throw CaseFailed(fmt::format("the device process ended before it had answered ({})",
                               ended > 0 ? how_it_ended(status) : "it is gone"));
}

void DeviceProcess::run(std::uint32_t command) {
  if (child_ <= 0) throw CaseFailed("the device process has ended");
  if (send(channel_, &command, sizeof command, MSG_NOSIGNAL) != sizeof command && errno != EPIPE)
    fail("calling the device process");
  wait_for_reply();  // which says so when it is gone
}

}  // namespace hpclab::roofline::residency
