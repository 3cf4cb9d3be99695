// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/study.hpp"

#include "core/context.hpp"
#include "heartbeat/lint/timers.hpp"

#include <fmt/format.h>

namespace hpclab::heartbeat::lint {
namespace {

ParameterTable<Timers> make_table() {
  using P = Timers;
  ParameterTable<P> table;
  const auto add = [&](double P::*member, const char* name, const char* help) {
    table.add(member, name, help).between(0, 1e9);
  };
  add(&P::heartbeat_period_s, "heartbeat_period_s", "time between two heartbeats; 0: none");
  add(&P::heartbeat_timeout_s, "heartbeat_timeout_s",
      "silence that ends a process (TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC); 0: none");
  add(&P::monitor_period_s, "monitor_period_s", "how often somebody looks; 0: none");
  add(&P::process_group_timeout_s, "process_group_timeout_s",
      "time a collective may take (init_process_group timeout); 0: none");
  add(&P::dump_wait_s, "dump_wait_s",
      "time for writing diagnostics (TORCH_NCCL_WAIT_TIMEOUT_DUMP_MILSEC); 0: none");
  add(&P::train_step_timeout_s, "train_step_timeout_s", "time a training step may take; 0: none");
  add(&P::init_timeout_s, "init_timeout_s", "time that start-up may take; 0: none");
  add(&P::watchdog_timeout_s, "watchdog_timeout_s",
      "silence after which the scheduler or a supervisor ends the job; 0: none");
  add(&P::longest_pause_s, "longest_pause_s",
      "longest pause of a healthy rank: garbage collection, checkpoint, compilation; 0: unknown");
  return table;
}

Result model(const Timers& timers, Context&) {
  Result result;
  const std::vector<Finding> found = check(timers);
  Table order{{"timer", "seconds"}, {"", "s"}, {}};
  for (const NamedTimer& timer : ordered(timers)) order.rows.push_back({timer.name, timer.seconds});
  result.set_table("order", order);
  Table findings{{"shorter", "longer", "fault", "consequence"}, {"", "", "", ""}, {}};
  for (const Finding& f : found) {
    findings.rows.push_back({f.shorter, f.longer, name_of(f.fault), f.consequence});
    result.add_note(fmt::format("{} = {:g} s has to end before {} = {:g} s{}: {} - {}", f.shorter,
                                f.shorter_s, f.longer, f.longer_s,
                                f.margin > 1 ? fmt::format(" / {:g}", f.margin) : "",
                                name_of(f.fault), f.consequence));
  }
  result.set_table("findings", findings);
  result.set_value("findings_count", static_cast<double>(found.size()));
  result.set_text("verdict", found.empty() ? "the timers are in order"
                                           : fmt::format("{} faults", found.size()));
  return result;
}

}  // namespace

Study study() {
  return StudyDefinition<Timers>("heartbeat", "lint",
                                 "Are the timers of this job in an order that works?", make_table())
      .value({"findings_count", "pairs of timers that are equal, inverted or too close",
              Better::lower, true})
      .model(model)
      .build();
}

}  // namespace hpclab::heartbeat::lint
