// hpclab: SPDX-License-Identifier: Apache-2.0
//
// A chain on the processor: every member of a thread team owns its share of the arrays.
#pragma once

#include "core/context.hpp"
#include "core/instruction_set.hpp"
#include "machine/memory.hpp"
#include "machine/thread_team.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/fusion/chain_table.hpp"
#include "roofline/fusion/parameters.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::roofline::fusion {

/// Bytes that the arrays of a case take: those of the longest execution that is timed, which is the
/// chain itself, or the unfused one beside it.
double allocated_bytes(const Parameters& p);

template <class T>
class ChainArrays {
 public:
  /// Allocates and fills the arrays; each member touches its own share first. `p` holds resolved
  /// parameters. Throws CaseFailed when memory does not suffice.
  ChainArrays(const Parameters& p, machine::ThreadTeam& team, const Context& context);

  /// Seconds of `repeats` executions of the chain cut into passes of `group` operations. Every pass
  /// is a start of the whole team; with `block` > 0 an execution is one start, and blocks of so
  /// many elements go through all passes one after another.
  double run_s(int group, std::size_t block, std::size_t repeats);
  /// Seconds of `repeats` copies of the chain's input with the stores of the chain, by the kernel
  /// that measures the copy ceiling.
  double copy_s(std::size_t repeats);

  /// Runs once and compares elements with the reference: all when there are few, else evenly
  /// spread ones.
  ceilings::Verification check(int group, std::size_t block);

 private:
  struct Member {
    machine::Buffer buffer;
    T* in = nullptr;
    T* written[2] = {};  ///< passes write to them in turn
    T* scratch[2] = {};  ///< of a block
    const T* operands[most_operand_arrays + 1] = {};
    std::size_t elements = 0;  ///< whole lines
  };

  void allocate(Member& member, std::size_t elements, std::uint64_t seed);
  void one_pass(const Member& member, const Pass& pass, std::size_t number) const;
  void all_blocks(const Member& member, const std::vector<Pass>& passes, std::size_t block) const;
  PassArguments<T> arguments(const Pass& pass) const;

  Parameters p_;
  ChainShape shape_;
  machine::ThreadTeam& team_;
  InstructionSet isa_;
  PassBody<T> through_caches_;
  PassBody<T> to_memory_;  ///< with the stores of the case
  std::vector<Step<T>> steps_;
  std::vector<Member> members_;
};

extern template class ChainArrays<double>;
extern template class ChainArrays<float>;

}  // namespace hpclab::roofline::fusion
