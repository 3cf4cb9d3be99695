// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A generator of chat traffic: sessions of several turns arrive as a Poisson process, begin with
// one of a few system prompts, and send their whole history with each turn. A trace of any length
// in the memory of the sessions that are alive.
#pragma once

#include "core/random_stream.hpp"
#include "kvcache/requests/request_source.hpp"

#include <cstdint>
#include <vector>

namespace hpclab::kvcache::requests {

struct SessionMix {
  std::uint64_t sessions = 2000;
  double sessions_per_s = 2;
  double turns = 5;     ///< mean, geometric from 1
  double think_s = 60;  ///< mean pause between turns, exponential
  std::uint64_t system_prompts = 40;
  double popularity = 1;  ///< exponent of Zipf's law over the system prompts; 0: equal
  std::uint64_t system_tokens = 1500;
  double turn_tokens = 250;                ///< mean of what the user adds, exponential, at least 1
  double output_tokens = 300;              ///< mean of the answer, exponential, at least 1
  std::uint64_t longest_tokens = 131'072;  ///< a session ends before a longer input
  std::uint64_t block_tokens = 64;
};

class SyntheticSessions : public RequestSource {
 public:
  /// The same requests for the same mix and seed, on every machine.
  SyntheticSessions(const SessionMix& mix, std::uint64_t seed);

  const TraceFacts& facts() const override { return facts_; }
  bool next(Request& request) override;

 private:
  struct Session {
    double next_s;
    std::uint64_t number;
    std::uint64_t turns_left;
    std::uint64_t input_tokens;  // of the turn to come
    RandomStream random;
    std::vector<std::uint64_t> full_blocks;  // ids of the history's full blocks
  };
  static bool later(const Session& a, const Session& b);

  void start_session();
  void number_blocks(Session& session, Request& request);

  SessionMix mix_;
  TraceFacts facts_;
  RandomStream arrivals_;
  RandomStream sessions_;
  std::vector<double> prompt_shares_;  // cumulative, by rank
  std::vector<Session> alive_;         // a heap, the earliest turn at its top
  double next_arrival_s_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t next_id_ = 0;
};

}  // namespace hpclab::kvcache::requests
