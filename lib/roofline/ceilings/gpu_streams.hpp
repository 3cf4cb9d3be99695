// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Streams through a GPU's memory as one thing that can be set up, launched in several shapes, and
// checked against what it should have read and written.
#pragma once

#include "core/context.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "roofline/ceilings/gpu_verify.hpp"

#include <string>
#include <vector>

namespace hpclab::roofline::ceilings {

enum class GpuStreamKind { read, write, copy, triad, mix };

/// How a stream is launched. `stages` > 0: read through shared memory by asynchronous copies.
struct StreamShape {
  int unroll = 1;  ///< vectors of 16 bytes in flight for each thread
  int stages = 0;
  unsigned threads = 256;
  unsigned blocks = 1;

  std::string text() const;  ///< "4 vectors a thread, 512 threads, 264 blocks"
};

class GpuStreams {
 public:
  /// `vectors` of 16 bytes in each array, filled with random words (triad: doubles in [1, 2)).
  /// `reads` of 8 vectors are read by a mix.
  GpuStreams(cuda::Runtime& runtime, GpuStreamKind kind, int reads, std::uint64_t vectors,
             std::uint32_t passes, std::uint64_t seed);

  void launch(const StreamShape& shape, cuda::StreamHandle stream);
  /// Launches once and compares every word that was written, and the sum of all that were read,
  /// with the host's.
  Verification check(const StreamShape& shape);

  cuda::KernelWork work(unsigned threads) const;
  double bytes() const;  ///< of all arrays
  /// Shapes that this machine could be fastest with: by vectors in flight, block size, and blocks
  /// that stay or blocks of one tile.
  std::vector<StreamShape> shapes();
  /// One block that stays for each slot, so that bytes in flight are known.
  unsigned resident_blocks(int unroll, unsigned threads);

 private:
  const void* device_function(const StreamShape& shape) const;
  void reserve_sums(unsigned blocks);
  WordStream words();

  cuda::Runtime& runtime_;
  GpuStreamKind kind_;
  int reads_;
  std::uint64_t vectors_;
  std::uint32_t passes_;
  std::uint32_t seed_;
  cuda::Buffer<Words4> a_;  ///< read, and b of a triad
  cuda::Buffer<Words4> b_;  ///< c of a triad
  cuda::Buffer<Words4> out_;
  cuda::Buffer<std::uint32_t> sums_;
};

/// "read", "write", "copy", "triad" or "mix"; CaseSkipped for kinds that only processors have.
GpuStreamKind gpu_stream_kind(const std::string& kind);

/// Arrays that the kind uses.
int gpu_stream_arrays(GpuStreamKind kind);

}  // namespace hpclab::roofline::ceilings
