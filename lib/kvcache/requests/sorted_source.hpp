// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Requests in the order of their times, for traces that are not sorted: all of them in memory.
#pragma once

#include "kvcache/requests/request_source.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::kvcache::requests {

class SortedSource : public RequestSource {
 public:
  /// Reads `source` to its end; requests of the same time keep their order.
  explicit SortedSource(RequestSource& source);

  const TraceFacts& facts() const override { return facts_; }
  bool next(Request& request) override;

 private:
  TraceFacts facts_;
  std::vector<Request> requests_;
  std::size_t next_ = 0;
};

}  // namespace hpclab::kvcache::requests
