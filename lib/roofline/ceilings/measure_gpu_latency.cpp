// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "roofline/ceilings/gpu_chase.hpp"
#include "roofline/ceilings/gpu_streams.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/littles_law.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/measure_gpu.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr std::uint32_t line_words = 32;  // 128 bytes: neighbours would come with the first load
constexpr double sector_bytes = 32;

}  // namespace

Result measure_gpu_latency(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const auto chains = static_cast<int>(p.chains);
  if (chains != 1 && chains != 2 && chains != 4 && chains != 8) {
    throw CaseSkipped(fmt::format("on a GPU a thread chases 1, 2, 4 or 8 chains, not {}", chains));
  }
  const cuda::DeviceFacts facts = runtime.facts();
  const double bytes = gpu_working_set_bytes(p, facts, 1);
  const Verification verification = verify_chase(runtime, chains, context.seed);
  verification.require("pointer chase");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const auto nodes = static_cast<std::uint32_t>(
      std::clamp(bytes / (line_words * sizeof(std::uint32_t)), 64.0, 3e7));
  GpuChase chase(runtime, nodes, line_words, chains, 1, context.seed);
  GpuTimer timer(runtime, context);
  // In DRAM few steps of a long cycle, no line twice; in a cache the whole cycle once before.
  const std::uint32_t steps = p.level == MemoryLevel::dram ? 8192 : std::max(nodes, 16384u);
  const GpuSamples samples =
      timer.collect([&](cuda::StreamHandle stream) { chase.launch(1, 1, steps, stream); });
  const double latency_s = samples.set.median_s / steps;
  Result result;
  result.set_value("latency_s", latency_s);
  if (samples.set.interval) {
    result.set_interval("latency_s", samples.set.interval->low / steps,
                        samples.set.interval->high / steps);
  }
  result.set_value("bandwidth_bytes_per_s", sector_bytes * chains / latency_s);
  result.set_value("working_set_bytes", chase.bytes());
  result.set_text("bound", p.working_set > 0 ? "working set as given" : name_of(p.level));
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, facts);
  return result;
}

Result measure_gpu_concurrency(const Parameters& p, cuda::Runtime& runtime,
                               const Context& context) {
  const cuda::DeviceFacts facts = runtime.facts();
  const double bytes = gpu_working_set_bytes(p, facts, 1);
  Verification verification;
  {
    GpuStreams streams(runtime, GpuStreamKind::read, 0, 1031, 1, context.seed);
    for (const int unroll : {1, 2, 4, 8}) verification.add(streams.check({unroll, 0, 64, 2}));
  }
  verification.require("read streams");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const auto vectors = static_cast<std::uint64_t>(bytes / sizeof(Words4));
  const auto passes = static_cast<std::uint32_t>(std::clamp(1e9 / bytes, 1.0, 1e4));
  GpuStreams streams(runtime, GpuStreamKind::read, 0, vectors, passes, context.seed);
  GpuTimer timer(runtime, context);
  const auto multiprocessors = static_cast<unsigned>(facts.multiprocessors);
  std::vector<ConcurrencyPoint> points;
  Table table{{"bytes_in_flight", "bytes_in_flight_per_sm", "bandwidth", "shape"},
              {"B", "B", "B/s", ""},
              {}};
  // From one warp with one vector a lane to all threads with eight, about a factor of two apart.
  const StreamShape shapes[] = {{1, 0, 32, 1},   {1, 0, 64, 1},   {1, 0, 128, 1},  {1, 0, 256, 1},
                                {1, 0, 512, 1},  {1, 0, 1024, 1}, {2, 0, 1024, 1}, {4, 0, 1024, 1},
                                {4, 0, 1024, 2}, {8, 0, 1024, 2}};
  double at_most = 0;
  for (StreamShape shape : shapes) {
    const unsigned per_multiprocessor = shape.blocks;
    if (streams.resident_blocks(shape.unroll, shape.threads) < multiprocessors * shape.blocks)
      continue;
    shape.blocks *= multiprocessors;
    const double time_s = timer.quick_s([&](cuda::StreamHandle h) { streams.launch(shape, h); });
    const double per_sm =
        16.0 * shape.unroll * static_cast<double>(shape.threads) * per_multiprocessor;
    const double in_flight = per_sm * multiprocessors;
    const double bandwidth = streams.work(shape.threads).read_bytes / time_s;
    points.push_back({in_flight / 64, bandwidth});
    at_most = std::max(at_most, bandwidth);
    table.rows.push_back({in_flight, per_sm, bandwidth, shape.text()});
    if (context.report_progress)
      context.report_progress(static_cast<double>(points.size()) / std::size(shapes));
  }
  const LittlesLawFit fit = fit_littles_law(points, multiprocessors);
  Result result;
  result.set_table("concurrency", table);
  result.set_table("fit", {{"latency_s", "max_bytes_per_s", "sharpness"},
                           {"s", "B/s", ""},
                           {{fit.latency_s, fit.max_bytes_per_s, fit.sharpness}}});
  result.set_value("latency_s", fit.latency_s);
  result.set_value("bandwidth_bytes_per_s", fit.max_bytes_per_s);
  result.set_value("needed_lines", fit.lines_needed);
  result.set_value("kept_lines", fit.lines_kept_per_core);
  result.set_value("fit_residual_ratio", fit.relative_residual);
  result.set_value("working_set_bytes", streams.bytes());
  result.set_text("bound", fit.saturated ? name_of(p.level) : "bytes in flight");
  set_device(result, facts);
  if (!fit.saturated)
    result.add_note(
        "all threads of the device do not saturate the level: its ceiling is "
        "extrapolated");
  set_verification(result, verification);
  return result;
}

}  // namespace hpclab::roofline::ceilings
