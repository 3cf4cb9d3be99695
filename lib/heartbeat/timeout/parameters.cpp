// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/timeout/parameters.hpp"

namespace hpclab::heartbeat::timeout {
namespace {

ParameterTable<Parameters> make_table() {
  using P = Parameters;
  ParameterTable<P> table;
  table.add(&P::ranks, "ranks", "ranks of the synchronous ring").between(1, 1e9).in_steps_of(1);
  table.add(&P::period_s, "period_s", "time between two heartbeats; 0: without a gap")
      .between(0, 1e6);
  table
      .add(
          &P::timeout_s, "timeout_s",
          "silence after the last heartbeat that ejects a rank, at least a period; 0: the best one")
      .between(0, 1e9);
  table.add_choice(&P::sender, "sender",
                   {{"catch-up", Sender::catch_up}, {"aligned", Sender::aligned}},
                   "after a pause the heartbeat is sent at once, or at the next multiple of the "
                   "period");
  table
      .add(&P::rebuild_s, "rebuild_s",
           "time until the ring works again, after a failure and after a false ejection")
      .between(0, 1e7);
  table.add(&P::rebuild_per_rank_s, "rebuild_per_rank_s", "more of it for each rank of the ring")
      .between(0, 1e5);
  table.add(&P::lost_work_s, "lost_work_s", "work since the last checkpoint that is done again")
      .between(0, 1e7);
  add_pause_parameters(table);
  add_failure_parameters(table);
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

}  // namespace hpclab::heartbeat::timeout
