// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/chase.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr std::size_t line_bytes = 64;

// SplitMix64 (Steele, Lea, Flood 2014): enough for shuffles, and independent of the standard
// library's distributions.
class Shuffler {
 public:
  explicit Shuffler(std::uint64_t seed) : state_(seed) {}

  // Uniform in [0, bound) by multiply-high; the bias, below bound/2^64, is of no consequence here.
  std::size_t below(std::size_t bound) {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::size_t>((static_cast<Wide>(z) * bound) >> 64);
  }

  template <typename Iterator>
  void shuffle(Iterator first, Iterator last) {
    for (std::size_t remaining = last - first; remaining > 1; --remaining) {
      std::swap(first[remaining - 1], first[below(remaining)]);
    }
  }

 private:
  std::uint64_t state_;
};

using Lines = std::vector<std::uint32_t>;

Lines visiting_order(std::size_t lines, ChaseOrder order, std::size_t page_lines,
                     std::uint64_t seed) {
  Shuffler shuffler(seed);
  Lines visits(lines);
  if (order == ChaseOrder::random) {
    std::iota(visits.begin(), visits.end(), 0U);
    shuffler.shuffle(visits.begin(), visits.end());
    return visits;
  }
  Lines pages((lines + page_lines - 1) / page_lines);
  std::iota(pages.begin(), pages.end(), 0U);
  shuffler.shuffle(pages.begin(), pages.end());
  auto begin = visits.begin();
  for (const std::uint32_t page : pages) {
    const std::size_t first = page * page_lines;
    const auto end = begin + std::min(page_lines, lines - first);
    std::iota(begin, end, static_cast<std::uint32_t>(first));
    shuffler.shuffle(begin, end);
    begin = end;
  }
  return visits;
}

void check(const void* memory, std::size_t lines, int chains, ChaseOrder order,
           std::size_t page_bytes) {
  if (chains < 1 || chains > max_chains) {
    throw UsageError(
        fmt::format("pointer chase: {} chains; the range is 1 to {}", chains, max_chains));
  }
  if (lines < 2 * static_cast<std::size_t>(chains)) {
    throw UsageError(
        fmt::format("pointer chase: {} cache lines are too few for {} chains; at least {} B", lines,
                    chains, 2 * line_bytes * static_cast<std::size_t>(chains)));
  }
  if (lines > UINT32_MAX) {
    throw UsageError(fmt::format("pointer chase: {} cache lines; at most {}", lines, UINT32_MAX));
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % line_bytes != 0) {
    throw UsageError("pointer chase: memory must be aligned to 64 B");
  }
  if (order == ChaseOrder::page_local && (page_bytes == 0 || page_bytes % line_bytes != 0)) {
    throw UsageError(fmt::format(
        "pointer chase: page of {} B is not a positive multiple of 64 B; usual are 4096 "
        "and 2097152",
        page_bytes));
  }
}

// The positions are local variables of a function with a constant number of them, so that they stay
// in registers.
template <std::size_t... chain>
void advance(void** nodes, std::size_t steps, std::index_sequence<chain...>) {
  void* position[] = {nodes[chain]...};
  for (std::size_t step = 0; step < steps; ++step) {
    ((position[chain] = *static_cast<void* volatile*>(position[chain])), ...);
  }
  ((nodes[chain] = position[chain]), ...);
}

template <std::size_t chains>
void advance_chains(void** nodes, std::size_t steps) {
  advance(nodes, steps, std::make_index_sequence<chains>());
}

using Advance = void (*)(void** nodes, std::size_t steps);

template <std::size_t... chain>
constexpr std::array<Advance, sizeof...(chain)> advance_table(std::index_sequence<chain...>) {
  return {advance_chains<chain + 1>...};
}

constexpr auto advance_by_chains = advance_table(std::make_index_sequence<max_chains>());

}  // namespace

std::string_view name(ChaseOrder order) {
  return order == ChaseOrder::random ? "random" : "page-local";
}

ChaseOrder chase_order_of(std::string_view text) {
  for (const ChaseOrder order : all_chase_orders) {
    if (name(order) == text) return order;
  }
  throw UsageError(fmt::format("chase order '{}' is unknown; valid are random, page-local", text));
}

ChasePositions build_chase(void* memory, std::size_t bytes, int chains, ChaseOrder order,
                           std::size_t page_bytes, std::uint64_t seed) {
  const std::size_t lines = bytes / line_bytes;
  check(memory, lines, chains, order, page_bytes);
  const Lines visits = visiting_order(lines, order, page_bytes / line_bytes, seed);
  const auto node = [memory](std::uint32_t line) {
    return static_cast<void*>(static_cast<std::byte*>(memory) + line * line_bytes);
  };
  ChasePositions positions;
  positions.chains = chains;
  const auto count = static_cast<std::size_t>(chains);
  for (std::size_t chain = 0; chain < count; ++chain) {
    const std::size_t first = lines * chain / count;
    const std::size_t last = lines * (chain + 1) / count - 1;
    for (std::size_t i = first; i < last; ++i) {
      *static_cast<void**>(node(visits[i])) = node(visits[i + 1]);
    }
    *static_cast<void**>(node(visits[last])) = node(visits[first]);
    positions.node[chain] = node(visits[first]);
  }
  return positions;
}

double chase_seconds_per_step(ChasePositions& positions, std::size_t steps) {
  if (positions.chains < 1 || positions.chains > max_chains || steps == 0) {
    throw UsageError("pointer chase: build_chase first, and at least one step");
  }
  const Advance advance_all = advance_by_chains[static_cast<std::size_t>(positions.chains) - 1];
  const auto start = std::chrono::steady_clock::now();
  advance_all(positions.node.data(), steps);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(steps);
}

}  // namespace hpclab::roofline::ceilings
