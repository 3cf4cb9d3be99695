// hpclab: SPDX-License-Identifier: Apache-2.0
#include "machine/core_sharing.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace hpclab::machine {
namespace {

constexpr int tries = 4;
constexpr int rounds = 100'000;  // of 3 or 4 cycles each
constexpr double shared_above = 1.3;

// Eight independent chains of additions: as many as two adders with a latency of four can have in
// flight.
double busy_adders(double step) {
  using Pair = double __attribute__((vector_size(16)));
  const Pair add{step, step};
  Pair a{1, 1};
  Pair b = a;
  Pair c = a;
  Pair d = a;
  Pair e = a;
  Pair f = a;
  Pair g = a;
  Pair h = a;
  for (int i = 0; i < rounds; ++i) {
    a += add;
    b += add;
    c += add;
    d += add;
    e += add;
    f += add;
    g += add;
    h += add;
#if defined(__x86_64__)
    __asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
#else
    __asm__ volatile("" : "+w"(a), "+w"(b), "+w"(c), "+w"(d), "+w"(e), "+w"(f), "+w"(g), "+w"(h));
#endif
  }
  const Pair sum = a + b + c + d + e + f + g + h;
  return sum[0] + sum[1];
}

}  // namespace

double slowdown_together(ThreadTeam& team) {
  if (team.size() == 1) return 1;
  std::vector<double> sums(static_cast<std::size_t>(team.size()));
  const auto add = [&sums](int member) {
    sums[static_cast<std::size_t>(member)] = busy_adders(1e-9);
  };
  double alone_s = std::numeric_limits<double>::infinity();
  double together_s = std::numeric_limits<double>::infinity();
  for (int i = 0; i < tries; ++i) {
    const auto alone = team.run([&](int member) {
      if (member == 0) add(member);
    });
    alone_s = std::min(alone_s, alone.thread_s[0]);
    together_s = std::min(together_s, team.run(add).wall_s);
  }
  return together_s / alone_s;
}

std::optional<std::string> CoreSharingWatch::note() {
  slowdown_ = std::max(slowdown_, slowdown_together(team_));
  if (slowdown_ <= shared_above) return std::nullopt;
  return fmt::format(
      "noisy: {} threads slow each other down {:.1f} times in register arithmetic: they share "
      "cores "
      "(SMT siblings, or virtual processors that the hypervisor runs on one core)",
      team_.size(), slowdown_);
}

}  // namespace hpclab::machine
