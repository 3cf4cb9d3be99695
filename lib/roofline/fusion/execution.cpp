// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/fusion/execution.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "roofline/ceilings/bandwidth.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/fusion/steps.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

namespace hpclab::roofline::fusion {
namespace {

constexpr std::size_t page_bytes = 4096;
/// Shares of members end at multiples of so many elements, so that all but the last hold whole
/// lines and pages.
constexpr std::size_t share_elements = page_bytes;

// An array with room for an offset of its own.
std::size_t padded_bytes(double bytes) {
  return (static_cast<std::size_t>(bytes) + page_bytes - 1) / page_bytes * page_bytes + page_bytes;
}

// Full-length arrays of a case, and the two scratch blocks of each member.
int full_arrays(const ChainShape& shape) {
  ChainShape unfused = shape;
  unfused.group = 1;
  return touched_arrays(unfused);
}

const PassBodies& bodies_of(InstructionSet isa) {
  return isa == InstructionSet::avx512 ? pass_bodies_avx512 : pass_bodies_avx2;
}

template <class T>
PassBody<T> body_of(const PassBodies& bodies, Stores stores) {
  const auto i = static_cast<std::size_t>(stores == Stores::nontemporal);
  if constexpr (std::is_same_v<T, double>) {
    return bodies.fp64[i];
  } else {
    return bodies.fp32[i];
  }
}

template <class T>
std::size_t whole_lines(std::size_t elements) {
  return (elements + line_elements<T> - 1) / line_elements<T> * line_elements<T>;
}

template <class T>
void fill(T* values, std::size_t count, std::uint64_t seed) {
  std::array<double, 512> chunk;
  for (std::size_t i = 0; i < count; i += chunk.size()) {
    const std::size_t size = std::min(chunk.size(), count - i);
    machine::fill_random({chunk.data(), size}, seed, i);
    for (std::size_t j = 0; j < size; ++j) values[i + j] = static_cast<T>(chunk[j]);
  }
}

}  // namespace

double allocated_bytes(const Parameters& p) {
  const double word = word_bytes(p.precision);
  const double full = word * static_cast<double>(p.elements) * full_arrays(chain_shape(p));
  const double scratch = 2 * word * static_cast<double>(std::min(p.block, p.elements)) *
                         static_cast<double>(p.threads);
  return full + scratch;
}

template <class T>
ChainArrays<T>::ChainArrays(const Parameters& p, machine::ThreadTeam& team, const Context& context)
    : p_(p),
      shape_(chain_shape(p)),
      team_(team),
      isa_(instruction_set_of(p.isa)),
      through_caches_(body_of<T>(bodies_of(isa_), Stores::plain)),
      to_memory_(body_of<T>(bodies_of(isa_), p.stores)),
      steps_(make_steps<T>(shape_, context.random("steps"))),
      members_(static_cast<std::size_t>(team.size())) {
  machine::require_memory(static_cast<std::uint64_t>(allocated_bytes(p)));
  team_.run([&](int i) {
    const machine::Share share =
        machine::share_of(static_cast<std::size_t>(p.elements), i, team_.size(), share_elements);
    allocate(members_[static_cast<std::size_t>(i)], whole_lines<T>(share.end - share.begin),
             context.seed + static_cast<std::uint64_t>(i) * 64);
  });
}

// Arrays begin at different offsets within their pages: at equal ones loads and stores meet in the
// same sets of L1, and copies around the caches lose 7 to 15 % (measured on Zen 4).
template <class T>
void ChainArrays<T>::allocate(Member& member, std::size_t elements, std::uint64_t seed) {
  member.elements = elements;
  const std::size_t full = padded_bytes(static_cast<double>(elements * sizeof(T)));
  const std::size_t block = whole_lines<T>(std::min(static_cast<std::size_t>(p_.block), elements));
  const std::size_t scratch = block == 0 ? 0 : padded_bytes(static_cast<double>(block * sizeof(T)));
  const auto arrays = static_cast<std::size_t>(full_arrays(shape_));
  member.buffer = machine::Buffer(arrays * full + 2 * scratch, machine::HugePages::advise);
  std::memset(member.buffer.data(), 0, member.buffer.size_bytes());
  std::byte* at = member.buffer.data();
  std::size_t number = 0;
  const auto next = [&](std::size_t bytes) {
    // 0, 1/2, 1/4, 3/4, 1/8, ... of a page.
    std::size_t offset = 0;
    for (std::size_t bit = page_bytes / 2, n = number; n != 0; n /= 2, bit /= 2)
      offset += n % 2 * bit;
    ++number;
    T* array = reinterpret_cast<T*>(at + offset);
    at += bytes;
    return array;
  };
  member.in = next(full);
  member.written[0] = next(full);
  if (shape_.operations > 1) member.written[1] = next(full);
  fill(member.in, elements, seed);
  member.operands[0] = member.in;
  for (int i = 1; i < outside_arrays(shape_); ++i) {
    T* operand = next(full);
    fill(operand, elements, seed + static_cast<std::uint64_t>(i));
    member.operands[i] = operand;
  }
  if (scratch == 0) return;
  for (T*& array : member.scratch) array = next(scratch);
}

template <class T>
PassArguments<T> ChainArrays<T>::arguments(const Pass& pass) const {
  PassArguments<T> arguments;
  arguments.steps = steps_.data() + pass.first;
  arguments.count = pass.count;
  return arguments;
}

template <class T>
void ChainArrays<T>::one_pass(const Member& member, const Pass& pass, std::size_t number) const {
  PassArguments<T> a = arguments(pass);
  a.in = number == 0 ? member.in : member.written[(number - 1) % 2];
  a.out = member.written[number % 2];
  a.operands = member.operands;
  a.elements = member.elements;
  to_memory_(a);
}

template <class T>
void ChainArrays<T>::all_blocks(const Member& member, const std::vector<Pass>& passes,
                                std::size_t block) const {
  const T* operands[most_operand_arrays + 1] = {};
  for (std::size_t first = 0; first < member.elements; first += block) {
    for (std::size_t i = 0; i < std::size(operands); ++i)
      operands[i] = member.operands[i] == nullptr ? nullptr : member.operands[i] + first;
    for (std::size_t number = 0; number < passes.size(); ++number) {
      const bool last = number + 1 == passes.size();
      PassArguments<T> a = arguments(passes[number]);
      a.in = number == 0 ? member.in + first : member.scratch[(number - 1) % 2];
      a.out = last ? member.written[0] + first : member.scratch[number % 2];
      a.operands = operands;
      a.elements = std::min(block, member.elements - first);
      (last ? to_memory_ : through_caches_)(a);
    }
  }
}

template <class T>
double ChainArrays<T>::run_s(int group, std::size_t block, std::size_t repeats) {
  ChainShape shape = shape_;
  shape.group = group;
  const std::vector<Pass> passes = passes_of(shape);
  const std::size_t lines = whole_lines<T>(block);
  const double begin = now_s();
  if (team_.size() == 1 && block == 0) {
    const Member& member = members_[0];
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      for (std::size_t i = 0; i < passes.size(); ++i) one_pass(member, passes[i], i);
    }
    return now_s() - begin;
  }
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    if (block > 0) {
      team_.run([&](int m) { all_blocks(members_[static_cast<std::size_t>(m)], passes, lines); });
      continue;
    }
    for (std::size_t i = 0; i < passes.size(); ++i) {
      team_.run([&](int m) { one_pass(members_[static_cast<std::size_t>(m)], passes[i], i); });
    }
  }
  return now_s() - begin;
}

