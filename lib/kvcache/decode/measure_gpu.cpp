// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/units.hpp"
#include "cuda/core/runtime.hpp"
#include "cuda/core/stream.hpp"
#include "kvcache/decode/gpu_decode.hpp"
#include "kvcache/decode/measure.hpp"
#include "kvcache/decode/reference.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace hpclab::kvcache::decode {
namespace {

// The shape of the case with few short sequences: odd ends, several blocks a sequence and the other
// way round.
double verify(const Parameters& p, const AttentionShape& shape, cuda::Runtime& runtime,
              std::uint64_t seed, std::uint64_t& compared) {
  AttentionShape small = shape;
  // Heads beyond two repeat what two show; queries of a head stay as many.
  small.kv_heads = std::min(shape.kv_heads, 2);
  small.query_heads = std::min(small.kv_heads * shape.queries_per_kv_head(), 16 * small.kv_heads);
  double worst = 0;
  for (const auto& lengths : {std::vector<std::int64_t>{1, 37}, std::vector<std::int64_t>{90}}) {
    GpuDecode decode(runtime, small, lengths, p.placement, p.partition, 3, seed);
    decode.enqueue(nullptr);
    runtime.synchronize(nullptr);
    const double error = decode.error(compared);
    worst = worse_error(worst, error);
  }
  if (!(worst <= GpuDecode::tolerance)) {
    throw CaseFailed(
        fmt::format("a head differs from the reference by {:.3g} of its largest "
                    "element, allowed are {:.3g}",
                    worst, GpuDecode::tolerance));
  }
  return worst;
}

template <class Enqueue>
double seconds(cuda::Stream& stream, cuda::Event& begin, cuda::Event& end, std::size_t repeats,
               const Enqueue& enqueue) {
  begin.record(stream.handle());
  for (std::size_t i = 0; i < repeats; ++i) enqueue(stream.handle());
  end.record(stream.handle());
  end.wait();
  return end.elapsed_s_since(begin) / static_cast<double>(repeats);
}

}  // namespace

Result measure_gpu(const Parameters& p, Backend backend, const Context& context) {
  const std::unique_ptr<cuda::Runtime> runtime =
      backend == Backend::emulator ? cuda::make_emulator(context.seed) : cuda::make_device(0);
  const cuda::CaseScope scope(*runtime, context.case_id);
  const AttentionShape shape = attention_shape(p);
  Result result;
  std::uint64_t compared = 0;
  const double error = verify(p, shape, *runtime, context.seed, compared);
  result.set_value("max_error_ratio", error);
  result.set_value("compared_count", static_cast<double>(compared));
  result.set_text("attention", describe(shape));
  if (backend == Backend::emulator) {
    result.set_text("verdict", "verified");
    return result;
  }

  const auto lengths = make_lengths(p.lengths, p.batch, p.context, context.seed);
  const DecodeWork work = work_of(shape, lengths);
  const auto memory = static_cast<double>(runtime->facts().memory_bytes);
  if (allocated_bytes(p) > 0.9 * memory) {
    throw CaseFailed(fmt::format("the cache takes {}, the GPU has {}",
                                 readable("needed_bytes", allocated_bytes(p)).text(),
                                 readable("memory_bytes", memory).text()));
  }
  const int blocks = persistent_blocks(*runtime, shape);
  GpuDecode decode(*runtime, shape, lengths, p.placement, p.partition, blocks, context.seed);
  cuda::Stream stream(*runtime);
  cuda::Event begin(*runtime), end(*runtime);
  const auto step = [&](cuda::StreamHandle s) { decode.enqueue(s); };
  const auto read = [&](cuda::StreamHandle s) { decode.enqueue_read(s); };
  const auto repeats_for = [](double once_s) {
    return static_cast<std::size_t>(std::clamp(std::ceil(5e-3 / once_s), 1.0, 1e5));
  };
  seconds(stream, begin, end, 1, step);
  const std::size_t repeats = repeats_for(seconds(stream, begin, end, 3, step));
  double read_s = seconds(stream, begin, end, 3, read);
  for (int i = 0; i < 5; ++i)
    read_s = std::min(read_s, seconds(stream, begin, end, repeats_for(read_s), read));
  const SampleSet samples =
      context.collect([&] { return seconds(stream, begin, end, repeats, step); });
  const double rate = work.kv_bytes / samples.median_s;
  result.set_value("time_s", samples.median_s);
  result.set_value("kv_bandwidth_bytes_per_s", rate);
  if (samples.interval) {
    const auto [low, high] = *samples.interval;
    result.set_interval("time_s", low, high);
    result.set_interval("kv_bandwidth_bytes_per_s", work.kv_bytes / high, work.kv_bytes / low);
  }
  result.set_value("tokens_per_s", static_cast<double>(p.batch) / samples.median_s);
  result.set_value("read_bytes_per_s", decode.pool_bytes() / read_s);
  result.set_value("fraction_of_bandwidth_ratio", rate / (decode.pool_bytes() / read_s));
  result.set_value("kv_bytes", work.kv_bytes);
  result.set_work("kv_bytes", work.kv_bytes);
  result.set_work("flops", work.flops);
  result.set_text("device", runtime->facts().name);
  result.set_text("shape", fmt::format("{} blocks of {} threads", blocks, block_threads));
  result.set_text("bound", *result.value("fraction_of_bandwidth_ratio") >= 0.8
                               ? "memory, as reading alone"
                               : "not memory alone");
  result.set_samples("time_s", samples.samples_s);
  result.set_text("stopped", samples.stop_reason);
  for (const std::string& note : samples.notes) result.add_note("noisy: " + note);
  return result;
}

}  // namespace hpclab::kvcache::decode
