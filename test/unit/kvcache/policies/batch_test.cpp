// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/policies/batch.hpp"

#include "core/error.hpp"
#include "kvcache/policies/closed_form.hpp"
#include "kvcache/policies/paged_allocator.hpp"
#include "kvcache/policies/reserving_allocator.hpp"
#include "support/catch.hpp"
#include "support/outside_data.hpp"

#include <memory>
#include <random>

using namespace hpclab;
using namespace hpclab::kvcache;
using namespace hpclab::kvcache::policies;

namespace {

std::vector<BatchRequest> alike(std::size_t count, std::uint64_t prompt, std::uint64_t output,
                                std::uint64_t reserved) {
  return std::vector<BatchRequest>(count, BatchRequest{prompt, output, reserved, {}});
}

Result simulated(const Parameters& p) {
  Context context;
  return simulate(p, context);
}

Result modelled(const Parameters& p) {
  Context context;
  return model(p, context);
}

// The built-in default is a name; cases get the file that it means.
Parameters with_model() {
  Parameters p;
  p.model = std::filesystem::path(HPCLAB_SOURCE_DIR) / "configs" / "models" / "llama-3.1-8b.json";
  return p;
}

}  // namespace

TEST_CASE("batch: do equal reserved sequences run as many at once as the pool divides into?") {
  ReservingAllocator allocator(1050, std::make_unique<FirstFit>(1050));
  const BatchMeans means = run_batch(alike(100, 10, 41, 100), allocator, {}, {});
  CHECK(means.pool_was_full);
  CHECK(means.sequences == 10);
  CHECK(means.external == 50);
  // A sequence holds 10, 11, ..., 50 tokens: 30 on average, of 50 that it ever needs.
  CHECK(means.tokens == Catch::Approx(10 * 30));
  CHECK(means.reserved == Catch::Approx(10 * 20));
  CHECK(means.internal == Catch::Approx(10 * 50));
  CHECK(means.admitted == 100);
  CHECK(means.rejected == 0);
}

TEST_CASE("batch: does every slot belong to one of the four kinds?") {
  std::minstd_rand chance(3);
  std::vector<BatchRequest> requests;
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t prompt = 1 + chance() % 60, output = 1 + chance() % 90;
    requests.push_back({prompt, output, prompt + output, {}});
  }
  std::vector<std::unique_ptr<KvAllocator>> allocators;
  allocators.push_back(
      std::make_unique<ReservingAllocator>(1000, std::make_unique<FirstFit>(1000)));
  allocators.push_back(std::make_unique<ReservingAllocator>(1000, std::make_unique<Buddies>(1000)));
  allocators.push_back(std::make_unique<PagedAllocator>(1000, 16, false));
  allocators.push_back(std::make_unique<PagedAllocator>(1000, 16, true));
  for (const auto& allocator : allocators) {
    for (const std::uint64_t samples : {1, 3}) {
      BatchOptions options;
      options.samples = samples;
      const BatchMeans means = run_batch(requests, *allocator, options, {});
      CHECK(means.tokens + means.reserved + means.internal + means.external ==
            Catch::Approx(1000).epsilon(1e-12));
      CHECK(means.pool_was_full);
      CHECK(allocator->taken_slots() == 0);
      CHECK(means.rejected == 0);
      CHECK(means.admitted == 500 + means.preemptions);
    }
  }
}

TEST_CASE("batch: is the request admitted last thrown out, and finished in the end?") {
  // Two sequences of up to 64 tokens in a pool of 96: both fit at first.
  PagedAllocator allocator(96, 16, false);
  const BatchMeans means = run_batch(alike(2, 16, 49, 0), allocator, {}, {});
  CHECK(means.preemptions >= 1);
  CHECK(means.admitted == 2 + means.preemptions);
  CHECK(means.recomputed_tokens > 16);
  CHECK(means.rejected == 0);
}

TEST_CASE("batch: are requests that can never fit counted instead of waited for?") {
  PagedAllocator allocator(64, 16, false);
  std::vector<BatchRequest> requests = alike(1, 100, 1, 0);  // at once too long
  requests.push_back({16, 100, 0, {}});                      // in the end too long
  requests.push_back({16, 10, 0, {}});
  const BatchMeans means = run_batch(requests, allocator, {}, {});
  CHECK(means.rejected == 2);
  CHECK(means.sequences > 0);
}

