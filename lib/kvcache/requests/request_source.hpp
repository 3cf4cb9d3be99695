// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Requests one after the other, from a file or a generator, in bounded memory.
#pragma once

#include "kvcache/requests/request.hpp"

#include <memory>

namespace hpclab::kvcache::requests {

class RequestSource {
 public:
  virtual ~RequestSource() = default;
  virtual const TraceFacts& facts() const = 0;
  /// Fills `request`, whose vectors are reused; false at the end.
  virtual bool next(Request& request) = 0;
};

}  // namespace hpclab::kvcache::requests
