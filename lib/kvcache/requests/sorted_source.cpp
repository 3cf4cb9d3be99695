// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/sorted_source.hpp"

#include <algorithm>
#include <utility>

namespace hpclab::kvcache::requests {

SortedSource::SortedSource(RequestSource& source) {
  for (Request request; source.next(request);) requests_.push_back(std::move(request));
  facts_ = source.facts();
  std::stable_sort(requests_.begin(), requests_.end(),
                   [](const Request& a, const Request& b) { return a.time_s < b.time_s; });
}

bool SortedSource::next(Request& request) {
  if (next_ == requests_.size()) return false;
  request = std::move(requests_[next_++]);
  return true;
}

}  // namespace hpclab::kvcache::requests
