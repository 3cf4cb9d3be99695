// hpclab: SPDX-License-Identifier: Apache-2.0
//
// What each kernel of an element operator asks of the units of a GPU. Declared beside the kernels
// and read by models, reports and the comparison with hardware counters alike; tests count what the
// kernels do in the emulator and find these numbers.
#pragma once

#include "cuda/operators/variants.hpp"
#include "operators/gpu_work.hpp"

namespace hpclab::operators {

/// Per element, in blocks that are full.
struct VariantWork {
  double multiply_adds = 0;         ///< of threads, by vector units
  double additions = 0;             ///< of threads, that fuse with nothing; multiplications too
  double tensor_multiply_adds = 0;  ///< by tensor cores, padding included
  double shared_words = 0;          ///< read and written by threads
  double shared_wavefronts = 0;     ///< passes of 128 bytes through shared memory, with conflicts
  double global_words = 0;          ///< loads, stores and additions of threads to global memory
  double l2_bytes = 0;    ///< between multiprocessors and L2, were nothing found in L1 but what the
                          ///< threads of an element read together
  double dram_bytes = 0;  ///< compulsory ones and those of the scatter
  double launches = 1;    ///< kernels (and fills) of one application, not per element

  /// As vector counters see them: two a multiply-add.
  double vector_flops() const { return 2 * multiply_adds + additions; }
  /// All operations that are executed, padding of tensor cores included.
  double flops() const { return vector_flops() + 2 * tensor_multiply_adds; }
  /// Instructions of threads for the load/store units.
  double memory_instructions() const { return shared_words + global_words; }
};

/// `scatter` means nothing for element vectors. UsageError for variants that do not exist.
VariantWork variant_work(const ElementOperator& element_operator, const KernelVariant& variant,
                         Scatter scatter);

}  // namespace hpclab::operators
