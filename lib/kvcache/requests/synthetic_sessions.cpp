// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/synthetic_sessions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpclab::kvcache::requests {
namespace {

double exponential(RandomStream& random, double mean) {
  return -mean * std::log1p(-random.uniform());
}

// At least 1, with this mean as long as the mean is well above 1.
std::uint64_t token_draw(RandomStream& random, double mean) {
  return 1 + static_cast<std::uint64_t>(exponential(random, std::max(mean - 0.5, 0.)));
}

// Geometric on 1, 2, ...: the number of trials up to the first success of probability 1 / mean.
std::uint64_t turn_draw(RandomStream& random, double mean) {
  if (mean <= 1) return 1;
  return 1 + static_cast<std::uint64_t>(std::log1p(-random.uniform()) / std::log1p(-1 / mean));
}

}  // namespace

SyntheticSessions::SyntheticSessions(const SessionMix& mix, std::uint64_t seed)
    : mix_(mix),
      facts_{"synthetic", Content::block_ids, mix.block_tokens},
      arrivals_(seed, "session arrivals"),
      sessions_(seed, "sessions") {
  double sum = 0;
  for (std::uint64_t rank = 1; rank <= mix.system_prompts; ++rank) {
    sum += std::pow(static_cast<double>(rank), -mix.popularity);
    prompt_shares_.push_back(sum);
  }
  for (double& share : prompt_shares_) share /= sum;
  // The full blocks of the system prompts have the first ids.
  next_id_ = mix.system_prompts * (mix.system_tokens / mix.block_tokens);
  next_arrival_s_ = exponential(arrivals_, 1 / mix_.sessions_per_s);
}

bool SyntheticSessions::later(const Session& a, const Session& b) {
  return a.next_s != b.next_s ? a.next_s > b.next_s : a.number > b.number;
}

void SyntheticSessions::start_session() {
  Session session{next_arrival_s_, started_, 0, 0, sessions_.substream(started_), {}};
  RandomStream& random = session.random;
  const auto rank =
      std::upper_bound(prompt_shares_.begin(), prompt_shares_.end(), random.uniform());
  const auto prompt = static_cast<std::uint64_t>(std::min(rank, std::prev(prompt_shares_.end())) -
                                                 prompt_shares_.begin());
  const std::uint64_t prompt_blocks = mix_.system_tokens / mix_.block_tokens;
  for (std::uint64_t i = 0; i < prompt_blocks; ++i) {
    session.full_blocks.push_back(prompt * prompt_blocks + i);
  }
  session.turns_left = turn_draw(random, mix_.turns);
  session.input_tokens =
      std::min(mix_.system_tokens + token_draw(random, mix_.turn_tokens), mix_.longest_tokens);
  alive_.push_back(std::move(session));
  std::push_heap(alive_.begin(), alive_.end(), later);
  ++started_;
  next_arrival_s_ += exponential(arrivals_, 1 / mix_.sessions_per_s);
}

bool SyntheticSessions::next(Request& request) {
  while (started_ < mix_.sessions && (alive_.empty() || next_arrival_s_ <= alive_.front().next_s)) {
    start_session();
  }
  if (alive_.empty()) return false;
  std::pop_heap(alive_.begin(), alive_.end(), later);
  Session& session = alive_.back();
  request.time_s = session.next_s;
  request.input_tokens = session.input_tokens;
  request.output_tokens = token_draw(session.random, mix_.output_tokens);
  number_blocks(session, request);

  session.next_s += exponential(session.random, mix_.think_s);
  session.input_tokens += request.output_tokens + token_draw(session.random, mix_.turn_tokens);
  if (--session.turns_left == 0 || session.input_tokens > mix_.longest_tokens) {
    alive_.pop_back();
  } else {
    std::push_heap(alive_.begin(), alive_.end(), later);
  }
  return true;
}

// What is full keeps its id in later turns; the partly filled last block is another one each time.
void SyntheticSessions::number_blocks(Session& session, Request& request) {
  const std::uint64_t full = request.input_tokens / mix_.block_tokens;
  while (session.full_blocks.size() < full) session.full_blocks.push_back(next_id_++);
  request.blocks.assign(session.full_blocks.begin(),
                        session.full_blocks.begin() + static_cast<std::ptrdiff_t>(full));
  if (request.input_tokens % mix_.block_tokens != 0) request.blocks.push_back(next_id_++);
}

}  // namespace hpclab::kvcache::requests
