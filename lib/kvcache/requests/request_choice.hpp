// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Which requests a study works on: a trace file or generated sessions, as its parameters say. The
// parameters are declared here once for all studies that have them.
#pragma once

#include "core/parameter.hpp"
#include "kvcache/requests/request_file.hpp"
#include "kvcache/requests/synthetic_sessions.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hpclab::kvcache::requests {

enum class Origin { synthetic, file };
enum class Order { file, time };

/// A trace file and how it is read.
struct FileChoice {
  std::filesystem::path requests;
  TraceFormat format = TraceFormat::automatic;
  Order order = Order::file;
  bool skip_bad = false;
  std::int64_t id_tokens = 0;
  std::int64_t sessions_at_once = 16;
};

/// Base of the parameter structs of studies that also work on generated sessions.
struct RequestChoice : FileChoice {
  Origin source = Origin::synthetic;
  std::int64_t sessions = 2000;
  double sessions_per_s = 2;
  double turns = 5;
  double think_s = 60;
  std::int64_t system_prompts = 40;
  double popularity = 1;
  std::int64_t system_tokens = 1500;
  double turn_tokens = 250;
  double output_tokens = 300;
  std::int64_t longest_tokens = 131'072;
};

/// Requests in order, and what was noticed about them.
class ChosenRequests {
 public:
  /// UsageError as RequestFile; also when no file is named.
  explicit ChosenRequests(const FileChoice& choice);
  ChosenRequests(const RequestChoice& choice, std::uint64_t seed);

  RequestSource& source() { return *source_; }
  /// Sentences about the file, complete once the source has been read to its end.
  std::vector<std::string> notes() const;
  /// Requests went back in time and were not sorted.
  bool unsorted() const;

 private:
  void open(const FileChoice& choice);

  std::unique_ptr<RequestFile> file_;
  std::unique_ptr<RequestSource> source_holder_;
  RequestSource* source_ = nullptr;
  bool sorted_ = false;
};

/// Tokens of one id of generated requests.
inline constexpr std::uint64_t synthetic_id_tokens = 64;

/// Declares the members of FileChoice for a parameter struct that derives from it and has a choice
/// `source` with "file" among its values. All affect `methods` only.
template <class P>
void add_file_parameters(ParameterTable<P>& table, const std::vector<Method>& methods) {
  const std::vector<std::string> file{"file"};
  table
      .template add<std::filesystem::path>(
          &P::requests, "requests", "trace of requests, plain, gz or zst; its format see `format`")
      .affects(methods)
      .when("source", file)
      .as_positional();
  table
      .template add_choice<TraceFormat>(
          &P::format, "format", trace_format_names(),
          "format of the trace: Mooncake or Qwen-Bailian JSON lines, weka agent sessions, JSON "
          "lines of token ids, Azure table of lengths; auto looks at the first line")
      .affects(methods)
      .when("source", file);
  table
      .template add_choice<Order>(
          &P::order, "order", {{"file", Order::file}, {"time", Order::time}},
          "order of the replay: as in the file, or sorted by time in memory")
      .affects(methods)
      .when("source", file);
  table
      .template add<bool>(&P::skip_bad, "skip_bad",
                          "count malformed lines and go on, instead of ending at the first")
      .affects(methods)
      .when("source", file);
  table
      .template add<std::int64_t>(
          &P::id_tokens, "id_tokens",
          "tokens of one hash id of the trace; 0: as the format has it (Mooncake 512, Bailian 16)")
      .between(0, 1 << 20)
      .affects(methods)
      .when("source", file);
  table
      .template add<std::int64_t>(&P::sessions_at_once, "sessions_at_once",
                                  "agent sessions of a weka trace that are replayed side by side")
      .between(1, 1 << 20)
      .affects(methods)
      .when("source", file);
}

/// Declares the members of RequestChoice, likewise.
template <class P>
void add_request_parameters(ParameterTable<P>& table, const std::vector<Method>& methods) {
  const std::vector<std::string> synthetic{"synthetic"};
  table
      .template add_choice<Origin>(
          &P::source, "source", {{"synthetic", Origin::synthetic}, {"file", Origin::file}},
          "where the requests come from: generated chat sessions, or the file `requests`")
      .affects(methods)
      .as_inferred();
  add_file_parameters(table, methods);
  table.template add<std::int64_t>(&P::sessions, "sessions", "chat sessions to generate")
      .between(1, 1e9)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<double>(&P::sessions_per_s, "sessions_per_s", "sessions that begin in a second")
      .between(1e-6, 1e9)
      .affects(methods)
      .when("source", synthetic);
  table.template add<double>(&P::turns, "turns", "mean number of turns of a session, geometric")
      .between(1, 1e4)
      .affects(methods)
      .when("source", synthetic);
  table.template add<double>(&P::think_s, "think_s", "mean pause between two turns of a session")
      .in_unit("s")
      .between(0, 1e7)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<std::int64_t>(&P::system_prompts, "system_prompts",
                                  "different system prompts that sessions begin with")
      .between(1, 1e6)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<double>(&P::popularity, "popularity",
                            "exponent of Zipf's law over the system prompts; 0: equally popular")
      .between(0, 10)
      .affects(methods)
      .when("source", synthetic);
  table.template add<std::int64_t>(&P::system_tokens, "system_tokens", "tokens of a system prompt")
      .in_unit("tokens")
      .between(0, 1e6)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<double>(&P::turn_tokens, "turn_tokens",
                            "mean tokens that a turn adds, exponential")
      .in_unit("tokens")
      .between(1, 1e6)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<double>(&P::output_tokens, "output_tokens",
                            "mean tokens of an answer, exponential")
      .in_unit("tokens")
      .between(1, 1e6)
      .affects(methods)
      .when("source", synthetic);
  table
      .template add<std::int64_t>(&P::longest_tokens, "longest_tokens",
                                  "a session ends before its input becomes longer than this")
      .in_unit("tokens")
      .between(1, 1e8)
      .affects(methods)
      .when("source", synthetic);
}

}  // namespace hpclab::kvcache::requests
