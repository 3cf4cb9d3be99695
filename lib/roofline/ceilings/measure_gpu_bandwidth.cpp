// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/units.hpp"
#include "cuda/core/launch.hpp"
#include "roofline/ceilings/gpu_streams.hpp"
#include "roofline/ceilings/gpu_theory.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/measure_gpu.hpp"
#include "roofline/ceilings/theory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

// Read, write, copy and triad with every unroll, ragged ends, more and fewer tiles than blocks.
Verification verify_streams(cuda::Runtime& runtime, GpuStreamKind kind, int reads,
                            std::uint64_t seed) {
  Verification total;
  for (const std::uint64_t vectors : {97u, 2003u}) {
    GpuStreams streams(runtime, kind, reads, vectors, 2, seed);
    for (StreamShape shape : streams.shapes()) {
      shape.blocks = std::min(shape.blocks, 3u);
      total.add(streams.check(shape));
    }
  }
  return total;
}

void set_theory(Result& result, const GpuSamples& samples, const cuda::DeviceFacts& facts,
                const Parameters& p) {
  const double clock = clock_for_theory(samples, facts);
  const auto theory = gpu_bandwidth_bytes_per_s(facts, p.level, p.conflict, clock);
  if (!theory) return;
  const double measured = *result.value("bandwidth_bytes_per_s");
  refuse_above_theory(measured, *theory, clock, "bandwidth_bytes_per_s");
  result.set_value("theory_bytes_per_s", *theory);
  result.set_value("fraction_of_theory_ratio", measured / *theory);
}

}  // namespace

Result measure_gpu_streams(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const GpuStreamKind kind = gpu_stream_kind(p.kind);
  if (kind == GpuStreamKind::mix) bandwidth_kind(p);  // refuses fractions that are no eighths
  const int reads = static_cast<int>(std::lround(p.read_fraction * mix_vectors));
  const int arrays = gpu_stream_arrays(kind);
  const cuda::DeviceFacts facts = runtime.facts();
  const double bytes = gpu_working_set_bytes(p, facts, arrays);
  const Verification verification = verify_streams(runtime, kind, reads, context.seed);
  verification.require(p.kind + " streams");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const auto vectors = static_cast<std::uint64_t>(bytes / arrays / sizeof(Words4));
  if (vectors < 1024) {
    throw CaseFailed(
        fmt::format("a working set of {} is too small to measure on a GPU", readable_bytes(bytes)));
  }
  // Small working sets are passed over until a launch moves a gigabyte.
  const auto passes = static_cast<std::uint32_t>(std::clamp(1e9 / bytes, 1.0, 1e4));
  GpuStreams streams(runtime, kind, reads, vectors, passes, context.seed);
  GpuTimer timer(runtime, context);
  StreamShape best;
  double best_s = std::numeric_limits<double>::infinity();
  Table tried{{"shape", "bandwidth"}, {"", "B/s"}, {}};
  for (const StreamShape& shape : streams.shapes()) {
    const double time_s = timer.quick_s([&](cuda::StreamHandle s) { streams.launch(shape, s); });
    const cuda::KernelWork work = streams.work(shape.threads);
    tried.rows.push_back({shape.text(), (work.read_bytes + work.write_bytes) / time_s});
    if (time_s < best_s) {
      best_s = time_s;
      best = shape;
    }
  }
  const GpuSamples samples = timer.collect([&](cuda::StreamHandle s) { streams.launch(best, s); });
  const cuda::KernelWork work = streams.work(best.threads);
  Result result;
  set_rate(result, "bandwidth_bytes_per_s", work.read_bytes + work.write_bytes, samples.set);
  result.set_value("working_set_bytes", streams.bytes());
  result.set_work("read_bytes", work.read_bytes);
  result.set_work("written_bytes", work.write_bytes);
  if (p.level == MemoryLevel::dram && p.working_set == 0)
    result.set_work("dram_bytes", work.read_bytes + work.write_bytes);
  result.set_text("bound", p.working_set > 0 ? "working set as given" : name_of(p.level));
  result.set_text("shape", best.text());
  result.set_table("shapes", tried);
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, facts);
  if (p.working_set == 0) set_theory(result, samples, facts, p);
  return result;
}

Result measure_gpu_shared(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  if (gpu_stream_kind(p.kind) != GpuStreamKind::read)
    throw CaseSkipped("shared memory is measured by reads; give kind=read");
  const auto ways = static_cast<std::uint32_t>(p.conflict);
  if ((ways & (ways - 1)) != 0) {
    throw CaseFailed(fmt::format("conflict = {} is not one of 1, 2, 4, 8, 16, 32", p.conflict));
  }
  const std::vector<int> word_sizes = ways == 1 ? std::vector<int>{4, 16} : std::vector<int>{4};
  Verification verification;
  for (const int bytes : word_sizes) verification.add(verify_shared_read(runtime, bytes, ways));
  verification.require("loads from shared memory");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const cuda::DeviceFacts facts = runtime.facts();
  GpuTimer timer(runtime, context);
  SharedRead s;
  s.ways = ways;
  s.iterations = 2048 / ways;
  struct Shape {
    int word_bytes = 4;
    unsigned threads = 1024;
    unsigned blocks = 1;
  } best;
  std::vector<Shape> shapes;
  for (const int bytes : word_sizes) {
    for (const unsigned threads : {256u, 512u, 1024u}) {
      const int resident =
          runtime.resident_blocks(kernels::shared_read(bytes).device_function, threads, 0);
      if (resident > 0)
        shapes.push_back({bytes, threads, static_cast<unsigned>(facts.multiprocessors * resident)});
    }
  }
  unsigned most = 0;
  for (const Shape& shape : shapes) most = std::max(most, shape.blocks * shape.threads);
  cuda::Buffer<std::uint32_t> out(runtime, most);
  s.out = out.data();
  const auto launch = [&](const Shape& shape, cuda::StreamHandle stream) {
    cuda::launch(runtime, kernels::shared_read(shape.word_bytes),
                 {{shape.blocks}, {shape.threads}, 0, stream}, s);
  };
  const auto wavefronts = [&](const Shape& shape) {
    return work::shared_read(shape.word_bytes, s, std::uint64_t{shape.blocks} * shape.threads)
        .shared_wavefronts;
  };
  double best_rate = 0;
  for (const Shape& shape : shapes) {
    const double rate =
        wavefronts(shape) / timer.quick_s([&](cuda::StreamHandle h) { launch(shape, h); });
    if (rate <= best_rate) continue;
    best_rate = rate;
    best = shape;
  }
  const GpuSamples samples = timer.collect([&](cuda::StreamHandle h) { launch(best, h); });
  Result result;
  // Bytes that the lanes receive: a conflict moves the same bytes in more wavefronts.
  set_rate(result, "bandwidth_bytes_per_s", wavefronts(best) * cuda::wavefront_bytes / ways,
           samples.set);
  result.set_work("shared_wavefronts", wavefronts(best));
  result.set_text("bound", ways == 1 ? "shared" : fmt::format("{}-way bank conflict", ways));
  result.set_text("shape", fmt::format("{} bytes a lane, {} threads, {} blocks", best.word_bytes,
                                       best.threads, best.blocks));
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, facts);
  set_theory(result, samples, facts, p);
  return result;
}

}  // namespace hpclab::roofline::ceilings
