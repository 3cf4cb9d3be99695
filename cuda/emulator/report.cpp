// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Words for what went wrong: names, places, and who waits where in a deadlock.
#include "cuda/emulator/engine.hpp"

#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace hpclab::emulator {
namespace {

const char* file_of(const std::source_location& where) {
  const char* slash = std::strrchr(where.file_name(), '/');
  return slash == nullptr ? where.file_name() : slash + 1;
}

std::string text(Dim3 index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}

// "threads 0-2, 5" from 0 1 2 5.
std::string ranges(const std::vector<unsigned>& numbers) {
  std::string out = numbers.size() == 1 ? "thread " : "threads ";
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t j = i;
    while (j + 1 < numbers.size() && numbers[j + 1] == numbers[j] + 1) {
      ++j;
    }
    out += fmt::format("{}{}", i == 0 ? "" : ", ", numbers[i]);
    if (j > i) {
      out += fmt::format("-{}", numbers[j]);
    }
    i = j + 1;
  }
  return out;
}

}  // namespace

const char* name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::limit:
      return "limit";
    case FaultKind::deadlock:
      return "deadlock";
    case FaultKind::divergent_barrier:
      return "divergent barrier";
    case FaultKind::illegal_mask:
      return "illegal mask";
    case FaultKind::illegal_lane:
      return "illegal lane";
    case FaultKind::illegal_copy:
      return "illegal copy";
    case FaultKind::illegal_grid_sync:
      return "illegal grid barrier";
  }
  return "fault";
}

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::none:
      return "nothing";
    case Operation::block_barrier:
      return "the block barrier";
    case Operation::grid_barrier:
      return "the grid barrier";
    case Operation::warp_barrier:
      return "a warp barrier";
    case Operation::shuffle:
      return "a shuffle";
    case Operation::vote_any:
    case Operation::vote_all:
    case Operation::vote_ballot:
      return "a vote";
    case Operation::match_any:
    case Operation::match_all:
      return "a match";
    case Operation::active_mask:
      return "the active mask";
    default:
      return "a warp reduction";
  }
}

std::string Engine::describe(const Thread& thread, const std::source_location& where) const {
  return fmt::format("thread {} of block {} at {}:{}", text(thread.index),
                     text(thread.block->index), file_of(where), where.line());
}

void Engine::fault(FaultKind kind, const std::string& what, const Thread& thread,
                   const std::source_location& where) const {
  throw Fault(kind,
              fmt::format("kernel '{}': {}; {}", launch_->name, what, describe(thread, where)));
}

std::string Engine::deadlock_report() const {
  // Threads of a block by what they wait in and where; a warp operation also by its mask.
  using Place = std::tuple<unsigned, unsigned, std::uint32_t, std::string, Operation>;
  std::map<Place, std::vector<unsigned>> waiting;
  for (unsigned slot = 0; slot < slots_; ++slot) {
    const Thread& thread = threads_[slot];
    if (!thread.alive || thread.block == nullptr || runnable_.contains(slot)) {
      continue;
    }
    const bool by_block =
        thread.waits_in == Operation::block_barrier || thread.waits_in == Operation::grid_barrier;
    waiting[{slot / slots_per_block_, thread.where.line(), by_block ? 0 : thread.mask,
             file_of(thread.where), thread.waits_in}]
        .push_back(slot % slots_per_block_);
  }
  std::string out = fmt::format("kernel '{}': deadlock, no thread can run", launch_->name);
  unsigned last_block = ~0u;
  for (const auto& [place, threads] : waiting) {
    const auto& [block, line, mask, file, operation] = place;
    if (block != last_block) {
      out += fmt::format("; block {}:", text(blocks_[block].index));
      last_block = block;
    } else {
      out += ",";
    }
    out += fmt::format(" {} wait{} in {}", ranges(threads), threads.size() == 1 ? "s" : "",
                       name_of(operation));
    if (mask != 0) {
      out += fmt::format(" with mask {:#010x}", mask);
    }
    out += fmt::format(" at {}:{}", file, line);
  }
  if (finished_ > 0) {
    out += fmt::format("; {} threads have finished", finished_);
  }
  return out;
}

}  // namespace hpclab::emulator
