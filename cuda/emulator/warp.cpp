// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Warp operations: lanes gather by mask and operation, and the last to come computes the results of
// all. Semantics of the *_sync primitives of the CUDA programming guide; where it says that a
// result is undefined, the emulator throws.
#include "cuda/emulator/engine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::emulator {
namespace {

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) {
    visit(static_cast<unsigned>(std::countr_zero(lanes)));
  }
}

std::uint32_t combine(Operation operation, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  switch (operation) {
    case Operation::reduce_add:
      return a + b;
    case Operation::reduce_min_signed:
      return static_cast<std::uint32_t>(std::min(sa, sb));
    case Operation::reduce_max_signed:
      return static_cast<std::uint32_t>(std::max(sa, sb));
    case Operation::reduce_min_unsigned:
      return std::min(a, b);
    case Operation::reduce_max_unsigned:
      return std::max(a, b);
    case Operation::reduce_and:
      return a & b;
    case Operation::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

std::uint64_t Engine::warp_operation(Operation operation, std::uint32_t mask, std::uint64_t input,
                                     unsigned source_lane, const std::source_location& where) {
  Thread& self = *running_;
  Warp& warp = *self.warp;
  const std::uint32_t own = 1u << self.lane;
  if ((mask & own) == 0) {
    fault(FaultKind::illegal_mask,
          fmt::format("{} with mask {:#010x}, which lacks the calling lane {}", name_of(operation),
                      mask, self.lane),
          self, where);
  }
  self.waits_in = operation;
  self.where = where;
  if (operation == Operation::warp_barrier) ++self.barriers;
  self.input = input;
  self.source_lane = source_lane;
  self.mask = mask;
  ++statistics_.warp_arrivals;
  unsigned g = 0;
  while (g < warp.groups_used &&
         (warp.groups[g].mask != mask || warp.groups[g].operation != operation)) {
    ++g;
  }
  if (g == warp.groups_used) {
    warp.groups[warp.groups_used++] = {mask, 0, operation};
  }
  warp.groups[g].arrived |= own;
  if (warp.groups[g].arrived == (mask & warp.alive)) {
    complete(warp, g);
  }
  suspend();
  return self.output;
}

void Engine::complete(Warp& warp, unsigned g) {
  const WarpGroup group = warp.groups[g];
  warp.groups[g] = warp.groups[--warp.groups_used];
  compute(warp, group);
  yields_ = 0;
  // Slots of a warp lie in one word, because blocks start at multiples of 64.
  const unsigned slot = warp.first->slot;
  runnable_.insert_word(slot / 64, std::uint64_t{group.arrived} << slot % 64);
}

void Engine::compute(Warp& warp, const WarpGroup& group) {
  Thread* lanes = warp.first;
  const std::uint32_t arrived = group.arrived;
  std::uint32_t result = 0;
  switch (group.operation) {
    case Operation::warp_barrier:
      return;
    case Operation::shuffle:
      for_each_lane(arrived, [&](unsigned lane) {
        Thread& reader = lanes[lane];
        if ((arrived >> reader.source_lane & 1) == 0) {
          fault(FaultKind::illegal_lane,
                fmt::format("a shuffle with mask {:#010x} reads lane {}, which {}", group.mask,
                            reader.source_lane,
                            (group.mask >> reader.source_lane & 1) == 0 ? "is not in the mask"
                                                                        : "does not take part"),
                reader, reader.where);
        }
        reader.output = lanes[reader.source_lane].input;
      });
      return;
    case Operation::match_any:
      for_each_lane(arrived, [&](unsigned lane) {
        std::uint32_t equal = 0;
        for_each_lane(arrived, [&](unsigned other) {
          equal |= std::uint32_t{lanes[other].input == lanes[lane].input} << other;
        });
        lanes[lane].output = equal;
      });
      return;
    case Operation::match_all: {
      const std::uint64_t first = lanes[std::countr_zero(arrived)].input;
      bool equal = true;
      for_each_lane(arrived, [&](unsigned lane) { equal = equal && lanes[lane].input == first; });
      result = equal ? arrived : 0;
      break;
    }
    case Operation::vote_any:
    case Operation::vote_all:
    case Operation::vote_ballot: {
      std::uint32_t ballot = 0;
      for_each_lane(
          arrived, [&](unsigned lane) { ballot |= std::uint32_t{lanes[lane].input != 0} << lane; });
      result = group.operation == Operation::vote_ballot ? ballot
               : group.operation == Operation::vote_any  ? std::uint32_t{ballot != 0}
                                                         : std::uint32_t{ballot == arrived};
      break;
    }
    default: {
      bool first = true;
      for_each_lane(arrived, [&](unsigned lane) {
        const auto value = static_cast<std::uint32_t>(lanes[lane].input);
        result = first ? value : combine(group.operation, result, value);
        first = false;
      });
      break;
    }
  }
  for_each_lane(arrived, [&](unsigned lane) { lanes[lane].output = result; });
}

std::uint32_t Engine::active_mask(const std::source_location& where) {
  Thread& self = *running_;
  self.waits_in = Operation::active_mask;
  self.where = where;
  ++active_mask_waiters_;
  suspend();
  return static_cast<std::uint32_t>(self.output);
}

void Engine::settle_active_masks() {
  // Which lanes are active together is the hardware's choice. Forward and reverse schedules give
  // the largest set, random ones split it: a kernel must be right with any.
  for (unsigned slot = 0; slot < slots_; ++slot) {
    Thread& first = threads_[slot];
    if (!first.alive || first.waits_in != Operation::active_mask) {
      continue;
    }
    const std::uint32_t wanted =
        schedule_ == Schedule::random ? static_cast<std::uint32_t>(random()) : ~0u;
    const bool side = (wanted >> first.lane & 1) != 0;
    std::uint32_t together = 0;
    const auto chosen = [&](unsigned lane) {
      const Thread& other = first.warp->first[lane];
      return other.waits_in == Operation::active_mask && other.where.line() == first.where.line() &&
             other.where.column() == first.where.column() && ((wanted >> lane & 1) != 0) == side;
    };
    for_each_lane(first.warp->alive,
                  [&](unsigned lane) { together |= std::uint32_t{chosen(lane)} << lane; });
    for_each_lane(together, [&](unsigned lane) {
      Thread& other = first.warp->first[lane];
      other.output = together;
      other.waits_in = Operation::none;
      runnable_.insert(other.slot);
      --active_mask_waiters_;
    });
  }
}

}  // namespace hpclab::emulator
