// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_streams.hpp"

#include "core/error.hpp"
#include "cuda/core/launch.hpp"
#include "machine/memory.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

// Random doubles in [1, 2), whose words serve the other kinds as well: up to 16 MiB come from the
// host, the device repeats them. The length is no power of two, so that repeats fall into different
// channels.
constexpr std::uint64_t chunk_vectors = (1u << 20) - 3;

void fill_random(cuda::Runtime& runtime, cuda::Buffer<Words4>& array, std::uint64_t seed) {
  const std::uint64_t first = std::min<std::uint64_t>(array.size(), chunk_vectors);
  std::vector<Words4> host(first);
  machine::fill_random({reinterpret_cast<double*>(host.data()), 2 * first}, seed);
  runtime.copy(array.data(), host.data(), first * sizeof(Words4), cuda::Direction::to_device,
               nullptr);
  for (std::uint64_t filled = first; filled < array.size();) {
    const std::uint64_t more = std::min(filled, array.size() - filled);
    runtime.copy(array.data() + filled, array.data(), more * sizeof(Words4),
                 cuda::Direction::on_device, nullptr);
    filled += more;
  }
  runtime.synchronize(nullptr);
}

StreamKind word_kind(GpuStreamKind kind) {
  return kind == GpuStreamKind::read    ? StreamKind::read
         : kind == GpuStreamKind::write ? StreamKind::write
                                        : StreamKind::copy;
}

std::uint32_t sum_of(const Words4& v) {
  return v.x + v.y + v.z + v.w;
}

constexpr double triad_scale = 3;

Doubles2 as_doubles(const Words4& words) {
  Doubles2 doubles;
  static_assert(sizeof(doubles) == sizeof(words));
  std::memcpy(&doubles, &words, sizeof(doubles));
  return doubles;
}

}  // namespace

std::string StreamShape::text() const {
  return stages > 0 ? fmt::format("{} stages in shared memory, {} threads, {} blocks", stages,
                                  threads, blocks)
                    : fmt::format("{} vector{} a thread, {} threads, {} blocks", unroll,
                                  unroll == 1 ? "" : "s", threads, blocks);
}

GpuStreamKind gpu_stream_kind(const std::string& kind) {
  if (kind == "read") return GpuStreamKind::read;
  if (kind == "write") return GpuStreamKind::write;
  if (kind == "copy") return GpuStreamKind::copy;
  if (kind == "triad") return GpuStreamKind::triad;
  if (kind == "mix") return GpuStreamKind::mix;
  throw CaseSkipped(fmt::format(
      "'{}' is measured on processors only; a GPU has read, write, copy, triad and mix", kind));
}

int gpu_stream_arrays(GpuStreamKind kind) {
  return kind == GpuStreamKind::triad                                ? 3
         : kind == GpuStreamKind::copy || kind == GpuStreamKind::mix ? 2
                                                                     : 1;
}

GpuStreams::GpuStreams(cuda::Runtime& runtime, GpuStreamKind kind, int reads, std::uint64_t vectors,
                       std::uint32_t passes, std::uint64_t seed)
    : runtime_(runtime),
      kind_(kind),
      reads_(reads),
      vectors_(vectors),
      passes_(passes),
      seed_(static_cast<std::uint32_t>(seed) * 2654435761u + 1) {
  if (kind != GpuStreamKind::write) {
    a_ = cuda::Buffer<Words4>(runtime, vectors);
    fill_random(runtime, a_, seed);
  }
  if (kind == GpuStreamKind::triad) {
    b_ = cuda::Buffer<Words4>(runtime, vectors);
    fill_random(runtime, b_, seed + 1);
  }
  if (kind != GpuStreamKind::read) out_ = cuda::Buffer<Words4>(runtime, vectors);
}

void GpuStreams::reserve_sums(unsigned blocks) {
  if (sums_.size() < blocks) sums_ = cuda::Buffer<std::uint32_t>(runtime_, blocks);
}

WordStream GpuStreams::words() {
  WordStream s;
  s.in = a_.data();
  s.out = out_.data();
  s.sums = sums_.data();
  s.vectors = vectors_;
  s.passes = passes_;
  s.seed = seed_;
  return s;
}

void GpuStreams::launch(const StreamShape& shape, cuda::StreamHandle stream) {
  reserve_sums(shape.blocks);
  cuda::LaunchShape launch_shape{{shape.blocks}, {shape.threads}, 0, stream};
  if (kind_ == GpuStreamKind::triad) {
    TriadStream s;
    s.b = reinterpret_cast<const Doubles2*>(a_.data());
    s.c = reinterpret_cast<const Doubles2*>(b_.data());
    s.a = reinterpret_cast<Doubles2*>(out_.data());
    s.scale = triad_scale;
    s.vectors = vectors_;
    s.passes = passes_;
    cuda::launch(runtime_, kernels::triad(shape.unroll), launch_shape, s);
  } else if (kind_ == GpuStreamKind::mix) {
    cuda::launch(runtime_, kernels::mix(reads_), launch_shape, words());
  } else if (shape.stages > 0) {
    launch_shape.dynamic_shared_bytes =
        kernels::staged_read_shared_bytes(shape.stages, shape.threads);
    cuda::launch(runtime_, kernels::staged_read(shape.stages), launch_shape, words());
  } else {
    cuda::launch(runtime_, kernels::stream(word_kind(kind_), shape.unroll), launch_shape, words());
  }
}

