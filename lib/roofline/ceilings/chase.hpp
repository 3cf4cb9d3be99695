// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Pointer chases: the latency of one load that depends on the last, and the bandwidth of k such
// chains at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hpclab::roofline::ceilings {

/// The order in which a chase visits the cache lines of its working set.
/// random: any line follows any other. Beyond the reach of the TLB every step pays a page walk as
/// well, which is
///   what random access costs an application.
/// page_local: the pages are visited in random order, and all lines of one page, in random order,
/// before the next.
///   The page walk is paid once in page_bytes/64 steps, so that the figure is the latency of the
///   cache or DRAM alone. Prefetchers that work within a page (next line, region) see more to guess
///   from than in random order; with pages smaller than a cache, lines that they bring in early
///   shorten the measured latency.
enum class ChaseOrder { random, page_local };

inline constexpr std::array all_chase_orders = {ChaseOrder::random, ChaseOrder::page_local};

/// "random", "page-local".
std::string_view name(ChaseOrder order);

/// The order of that name. Throws UsageError that lists the valid names.
ChaseOrder chase_order_of(std::string_view name);

/// The largest number of independent chains. Up to about 12 positions live in general registers;
/// more are kept on the stack and cost a store-to-load forward a step, which hides under a cache
/// miss but not under an L1 hit.
inline constexpr int max_chains = 32;

/// Where each chain is: the address of a node whose first word holds the address of the next.
struct ChasePositions {
  std::array<void*, max_chains> node{};
  int chains = 0;
};

/// Writes into `memory` (aligned to 64 B; bytes/64 lines are used) `chains` disjoint cycles, one
/// node at the start of each line, that together visit every line once. The order is a uniformly
/// random permutation of all lines (Fisher-Yates; or of pages and of lines within each for
/// page_local), cut into `chains` runs whose lengths differ by at most one and each closed to a
/// cycle: each chain's cycle is thus a uniformly random single cycle, as Sattolo's algorithm would
/// give, without sub-cycles. The same seed gives the same cycles. Only the first 8 B of a line are
/// written. page_bytes: multiple of 64, used by page_local only. Throws UsageError for chains
/// outside 1..max_chains, fewer than 2 lines a chain, misalignment, or wrong page_bytes.
ChasePositions build_chase(void* memory, std::size_t bytes, int chains, ChaseOrder order,
                           std::size_t page_bytes, std::uint64_t seed);

/// Advances every chain by `steps` nodes and returns the wall time of one step in seconds: one step
/// visits one line in each chain, so bytes/s = 64 * chains / step. positions is updated, so that
/// calls continue where they were.
double chase_seconds_per_step(ChasePositions& positions, std::size_t steps);

}  // namespace hpclab::roofline::ceilings
