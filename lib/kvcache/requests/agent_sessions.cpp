// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Agent sessions (weka format, AgentX): a document a session, whose requests and those of its
// subagents lie on one clock that starts with the session.
#include "core/error.hpp"
#include "kvcache/requests/block_hash.hpp"
#include "kvcache/requests/json_requests.hpp"
#include "kvcache/requests/parsers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::requests {
namespace {

struct Session {
  double begin_s = 0;
  std::vector<Request> requests;  // times from the session's begin
  std::size_t next = 0;

  double next_s() const { return begin_s + requests[next].time_s; }
};

class WekaParser : public RequestParser {
 public:
  WekaParser(formats::LineReader lines, std::uint64_t id_tokens, std::uint64_t at_once)
      : reader_(std::move(lines)),
        facts_{"weka", Content::block_ids, id_tokens},
        block_size_given_(id_tokens != 0),
        at_once_(at_once) {}

  const TraceFacts& facts() const override { return facts_; }

  bool next(Request& request) override {
    while (sessions_.size() < at_once_ && start_session(now_s_)) {
    }
    if (sessions_.empty()) return false;
    std::pop_heap(sessions_.begin(), sessions_.end(), later);
    Session& session = sessions_.back();
    now_s_ = session.next_s();
    request = std::move(session.requests[session.next]);
    request.time_s = now_s_;
    if (++session.next == session.requests.size()) {
      sessions_.pop_back();
    } else {
      std::push_heap(sessions_.begin(), sessions_.end(), later);
    }
    return true;
  }

 private:
  static bool later(const Session& a, const Session& b) { return a.next_s() > b.next_s(); }

  bool start_session(double begin_s) {
    Session session;
    session.begin_s = begin_s;
    do {
      const bool found = reader_.next_document([&](const formats::JsonValue& document) {
        session.requests.clear();
        take_block_size(document);
        const auto scope = document.find("hash_id_scope");
        local_ = !scope || scope->text() != "global";
        take_requests(document, session.requests);
        ++count_;
      });
      if (!found) return false;
    } while (session.requests.empty());
    std::stable_sort(session.requests.begin(), session.requests.end(),
                     [](const Request& a, const Request& b) { return a.time_s < b.time_s; });
    sessions_.push_back(std::move(session));
    std::push_heap(sessions_.begin(), sessions_.end(), later);
    return true;
  }

  void take_block_size(const formats::JsonValue& document) {
    if (block_size_given_) return;
    const std::uint64_t size = token_count(document, "block_size", 1, reader_);
    if (count_ == 0) facts_.block_tokens = size;
    if (facts_.block_tokens != size) {
      throw UsageError(
          fmt::format("{}: 'block_size' is {} here and {} in the sessions before: blocks of two "
                      "sizes cannot share a cache",
                      reader_.where(), size, facts_.block_tokens));
    }
  }

  void take_requests(const formats::JsonValue& holder, std::vector<Request>& to) {
    holder.require("requests").for_each([&](const formats::JsonValue& entry) {
      if (entry.find("requests")) {
        take_requests(entry, to);
        return;
      }
      Request request;
      request.time_s = entry.number("t");
      request.input_tokens = token_count(entry, "in", 1, reader_);
      request.output_tokens = token_count(entry, "out", 0, reader_);
      take_ids(entry, "hash_ids", facts_.block_tokens, request, reader_);
      if (local_) {
        for (std::uint64_t& id : request.blocks) id = chained(chained(chain_root, count_), id);
      }
      to.push_back(std::move(request));
    });
  }

  JsonRequestReader reader_;
  TraceFacts facts_;
  bool block_size_given_;
  std::uint64_t at_once_;
  std::vector<Session> sessions_;  // a heap, the earliest next request at its top
  std::uint64_t count_ = 0;        // sessions read
  double now_s_ = 0;
  bool local_ = true;
};

}  // namespace

std::unique_ptr<RequestParser> weka_parser(formats::LineReader lines, std::uint64_t id_tokens,
                                           std::uint64_t at_once) {
  return std::make_unique<WekaParser>(std::move(lines), id_tokens, at_once);
}

}  // namespace hpclab::kvcache::requests
