// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/measure.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/trace.hpp"
#include "kvcache/decode/execution.hpp"
#include "machine/core_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include <fmt/format.h>

namespace hpclab::kvcache::decode {
namespace {

/// Multiply-adds of the reference: a second at most.
constexpr double most_products = 2e7;
/// A sample lasts at least so long.
constexpr double sample_s = 2e-3;

void require_processor(const Parameters& p) {
  const auto units = static_cast<std::int64_t>(host_topology().processing_units.size());
  if (p.threads < 1 || p.threads > units) {
    throw CaseFailed(fmt::format(
        "{} threads asked for, but this process may use {} processing units", p.threads, units));
  }
  if (!supported(instruction_set_of(p.isa)))
    throw CaseSkipped(fmt::format("this processor does not execute {}", p.isa));
}

std::size_t repeats_for(double once_s) {
  return static_cast<std::size_t>(std::clamp(std::ceil(sample_s / once_s), 1.0, 1e6));
}

void set_median(Result& result, const std::string& name, const std::vector<double>& values) {
  result.set_value(name, median(values));
  if (const auto interval = median_interval(values))
    result.set_interval(name, interval->low, interval->high);
}

}  // namespace

double allocated_bytes(const Parameters& p) {
  const AttentionShape shape = attention_shape(p);
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(p.batch), p.context);
  const double rows = static_cast<double>(p.batch * p.query_heads);
  // Whole blocks, and partial and final results of every query head.
  return work_of(shape, lengths).kv_bytes *
             (1 + static_cast<double>(p.block) / 2 / static_cast<double>(p.context)) +
         rows * 4 * (2.0 * shape.value_dim + shape.key_dim);
}

Result measure(const Parameters& p, Backend backend, Context& context) {
  if (backend != Backend::cpu) return measure_gpu(p, backend, context);
  static const trace::Name setup_name("kvcache/decode-setup");
  static const trace::Name sample_name("kvcache/decode-sample");
  require_processor(p);
  const AttentionShape shape = attention_shape(p);
  const auto lengths = make_lengths(p.lengths, p.batch, p.context, context.seed);
  const DecodeWork work = work_of(shape, lengths);
  machine::ThreadTeam team(host_topology(), static_cast<int>(p.threads));
  std::optional<PagedCache> cache;
  {
    const trace::Range range(setup_name, trace::Category::setup);
    cache.emplace(shape, lengths, p.placement, context.seed, team);
  }
  const bool pairs = uses_pairs(p);
  CpuDecode decode(*cache, make_queries(shape, lengths.size(), context.seed), team,
                   instruction_set_of(p.isa), pairs, p.partition);
  const std::size_t repeats = repeats_for(decode.run_s(1));
  std::uint64_t compared = 0;
  const double error = decode.error(most_products, compared);
  if (!(error <= decode.tolerance())) {
    throw CaseFailed(
        fmt::format("a head differs from the reference by {:.3g} of its largest "
                    "element, allowed are {:.3g}",
                    error, decode.tolerance()));
  }
  const std::size_t reads = repeats_for(decode.read_s(1));
  const auto pool_bytes = static_cast<double>(cache->pool_bytes());
  std::vector<double> fractions, read_rates;
  machine::CoreSharingWatch sharing(team);
  const SampleSet samples = context.collect([&] {
    const trace::Range range(sample_name, trace::Category::measure);
    const double time_s = decode.run_s(repeats) / static_cast<double>(repeats);
    // What disturbs the machine disturbs both.
    const double read_s = decode.read_s(reads) / static_cast<double>(reads);
    read_rates.push_back(pool_bytes / read_s);
    fractions.push_back(work.kv_bytes / time_s / read_rates.back());
    return time_s;
  });
  for (std::vector<double>* of_samples : {&fractions, &read_rates}) {  // warm-up came first
    of_samples->erase(of_samples->begin(),
                      of_samples->end() -
                          static_cast<std::ptrdiff_t>(std::min(samples.count, of_samples->size())));
  }

  Result result;
  result.set_value("time_s", samples.median_s);
  result.set_value("kv_bandwidth_bytes_per_s", work.kv_bytes / samples.median_s);
  result.set_value("tokens_per_s", static_cast<double>(p.batch) / samples.median_s);
  if (samples.interval) {
    const auto [low, high] = *samples.interval;
    result.set_interval("time_s", low, high);
    result.set_interval("kv_bandwidth_bytes_per_s", work.kv_bytes / high, work.kv_bytes / low);
  }
  set_median(result, "fraction_of_bandwidth_ratio", fractions);
  set_median(result, "read_bytes_per_s", read_rates);
  result.set_value("kv_bytes", work.kv_bytes);
  result.set_value("max_error_ratio", error);
  result.set_value("compared_count", static_cast<double>(compared));
  result.set_work("kv_bytes", work.kv_bytes);
  result.set_work("flops", work.flops);
  result.set_text("attention", describe(shape));
  result.set_text("arithmetic", pairs ? "pairs of bf16" : "fp32");
  result.set_text("bound", *result.value("fraction_of_bandwidth_ratio") >= 0.8
                               ? "memory, as reading alone"
                               : "not memory alone");
  const double cached = static_cast<double>(host_topology().last_level_bytes());
  if (pool_bytes < 4 * cached) {
    result.add_note(fmt::format(
        "the cache of {:.0f} MiB is less than 4 times the last-level caches ({:.0f} MiB): part of "
        "it is not read from memory",
        pool_bytes / 0x1p20, cached / 0x1p20));
  }
  if (const auto note = sharing.note()) result.add_note(*note);
  result.set_samples("time_s", samples.samples_s);
  result.set_text("stopped", samples.stop_reason);
  for (const std::string& note : samples.notes) result.add_note("noisy: " + note);
  return result;
}

}  // namespace hpclab::kvcache::decode
