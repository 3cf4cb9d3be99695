// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Streams through global memory: emulator form and work.
#include "cuda/roofline/ceilings/streams.cuh"

#include "cuda/roofline/ceilings/kernel_pair.hpp"
#include "cuda/roofline/ceilings/kernels.hpp"
#include "cuda/roofline/ceilings/on_device.hpp"
#include "cuda/roofline/ceilings/staged_read.cuh"

namespace hpclab::roofline::ceilings {
namespace {

constexpr double vector_bytes = sizeof(Words4);

}  // namespace

const char* name_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
      return "read";
    case StreamKind::write:
      return "write";
    case StreamKind::copy:
      break;
  }
  return "copy";
}

namespace kernels {

Kernel<WordStream> stream(StreamKind kind, int unroll) {
  return kernel_pair(fmt::format("{} with {} vectors a thread", name_of(kind), unroll),
                     word_stream_body(kind, unroll), on_device::stream(kind, unroll),
                     "it has 1, 2, 4 or 8 vectors a thread");
}

Kernel<TriadStream> triad(int unroll) {
  return kernel_pair(fmt::format("triad with {} vectors a thread", unroll), triad_body(unroll),
                     on_device::triad(unroll), "it has 1, 2 or 4 vectors a thread");
}

Kernel<WordStream> mix(int reads) {
  return kernel_pair(fmt::format("mix of {} reads in {}", reads, mix_vectors), mix_body(reads),
                     on_device::mix(reads), "it has 0 to 8 reads");
}

Kernel<WordStream> staged_read(int stages) {
  return kernel_pair(fmt::format("staged read with {} stages", stages), staged_read_body(stages),
                     on_device::staged_read(stages), "it has 2, 4 or 8 stages");
}

std::size_t staged_read_shared_bytes(int stages, unsigned threads) {
  return static_cast<std::size_t>(stages) * threads * sizeof(Words4);
}

}  // namespace kernels

namespace work {

KernelWork stream(StreamKind kind, const WordStream& s) {
  const double bytes = vector_bytes * static_cast<double>(s.vectors) * s.passes;
  KernelWork work;
  work.read_bytes = kind == StreamKind::write ? 0 : bytes;
  work.write_bytes = kind == StreamKind::read ? 0 : bytes;
  return work;
}

KernelWork triad(const TriadStream& s) {
  const double vectors = static_cast<double>(s.vectors) * s.passes;
  KernelWork work;
  work.flops = 4 * vectors;
  work.read_bytes = 2 * vector_bytes * vectors;
  work.write_bytes = vector_bytes * vectors;
  return work;
}

KernelWork mix(int reads, const WordStream& s, unsigned threads) {
  const std::uint64_t tile = std::uint64_t{threads} * mix_vectors;
  const std::uint64_t read_in_tile = std::uint64_t{threads} * static_cast<unsigned>(reads);
  const std::uint64_t rest = s.vectors % tile;
  const std::uint64_t read =
      s.vectors / tile * read_in_tile + (rest < read_in_tile ? rest : read_in_tile);
  KernelWork work;
  work.read_bytes = vector_bytes * static_cast<double>(read) * s.passes;
  work.write_bytes = vector_bytes * static_cast<double>(s.vectors - read) * s.passes;
  return work;
}

}  // namespace work

}  // namespace hpclab::roofline::ceilings
