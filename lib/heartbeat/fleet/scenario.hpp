// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What is simulated: ranks that pause and nodes that fail, watched by a timeout; and the random
// numbers of it. Every draw depends on (seed, purpose, index, count) alone, so that any queue, any
// engine and any number of threads see the same pauses and failures.
#pragma once

#include "core/random_stream.hpp"
#include "heartbeat/detector/detector.hpp"
#include "heartbeat/pause_law.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::heartbeat::fleet {

/// What a job does while more nodes are away than there are spares.
enum class Shortage { wait, shrink };

struct Scenario {
  std::uint64_t seed = 1;
  std::int64_t ranks = 1024;
  std::int64_t ranks_per_node = 8;
  Nanoseconds period = 1'000'000'000;
  Nanoseconds timeout = 10'000'000'000;
  Nanoseconds rebuild = 300'000'000'000;
  Nanoseconds horizon = 0;  ///< end of the simulated time
  double pause_rate_per_s = 0;
  PauseLawPtr pauses;
  double node_failure_rate_per_s = 0;
  double weibull_shape = 1;         ///< of the times between failures of a node
  double lemon_share = 0;           ///< of the nodes
  double lemon_factor = 1;          ///< their failure rate over that of others
  std::vector<Nanoseconds> replay;  ///< failures at these times instead, ascending
  std::vector<std::uint32_t> replay_nodes;
  double checkpoint_interval_s = 0;  ///< work between checkpoints; 0: nothing is lost
  double checkpoint_s = 0;
  std::int64_t spares = 0;
  double repair_mean_s = 0;  ///< exponential; 0: a failed node is back with the rebuild
  Shortage shortage = Shortage::wait;

  std::int64_t nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  /// The moment within the period at which a rank sends.
  Nanoseconds phase_of(std::int64_t rank) const;
};

/// Two uniforms in (0, 1] for the count-th event of an index.
struct Pair {
  double first;
  double second;
};
enum class Purpose : std::uint32_t { phase = 1, pause = 2, failure = 3, repair = 4 };
inline Pair uniforms(std::uint64_t seed, Purpose purpose, std::uint64_t index,
                     std::uint32_t count) {
  const PhiloxCounter block =
      philox4x32_10({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                     count, static_cast<std::uint32_t>(purpose)},
                    {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  const auto unit = [](std::uint64_t low, std::uint64_t high) {
    return static_cast<double>(((high << 32 | low) >> 11) + 1) * 0x1p-53;
  };
  return {unit(block[0], block[1]), unit(block[2], block[3])};
}

/// Time from the end of a rank's last pause to its next one, and the length of that.
struct NextPause {
  Nanoseconds gap;
  Nanoseconds length;
};
NextPause next_pause(const Scenario& s, std::int64_t rank, std::uint32_t count);
/// Time from a node's last failure (or the start) to the next.
Nanoseconds next_failure_gap(const Scenario& s, std::int64_t node, std::uint32_t count);
Nanoseconds repair_time(const Scenario& s, std::int64_t node, std::uint32_t count);

/// The last heartbeat of a rank at or before `now`, when it last resumed from a pause at `resumed`.
Nanoseconds last_heartbeat(const Scenario& s, std::int64_t rank, Nanoseconds now,
                           Nanoseconds resumed);

}  // namespace hpclab::heartbeat::fleet