TEST_CASE("batch: does a limit on sequences hold, and is the pool then said not to be full?") {
  PagedAllocator allocator(100'000, 16, false);
  BatchOptions options;
  options.samples = 2;
  options.most_sequences = 7;
  const BatchMeans means = run_batch(alike(60, 10, 10, 0), allocator, options, {});
  CHECK_FALSE(means.pool_was_full);
  CHECK(means.sequences == 6);
}

TEST_CASE("policies: is the waste of paging (block - 1) / 2 slots a sequence?") {
  Parameters p = with_model();
  p.requests_count = 3000;
  for (const std::int64_t block : {1, 8, 16, 32, 64}) {
    p.block = block;
    const double expected = static_cast<double>(block - 1) / 2;
    CHECK(modelled(p).value("waste_tokens").value() == Catch::Approx(expected).margin(1e-9));
    CHECK(simulated(p).value("waste_tokens").value() ==
          Catch::Approx(expected).epsilon(0.02).margin(1e-12));
  }
}

TEST_CASE("policies: is the simulated concurrency near the closed form, and never above?") {
  Parameters p = with_model();
  p.requests_count = 3000;
  for (const Policy policy :
       {Policy::contiguous, Policy::buddy, Policy::paged, Policy::copy_on_write}) {
    for (const Reserve reserve : {Reserve::max, Reserve::pow2, Reserve::oracle}) {
      p.policy = policy;
      p.reserve = reserve;
      p.samples = policy == Policy::copy_on_write ? 4 : 1;
      const double bound = modelled(p).value("concurrency").value();
      const double found = simulated(p).value("concurrency").value();
      INFO(static_cast<int>(policy) << " " << static_cast<int>(reserve));
      CHECK(found <= bound * 1.02);  // the lengths of a finite run differ from their means
      CHECK(found >= bound * 0.85);
    }
  }
}

TEST_CASE("policies: does a reserved range of max_model_len waste the rest of it?") {
  Parameters p = with_model();
  p.policy = Policy::contiguous;
  p.requests_count = 500;
  p.prompt_law = p.output_law = LengthLaw::fixed;
  p.prompt_tokens = 100;
  p.output_tokens = 101;
  const Result found = simulated(p), expected = modelled(p);
  CHECK(found.value("waste_tokens").value() == Catch::Approx(2048 - 150));
  CHECK(found.value("waste_tokens").value() ==
        Catch::Approx(expected.value("waste_tokens").value()));
  CHECK(found.value("concurrency").value() == 64);  // 16 GiB / 128 KiB / 2048
  CHECK(expected.value("concurrency").value() == 64);
}

TEST_CASE("policies: do samples that copy on write store the prompt once?") {
  Parameters p = with_model();
  p.policy = Policy::copy_on_write;
  p.samples = 4;
  p.requests_count = 200;
  p.prompt_law = p.output_law = LengthLaw::fixed;
  p.prompt_tokens = 256;  // full blocks: nothing to copy
  p.output_tokens = 65;
  const Result found = simulated(p);
  // A request stores 256 + 4 k tokens while its samples stand for 4 (256 + k); k is 32 on average.
  CHECK(found.value("sharing_ratio").value() ==
        Catch::Approx(1 - (256. + 4 * 32) / (4 * (256 + 32))).epsilon(1e-9));
  CHECK(modelled(p).value("sharing_ratio").value() ==
        Catch::Approx(found.value("sharing_ratio").value()).epsilon(1e-9));
}

TEST_CASE(
    "policies: does a cache of half the bytes hold twice the tokens, offloaded or quantised?") {
  Parameters p = with_model();
  const double slots = modelled(p).value("pool_tokens").value();
  CHECK(modelled(p).value("bytes_per_token").value() == 131072);
  CHECK(slots == 131072);
  p.kv_dtype = "fp8";
  CHECK(modelled(p).value("pool_tokens").value() == 2 * slots);
  p.kv_dtype = "auto";
  p.offload_ratio = 0.5;
  const Result offloaded = modelled(p);
  CHECK(offloaded.value("pool_tokens").value() == 2 * slots);
  // The link carries half of all bytes, slower than the memory the other half.
  const double tokens =
      offloaded.value("concurrency").value() * offloaded.value("mean_tokens").value();
  CHECK(offloaded.value("step_s").value() == Catch::Approx(tokens * 65536 / 25e9).epsilon(1e-9));
}

TEST_CASE("policies: are lengths of a trace served, and equal prompts shared?") {
  const auto trace = test::outside_data("kvcache/mooncake_synthetic_trace.jsonl.gz");
  if (!trace) return;
  Parameters p = with_model();
  p.source = Lengths::file;
  p.requests = *trace;
  p.max_model_len = 131072;
  p.block = 512;
  p.available_bytes = 64. * (1 << 30);
  const Result paged = simulated(p);
  p.policy = Policy::copy_on_write;
  const Result shared = simulated(p);
  CHECK(paged.value("sharing_ratio").value() == 0);
  CHECK(shared.value("sharing_ratio").value() > 0.02);
  CHECK(shared.value("concurrency").value() > paged.value("concurrency").value());
}

TEST_CASE("policies: are models that forget tokens, and pools without room, refused?") {
  Parameters p = with_model();
  p.available_bytes = 1000;
  CHECK_THROWS_AS(simulated(p), CaseFailed);
  p = with_model();
  p.max_model_len = 2;
  p.prompt_law = LengthLaw::fixed;
  CHECK_THROWS_AS(simulated(p), CaseFailed);
  p = with_model();
  p.model = p.model.parent_path() / "gpt-oss-20b.json";
  CHECK_THROWS_AS(modelled(p), CaseFailed);
}
