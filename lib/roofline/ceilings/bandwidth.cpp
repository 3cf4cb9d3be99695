// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/bandwidth.hpp"

#include "core/error.hpp"
#include "roofline/ceilings/bandwidth_table.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

static_assert(all_bandwidth_kinds.size() == bandwidth_kind_count);

// What a kind does to `doubles` elements, in bytes (and flops) per element; 8 = one double.
struct Declaration {
  std::string_view name;
  int a;  // bytes of array a touched per element
  int b;
  int c;
  int read;            // bytes loaded by the program
  int written;         // bytes stored by the program
  int write_allocate;  // bytes read for ownership by stores that miss
  int flops;
  std::size_t granularity;
};

constexpr std::array<Declaration, bandwidth_kind_count> declarations = {{
    //                    a  b  c  read written allocate flops granularity
    {"read", 0, 8, 0, 8, 0, 0, 0, 8},
    {"write", 8, 0, 0, 0, 8, 8, 0, 8},
    {"write-nontemporal", 8, 0, 0, 0, 8, 0, 0, 8},
    {"copy", 8, 8, 0, 8, 8, 8, 0, 8},
    {"copy-nontemporal", 8, 8, 0, 8, 8, 0, 0, 8},
    {"triad", 8, 8, 8, 16, 8, 8, 2, 8},
    {"triad-nontemporal", 8, 8, 8, 16, 8, 0, 2, 8},
    {"update", 8, 0, 0, 8, 8, 0, 1, 8},
    {"mix-1r7w", 7, 1, 0, 1, 7, 7, 0, 64},
    {"mix-2r6w", 6, 2, 0, 2, 6, 6, 0, 64},
    {"mix-3r5w", 5, 3, 0, 3, 5, 5, 0, 64},
    {"mix-4r4w", 4, 4, 0, 4, 4, 4, 0, 64},
    {"mix-5r3w", 3, 5, 0, 5, 3, 3, 0, 64},
    {"mix-6r2w", 2, 6, 0, 6, 2, 2, 0, 64},
    {"mix-7r1w", 1, 7, 0, 7, 1, 1, 0, 64},
}};

constexpr const Declaration& declared(BandwidthKind kind) {
  return declarations[static_cast<std::size_t>(kind)];
}

using Table = std::array<BandwidthKernel, bandwidth_kind_count>;

Table make_table(InstructionSet instruction_set, const BandwidthBody* bodies) {
  Table table{};
  for (const BandwidthKind kind : all_bandwidth_kinds) {
    const auto i = static_cast<std::size_t>(kind);
    table[i] = {kind, instruction_set, bodies[i], declarations[i].granularity};
  }
  return table;
}

const Table& table_of(InstructionSet instruction_set) {
  static const Table scalar = make_table(InstructionSet::scalar, bandwidth_scalar);
  static const Table avx2 = make_table(InstructionSet::avx2, bandwidth_avx2);
  static const Table avx512 = make_table(InstructionSet::avx512, bandwidth_avx512);
  switch (instruction_set) {
    case InstructionSet::scalar:
      return scalar;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::avx512:
      return avx512;
  }
  return scalar;
}

struct Range {
  char name;
  std::uintptr_t begin;
  std::uintptr_t end;
};

Range range_of(char array_name, const double* array, std::size_t doubles) {
  const auto begin = reinterpret_cast<std::uintptr_t>(array);
  return {array_name, begin, begin + doubles * sizeof(double)};
}

}  // namespace

std::string_view name(BandwidthKind kind) {
  return declared(kind).name;
}

BandwidthKind bandwidth_kind_of(std::string_view text) {
  std::string valid;
  for (const BandwidthKind kind : all_bandwidth_kinds) {
    if (name(kind) == text) return kind;
    valid += valid.empty() ? "" : ", ";
    valid += name(kind);
  }
  throw UsageError(fmt::format("bandwidth kind '{}' is unknown; valid are {}", text, valid));
}

BandwidthWork BandwidthKernel::work(std::size_t doubles) const {
  const Declaration& d = declared(kind);
  const auto n = static_cast<double>(doubles);
  return {n * d.read, n * d.written, n * (d.read + d.written + d.write_allocate), n * d.flops};
}

BandwidthFootprint BandwidthKernel::footprint(std::size_t doubles) const {
  const Declaration& d = declared(kind);
  const auto share = [doubles](int bytes) { return doubles * static_cast<std::size_t>(bytes) / 8; };
  return {share(d.a), share(d.b), share(d.c)};
}

std::size_t BandwidthKernel::doubles_for_footprint(std::size_t bytes) const {
  const std::size_t granule_bytes = footprint(granularity).bytes();
  return bytes / granule_bytes * granularity;
}

void BandwidthKernel::check(const double* a, const double* b, const double* c,
                            std::size_t doubles) const {
  const std::string_view kernel = ceilings::name(kind);
  if (doubles == 0 || doubles % granularity != 0) {
    throw UsageError(fmt::format(
        "bandwidth kernel {}: {} doubles is not a positive multiple of {} ({} B); nearest is {}",
        kernel, doubles, granularity, granularity * sizeof(double),
        doubles < granularity ? granularity : doubles / granularity * granularity));
  }
  const BandwidthFootprint used = footprint(doubles);
  const std::array ranges = {range_of('a', a, used.a), range_of('b', b, used.b),
                             range_of('c', c, used.c)};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].begin == ranges[i].end) continue;
    if (ranges[i].begin == 0 || ranges[i].begin % 64 != 0) {
      throw UsageError(fmt::format("bandwidth kernel {}: array {} at {:#x} must be aligned to 64 B",
                                   kernel, ranges[i].name, ranges[i].begin));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (ranges[j].begin == ranges[j].end) continue;
      if (ranges[i].begin < ranges[j].end && ranges[j].begin < ranges[i].end) {
        throw UsageError(fmt::format("bandwidth kernel {}: arrays {} and {} overlap", kernel,
                                     ranges[j].name, ranges[i].name));
      }
    }
  }
}

const BandwidthKernel* find_bandwidth_kernel(BandwidthKind kind, InstructionSet instruction_set) {
  if (!supported(instruction_set)) return nullptr;
  return &table_of(instruction_set)[static_cast<std::size_t>(kind)];
}

}  // namespace hpclab::roofline::ceilings
