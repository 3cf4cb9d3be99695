// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/batch.hpp"

#include <algorithm>
#include <deque>

namespace hpclab::kvcache::policies {
namespace {

struct Waiting {
  std::size_t request;
  std::uint64_t tokens;  // to compute before it runs: the prompt's, and those generated so far
};

struct Running {
  std::size_t request;
  std::uint64_t tokens;
  std::uint32_t handle;
};

class Batch {
 public:
  Batch(const std::vector<BatchRequest>& requests, KvAllocator& allocator,
        const BatchOptions& options)
      : requests_(requests), allocator_(allocator), options_(options) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      waiting_.push_back({i, requests[i].prompt_tokens});
    }
  }

  BatchMeans run(const StopToken& stop) {
    for (std::uint64_t step = 0; !waiting_.empty() || !running_.empty(); ++step) {
      if (step % 1024 == 0) stop.throw_if_requested();
      const std::uint64_t thrown_out = means_.preemptions;
      grow();
      // Whoever was thrown out in this step waits: the pool is full.
      if (thrown_out == means_.preemptions) admit();
      book();
      finish();
    }
    return means();
  }

 private:
  SlotDemand demand_of(const Waiting& waiting) const {
    const BatchRequest& request = requests_[waiting.request];
    return {options_.samples, request.prompt_tokens, waiting.tokens, request.reserved,
            request.prompt_blocks};
  }

  void admit() {
    refused_ = false;
    while (!waiting_.empty()) {
      if (options_.most_sequences > 0 &&
          (running_.size() + 1) * options_.samples > options_.most_sequences) {
        return;
      }
      const std::uint32_t handle = free_handles_.empty() ? next_handle_ : free_handles_.back();
      if (!allocator_.admit(handle, demand_of(waiting_.front()))) {
        if (running_.empty()) {  // not even alone
          ++means_.rejected;
          waiting_.pop_front();
          continue;
        }
        refused_ = true;
        return;
      }
      free_handles_.empty() ? static_cast<void>(++next_handle_) : free_handles_.pop_back();
      running_.push_back({waiting_.front().request, waiting_.front().tokens, handle});
      waiting_.pop_front();
      ++means_.admitted;
    }
  }

  void grow() {
    for (std::size_t i = 0; i < running_.size(); ++i) {
      while (!allocator_.grow(running_[i].handle)) {
        const bool alone = running_.size() == 1;
        const bool itself = i + 1 == running_.size();
        if (alone) {  // it will not fit next time either
          ++means_.rejected;
          drop_last();
        } else {
          throw_out_last();
        }
        refused_ = true;
        if (itself) return;
      }
      ++running_[i].tokens;
    }
  }

  void drop_last() {
    allocator_.release(running_.back().handle);
    free_handles_.push_back(running_.back().handle);
    running_.pop_back();
  }

  void throw_out_last() {
    const Running& last = running_.back();
    ++means_.preemptions;
    means_.recomputed_tokens += options_.samples * last.tokens;
    // It has generated one token more than it stored; all of them are a prompt now.
    waiting_.push_front({last.request, last.tokens + 1});
    drop_last();
  }

  void book() {
    if (refused_ && !means_.pool_was_full) {
      // From here on only steps with a full pool count.
      means_.pool_was_full = true;
      first_fill_ = running_.size();
      forget();
    }
    if (means_.pool_was_full && !refused_) return;
    // The sequences that fill the pool first are all young at once, and at the end nobody sees the
    // last ones grow old: counted from there, means would be those of young sequences. Once the
    // first ones have left, ages are mixed as they stay.
    if (means_.pool_was_full && !warm_ && finished_ >= first_fill_) {
      warm_ = true;
      forget();
    }
    ++means_.steps;
    std::uint64_t reserved = 0, internal = 0;
    for (const Running& running : running_) {
      const SlotUse use = allocator_.use(running.handle);
      const std::uint64_t idle = use.slots - use.tokens;
      const std::uint64_t to_come =
          options_.samples * (requests_[running.request].final_tokens() - running.tokens);
      reserved += std::min(idle, to_come);
      internal += idle - std::min(idle, to_come);
      sums_.logical_tokens += static_cast<double>(options_.samples * running.tokens);
    }
    sums_.sequences += static_cast<double>(options_.samples * running_.size());
    sums_.reserved += static_cast<double>(reserved);
    sums_.internal += static_cast<double>(internal);
    sums_.tokens += static_cast<double>(allocator_.taken_slots() - reserved - internal);
    sums_.external += static_cast<double>(allocator_.pool_slots() - allocator_.taken_slots());
  }

  void forget() {
    sums_ = {};
    means_.steps = 0;
  }

  void finish() {
    std::erase_if(running_, [&](const Running& running) {
      if (running.tokens < requests_[running.request].final_tokens()) return false;
      allocator_.release(running.handle);
      free_handles_.push_back(running.handle);
      ++finished_;
      return true;
    });
  }

  BatchMeans means() {
    BatchMeans means = means_;
    const double steps = static_cast<double>(std::max<std::uint64_t>(means.steps, 1));
    means.sequences = sums_.sequences / steps;
    means.tokens = sums_.tokens / steps;
    means.logical_tokens = sums_.logical_tokens / steps;
    means.reserved = sums_.reserved / steps;
    means.internal = sums_.internal / steps;
    means.external = sums_.external / steps;
    return means;
  }

  const std::vector<BatchRequest>& requests_;
  KvAllocator& allocator_;
  BatchOptions options_;
  std::deque<Waiting> waiting_;
  std::vector<Running> running_;  // in the order of admission
  std::vector<std::uint32_t> free_handles_;
  std::uint32_t next_handle_ = 0;
  bool refused_ = false;  // somebody waits for room
  bool warm_ = false;
  std::size_t first_fill_ = 0;  // requests that ran when the pool was full for the first time
  std::size_t finished_ = 0;
  BatchMeans means_;
  BatchMeans sums_;
};

}  // namespace

BatchMeans run_batch(const std::vector<BatchRequest>& requests, KvAllocator& allocator,
                     const BatchOptions& options, const StopToken& stop) {
  return Batch(requests, allocator, options).run(stop);
}

}  // namespace hpclab::kvcache::policies
