// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/requests/read_ahead.hpp"

#include <utility>

namespace hpclab::kvcache::requests {

ReadAhead::ReadAhead(RequestSource& source) : source_(source), facts_(source.facts()) {
  for (std::size_t i = 0; i < batches; ++i) {
    empty_.push_back({std::vector<Request>(batch_requests), 0});
  }
  reader_ = std::jthread([this] { read(); });
}

ReadAhead::~ReadAhead() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void ReadAhead::read() {
  for (bool more = true; more;) {
    Batch batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || !empty_.empty(); });
      if (stopped_) return;
      batch = std::move(empty_.back());
      empty_.pop_back();
    }
    std::exception_ptr failure;
    batch.count = 0;
    try {
      while (batch.count < batch_requests && (more = source_.next(batch.requests[batch.count]))) {
        ++batch.count;
      }
    } catch (...) {
      failure = std::current_exception();
      more = false;
    }
    {
      const std::scoped_lock lock(mutex_);
      full_.push_back(std::move(batch));
      at_end_ = !more;
      failure_ = failure;
    }
    changed_.notify_all();
  }
}

bool ReadAhead::take_batch() {
  {
    std::unique_lock lock(mutex_);
    if (!current_.requests.empty()) empty_.push_back(std::move(current_));
    current_ = {};
    next_ = 0;
    changed_.wait(lock, [&] { return at_end_ || !full_.empty(); });
    if (full_.empty()) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return false;
    }
    current_ = std::move(full_.front());
    full_.erase(full_.begin());
  }
  changed_.notify_all();
  return true;
}

bool ReadAhead::next(Request& request) {
  while (next_ == current_.count) {
    if (!take_batch()) return false;
  }
  std::swap(request, current_.requests[next_++]);
  return true;
}

}  // namespace hpclab::kvcache::requests