template <class T>
double ChainArrays<T>::copy_s(std::size_t repeats) {
  const ceilings::BandwidthKernel& kernel = *ceilings::find_bandwidth_kernel(
      p_.stores == Stores::nontemporal ? ceilings::BandwidthKind::copy_nontemporal
                                       : ceilings::BandwidthKind::copy,
      isa_);
  return team_
      .run([&](int m) {
        const Member& member = members_[static_cast<std::size_t>(m)];
        if (member.elements == 0) return;
        kernel.run(reinterpret_cast<double*>(member.written[0]),
                   reinterpret_cast<const double*>(member.in), nullptr, 0,
                   member.elements * sizeof(T) / sizeof(double), repeats);
      })
      .wall_s;
}

template <class T>
ceilings::Verification ChainArrays<T>::check(int group, std::size_t block) {
  ChainShape shape = shape_;
  shape.group = group;
  const std::size_t passes = passes_of(shape).size();
  run_s(group, block, 1);
  constexpr std::size_t most_compared = 1 << 16;
  ceilings::Verification verification;
  for (const Member& member : members_) {
    const T* result = member.written[block > 0 ? 0 : (passes - 1) % 2];
    // An odd stride meets every place within tiles and lines.
    const std::size_t stride = member.elements / most_compared | 1;
    for (std::size_t i = 0; i < member.elements; i += stride) {
      verification.compare(result[i] == reference<T>(steps_, member.operands, i));
    }
  }
  return verification;
}

template class ChainArrays<double>;
template class ChainArrays<float>;

}  // namespace hpclab::roofline::fusion
