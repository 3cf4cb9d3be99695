// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A trace file of any of the formats, read in order: plain, gz or zst, checked line by line.
#pragma once

#include "core/error.hpp"
#include "formats/line_reader.hpp"
#include "kvcache/requests/request_source.hpp"
#include "kvcache/requests/trace_format.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace hpclab::kvcache::requests {

struct ReadingOptions {
  TraceFormat format = TraceFormat::automatic;
  /// Malformed lines are counted and passed over instead of ending the reading.
  bool skip_bad = false;
  /// Tokens that one hash id stands for; 0: as the format has it.
  std::uint64_t id_tokens = 0;
  /// Agent sessions replayed side by side, where the file has sessions: the next one begins when
  /// one ends.
  std::uint64_t sessions_at_once = 16;
};

/// What a reader noticed about the file; to be told, because it changes what the results mean.
struct ReadingReport {
  std::uint64_t requests = 0;
  std::uint64_t skipped = 0;        ///< malformed lines
  std::string first_skipped;        ///< what was wrong with the first of them
  std::uint64_t partial_lists = 0;  ///< requests with fewer ids than full blocks
  std::uint64_t went_back = 0;      ///< requests that came before the one above them
  std::uint64_t repeated = 0;       ///< requests equal to the one above them in all fields
  /// One sentence for each of these that is not 0; `sorted`: the replay is not in the file's order.
  std::vector<std::string> notes(bool sorted) const;
};

/// A line that cannot be a request, while the file goes on behind it.
class MalformedLine : public UsageError {
 public:
  using UsageError::UsageError;
};

/// One format: fills a request from what is next in the file.
class RequestParser {
 public:
  virtual ~RequestParser() = default;
  /// Known once next() has given the first request.
  virtual const TraceFacts& facts() const = 0;
  /// False at the end. MalformedLine "file:line: ..." when the line is at fault: the next call goes
  /// on behind it. UsageError when the file is (packed data damaged or cut off).
  virtual bool next(Request& request) = 0;
};

class RequestFile : public RequestSource {
 public:
  /// Reads up to the first request. UsageError when the file cannot be opened, is of no known
  /// format or holds no request.
  RequestFile(const std::filesystem::path& path, const ReadingOptions& options);
  /// The same for lines at hand, whose format the options name.
  RequestFile(formats::LineReader lines, const ReadingOptions& options);

  const TraceFacts& facts() const override { return parser_->facts(); }
  /// UsageError "file:line: ..." for a malformed line, unless it is skipped.
  bool next(Request& request) override;
  const ReadingReport& report() const { return report_; }

 private:
  bool next_good(Request& request);
  void inspect(const Request& request);

  ReadingOptions options_;
  std::string name_;
  std::unique_ptr<RequestParser> parser_;
  ReadingReport report_;
  Request previous_;
  Request first_;
  bool first_is_next_ = true;
};

}  // namespace hpclab::kvcache::requests
