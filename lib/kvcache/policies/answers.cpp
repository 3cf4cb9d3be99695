// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Model and simulation of `hpclab kvcache policies`, in the same values.
#include "core/error.hpp"
#include "core/units.hpp"
#include "kvcache/policies/closed_form.hpp"
#include "kvcache/policies/paged_allocator.hpp"
#include "kvcache/policies/reserving_allocator.hpp"
#include "kvcache/policies/workload.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::kvcache::policies {
namespace {

std::unique_ptr<KvAllocator> make_allocator(const Parameters& p, const Pool& pool) {
  switch (p.policy) {
    case Policy::contiguous:
      return std::make_unique<ReservingAllocator>(pool.slots,
                                                  std::make_unique<FirstFit>(pool.slots));
    case Policy::buddy:
      return std::make_unique<ReservingAllocator>(pool.slots,
                                                  std::make_unique<Buddies>(pool.slots));
    case Policy::paged:
    case Policy::copy_on_write:
      break;
  }
  return std::make_unique<PagedAllocator>(pool.slots, static_cast<std::uint64_t>(p.block),
                                          p.policy == Policy::copy_on_write);
}

// `logical_tokens`: tokens that attention reads in a step, shared ones for each sequence.
void set_rates(Result& result, const Parameters& p, const Pool& pool, double concurrency,
               double logical_tokens) {
  const double step_s = step_seconds(p, pool, logical_tokens);
  result.set_value("concurrency", concurrency);
  result.set_value("step_s", step_s);
  result.set_value("tokens_per_s", concurrency / step_s);
  result.set_value("bytes_per_token", pool.bytes_per_token);
  result.set_value("weights_bytes", pool.weights_bytes);
  result.set_value("pool_tokens", static_cast<double>(pool.slots));
}

void add_notes(Result& result, const Workload& workload) {
  result.set_value("requests_count", static_cast<double>(workload.requests.size()));
  for (const std::string& note : workload.notes) result.add_note(note);
}

}  // namespace

Result model(const Parameters& p, Context& context) {
  const Pool pool = make_pool(p);
  const Workload workload = make_workload(p, context);
  const SequenceMeans means = sequence_means(p, workload.requests);
  const double sequences = concurrency(p, pool, means);
  if (sequences < 1) {
    throw CaseFailed(fmt::format("the pool of {} slots holds not one sequence of {:.0f}",
                                 pool.slots, means.slots));
  }
  const auto slots = static_cast<double>(pool.slots);
  Result result;
  result.set_value("waste_tokens", means.waste());
  result.set_value("useful_ratio", sequences * means.stored_tokens / slots);
  result.set_value("sharing_ratio", 1 - means.stored_tokens / means.tokens);
  result.set_value("mean_tokens", means.tokens);
  set_rates(result, p, pool, sequences, sequences * means.tokens);
  result.set_text("bound", "closed form: nothing left over, nobody thrown out");
  add_notes(result, workload);
  return result;
}

Result simulate(const Parameters& p, Context& context) {
  const Pool pool = make_pool(p);
  Workload workload = make_workload(p, context);
  const auto allocator = make_allocator(p, pool);
  BatchOptions options;
  options.samples = static_cast<std::uint64_t>(p.samples);
  options.most_sequences = static_cast<std::uint64_t>(p.max_num_seqs);
  const BatchMeans means = run_batch(workload.requests, *allocator, options, context.stop);
  if (means.sequences == 0) {
    throw CaseFailed(fmt::format("no request fits the pool of {} slots", pool.slots));
  }
  const auto slots = static_cast<double>(pool.slots);
  Result result;
  result.set_value("waste_tokens", (means.reserved + means.internal) / means.sequences);
  result.set_value("useful_ratio", means.tokens / slots);
  result.set_value("sharing_ratio", 1 - means.tokens / means.logical_tokens);
  result.set_value("mean_tokens", means.logical_tokens / means.sequences);
  result.set_value("reserved_ratio", means.reserved / slots);
  result.set_value("internal_waste_ratio", means.internal / slots);
  result.set_value("external_waste_ratio", means.external / slots);
  result.set_value("preemptions_count", static_cast<double>(means.preemptions));
  result.set_value("recomputed_tokens", static_cast<double>(means.recomputed_tokens));
  result.set_value("rejected_count", static_cast<double>(means.rejected));
  set_rates(result, p, pool, means.sequences, means.logical_tokens);
  const auto share = [&](double part) { return 100 * part / slots; };
  result.set_text("verdict",
                  fmt::format("{:.1f} % of the pool stores tokens, {:.1f} % is kept for later, "
                              "{:.1f} % is never used, {:.1f} % is nobody's",
                              share(means.tokens), share(means.reserved), share(means.internal),
                              share(means.external)));
  if (!means.pool_was_full) {
    result.add_note(
        "the pool was never full: all requests ran at once, or max_num_seqs held them "
        "back; the means are over the whole run");
  }
  if (means.rejected > 0) {
    result.add_note(fmt::format("{} requests do not fit the pool even alone", means.rejected));
  }
  add_notes(result, workload);
  return result;
}

Estimate estimate(const Parameters& p, Method method) {
  // A request is about 100 bytes; a sequence costs about 10 ns a step.
  double requests = static_cast<double>(p.requests_count);
  double steps = requests * p.output_tokens;
  if (p.source == Lengths::file) {
    std::error_code unknown;
    const auto size = std::filesystem::file_size(p.requests, unknown);
    requests = unknown ? 1e4 : static_cast<double>(size) / 10;
    steps = 300 * requests;
  }
  return {1e6 + 100 * requests,
          (method == Method::simulate ? 1e-8 * steps * static_cast<double>(p.samples) : 0) +
              1e-7 * requests};
}

}  // namespace hpclab::kvcache::policies