Verification GpuStreams::check(const StreamShape& shape) {
  if (kind_ != GpuStreamKind::read) runtime_.fill(out_.data(), 0xcd, out_.bytes(), nullptr);
  launch(shape, nullptr);
  runtime_.synchronize(nullptr);
  const auto downloaded = [](const cuda::Buffer<Words4>& array) {
    return array.size() == 0 ? std::vector<Words4>() : array.download();
  };
  const std::vector<Words4> a = downloaded(a_);
  const std::vector<Words4> b = downloaded(b_);
  const std::vector<Words4> out = downloaded(out_);
  Verification result;
  std::uint32_t expected_sum = 0;
  constexpr Words4 untouched{0xcdcdcdcdu, 0xcdcdcdcdu, 0xcdcdcdcdu, 0xcdcdcdcdu};
  for (std::uint64_t i = 0; i < vectors_; ++i) {
    const bool read =
        kind_ == GpuStreamKind::read ||
        (kind_ == GpuStreamKind::mix && static_cast<int>(i / shape.threads % mix_vectors) < reads_);
    if (read) expected_sum += passes_ * sum_of(a[i]);
    if (kind_ == GpuStreamKind::read) continue;
    if (kind_ == GpuStreamKind::triad) {
      const Doubles2 x = as_doubles(a[i]);
      const Doubles2 y = as_doubles(b[i]);
      const Doubles2 z = as_doubles(out[i]);
      // Multiply and add may be fused on the device: one rounding of difference.
      result.compare_close(z.x, x.x + triad_scale * y.x);
      result.compare_close(z.y, x.y + triad_scale * y.y);
      continue;
    }
    const Words4 want = kind_ == GpuStreamKind::copy ? a[i]
                        : read                       ? untouched
                                                     : generated(i, seed_);
    result.compare(std::memcmp(&want, &out[i], sizeof(want)) == 0);
  }
  if (kind_ == GpuStreamKind::read || kind_ == GpuStreamKind::mix) {
    const std::vector<std::uint32_t> sums = sums_.download();
    std::uint32_t sum = 0;
    for (unsigned block = 0; block < shape.blocks; ++block) sum += sums[block];
    result.compare(sum == expected_sum);
  }
  return result;
}

cuda::KernelWork GpuStreams::work(unsigned threads) const {
  WordStream s;
  s.vectors = vectors_;
  s.passes = passes_;
  if (kind_ == GpuStreamKind::mix) return ceilings::work::mix(reads_, s, threads);
  if (kind_ == GpuStreamKind::triad) {
    TriadStream triad;
    triad.vectors = vectors_;
    triad.passes = passes_;
    return ceilings::work::triad(triad);
  }
  return ceilings::work::stream(word_kind(kind_), s);
}

double GpuStreams::bytes() const {
  return static_cast<double>(a_.bytes() + b_.bytes() + out_.bytes());
}

const void* GpuStreams::device_function(const StreamShape& shape) const {
  if (kind_ == GpuStreamKind::triad) return kernels::triad(shape.unroll).device_function;
  if (kind_ == GpuStreamKind::mix) return kernels::mix(reads_).device_function;
  if (shape.stages > 0) return kernels::staged_read(shape.stages).device_function;
  return kernels::stream(word_kind(kind_), shape.unroll).device_function;
}

unsigned GpuStreams::resident_blocks(int unroll, unsigned threads) {
  const StreamShape shape{unroll, 0, threads, 1};
  return static_cast<unsigned>(
      std::max(1, runtime_.facts().multiprocessors *
                      runtime_.resident_blocks(device_function(shape), threads, 0)));
}

std::vector<StreamShape> GpuStreams::shapes() {
  const auto multiprocessors = static_cast<unsigned>(runtime_.facts().multiprocessors);
  std::vector<int> unrolls{1, 2, 4, 8};
  if (kind_ == GpuStreamKind::triad) unrolls = {1, 2, 4};
  if (kind_ == GpuStreamKind::mix) unrolls = {mix_vectors};
  const bool emulated = runtime_.backend() == cuda::Backend::emulator;
  const std::vector<unsigned> block_sizes =
      emulated ? std::vector<unsigned>{64, 96} : std::vector<unsigned>{256, 512, 1024};
  std::vector<StreamShape> shapes;
  const auto add = [&](StreamShape shape, std::size_t shared, int vectors_in_tile) {
    const int resident = runtime_.resident_blocks(device_function(shape), shape.threads, shared);
    if (resident < 1) return;
    shape.blocks = multiprocessors * static_cast<unsigned>(resident);
    shapes.push_back(shape);
    const std::uint64_t tile =
        std::uint64_t{shape.threads} * static_cast<unsigned>(vectors_in_tile);
    const std::uint64_t tiles = (vectors_ + tile - 1) / tile;
    if (shape.stages == 0 && tiles > shape.blocks && tiles < (1u << 24)) {
      shape.blocks = static_cast<unsigned>(tiles);
      shapes.push_back(shape);
    }
  };
  for (const unsigned threads : block_sizes) {
    for (const int unroll : unrolls) add({unroll, 0, threads, 1}, 0, unroll);
    if (kind_ != GpuStreamKind::read) continue;
    for (const int stages : {2, 4, 8}) {
      add({1, stages, threads, 1}, kernels::staged_read_shared_bytes(stages, threads), 1);
    }
  }
  return shapes;
}

}  // namespace hpclab::roofline::ceilings
