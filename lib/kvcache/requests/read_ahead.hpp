// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Reads requests on a thread of its own, a few batches ahead of who uses them: parsing and
// replaying a long trace take about the same time.
#pragma once

#include "kvcache/requests/request_source.hpp"

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hpclab::kvcache::requests {

class ReadAhead : public RequestSource {
 public:
  /// `source` outlives this and is not used by others until next() has returned false.
  explicit ReadAhead(RequestSource& source);
  /// Stops reading.
  ~ReadAhead() override;
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  const TraceFacts& facts() const override { return facts_; }
  /// What the source throws is thrown here, behind the requests that came before it.
  bool next(Request& request) override;

 private:
  struct Batch {
    std::vector<Request> requests;
    std::size_t count = 0;
  };
  static constexpr std::size_t batch_requests = 512;
  static constexpr std::size_t batches = 4;

  void read();
  bool take_batch();

  RequestSource& source_;
  TraceFacts facts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Batch> full_;   // oldest first
  std::vector<Batch> empty_;  // their memory is used again
  bool at_end_ = false;
  bool stopped_ = false;
  std::exception_ptr failure_;
  Batch current_;
  std::size_t next_ = 0;
  std::jthread reader_;
};

}  // namespace hpclab::kvcache::requests
