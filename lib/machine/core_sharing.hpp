// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Whether the threads of a team have a core each. A guest is not told when its hypervisor runs two
// virtual processors as siblings of one core, and that can change from minute to minute.
#pragma once

#include "machine/thread_team.hpp"

#include <optional>
#include <string>

namespace hpclab::machine {

/// How many times longer the same register arithmetic takes when all members do it at once than
/// when member 0 does it alone: about 1 where each has a core, about 2 where two share one. Keeps
/// two adders busy, touches no memory, takes the shortest of some tries of 0.1 ms; 1 for a team of
/// one.
double slowdown_together(ThreadTeam& team);

/// Looks when it is made and when it is asked, before and after a measurement with the team.
class CoreSharingWatch {
 public:
  explicit CoreSharingWatch(ThreadTeam& team) : team_(team), slowdown_(slowdown_together(team)) {}

  /// A remark for the record when either look found more than 1.3.
  std::optional<std::string> note();

 private:
  ThreadTeam& team_;
  double slowdown_;
};

}  // namespace hpclab::machine
