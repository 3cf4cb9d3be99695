// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/request_choice.hpp"

#include "core/error.hpp"
#include "kvcache/requests/sorted_source.hpp"

namespace hpclab::kvcache::requests {
namespace {

SessionMix mix_of(const RequestChoice& choice) {
  const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  SessionMix mix;
  mix.sessions = count(choice.sessions);
  mix.sessions_per_s = choice.sessions_per_s;
  mix.turns = choice.turns;
  mix.think_s = choice.think_s;
  mix.system_prompts = count(choice.system_prompts);
  mix.popularity = choice.popularity;
  mix.system_tokens = count(choice.system_tokens);
  mix.turn_tokens = choice.turn_tokens;
  mix.output_tokens = choice.output_tokens;
  mix.longest_tokens = count(choice.longest_tokens);
  mix.block_tokens = synthetic_id_tokens;
  return mix;
}

}  // namespace

ChosenRequests::ChosenRequests(const FileChoice& choice) {
  open(choice);
}

ChosenRequests::ChosenRequests(const RequestChoice& choice, std::uint64_t seed) {
  if (choice.source == Origin::file) {
    open(choice);
    return;
  }
  source_holder_ = std::make_unique<SyntheticSessions>(mix_of(choice), seed);
  source_ = source_holder_.get();
}

void ChosenRequests::open(const FileChoice& choice) {
  if (choice.requests.empty()) {
    throw UsageError("source=file needs the trace: give `requests`, or another source");
  }
  ReadingOptions options;
  options.format = choice.format;
  options.skip_bad = choice.skip_bad;
  options.id_tokens = static_cast<std::uint64_t>(choice.id_tokens);
  options.sessions_at_once = static_cast<std::uint64_t>(choice.sessions_at_once);
  file_ = std::make_unique<RequestFile>(choice.requests, options);
  source_ = file_.get();
  sorted_ = choice.order == Order::time;
  if (sorted_) {
    source_holder_ = std::make_unique<SortedSource>(*file_);
    source_ = source_holder_.get();
  }
}

std::vector<std::string> ChosenRequests::notes() const {
  return file_ ? file_->report().notes(sorted_) : std::vector<std::string>{};
}

bool ChosenRequests::unsorted() const {
  return file_ && !sorted_ && file_->report().went_back > 0;
}

}  // namespace hpclab::kvcache::requests
