// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The chain of operations: which arrays each one reads, how they are cut into passes, and how many
// bytes each pass moves. Model, kernels and report all count here.
#pragma once

#include <string>
#include <vector>

namespace hpclab::roofline::fusion {

/// Arrays that the operations read: x = scale x + shift reads one, x = scale x + y reads two;
/// `mixed` alternates, beginning with one.
enum class Inputs { one, two, mixed };

enum class Fusion { unfused, partly, fused };

struct ChainShape {
  int operations = 1;
  Inputs inputs = Inputs::one;
  int operand_arrays = 0;  ///< second inputs come from them in turn; 0: from the chain's input
  int group = 1;           ///< operations of a pass
};

/// Array of the second input of operation `operation` (0-based): -1 none, 0 the chain's own input,
/// 1 to operand_arrays the further arrays.
int operand_of(const ChainShape& shape, int operation);

/// One pass over the arrays: `count` operations from `first` on. It reads `read_arrays` different
/// arrays and writes one.
struct Pass {
  int first = 0;
  int count = 0;
  int read_arrays = 0;
};

/// The passes in order; the last may be shorter.
std::vector<Pass> passes_of(const ChainShape& shape);

/// Different arrays that the whole chain reads from outside: its input and the operand arrays used.
int outside_arrays(const ChainShape& shape);

/// Arrays of full length that an execution touches: outside_arrays, and what passes write (one, or
/// two that change places).
int touched_arrays(const ChainShape& shape);

/// Arrays that move through memory when all passes go over whole arrays, as the program reads and
/// writes them: what a processor reads for ownership before it stores is not in it.
struct ArrayTraffic {
  double read = 0;
  double written = 0;
};
ArrayTraffic traffic_of(const std::vector<Pass>& passes);
/// The same when only the chain's inputs and its result go to memory: everything between stays in a
/// cache (or in registers).
ArrayTraffic outside_traffic(const ChainShape& shape);

/// "16 one-input operations in 4 passes": for tables and closing words.
std::string describe(const ChainShape& shape);

/// "one-input", "two-input", "one- and two-input".
const char* name_of(Inputs inputs);

}  // namespace hpclab::roofline::fusion
