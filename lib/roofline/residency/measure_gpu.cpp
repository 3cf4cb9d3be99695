// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/units.hpp"
#include "machine/memory.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/residency/gpu_exchange.hpp"
#include "roofline/residency/measure.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hpclab::roofline::residency {
namespace {

constexpr std::int64_t verified_steps = 3;

template <class T>
ceilings::Verification verify(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  ceilings::Verification verification;
  for (const Parameters& small : small_cases(p)) {
    GpuExchange<T> exchange(runtime, small, context);
    exchange.upload();
    const Arrays<T> expected = reference_run(small, grid_of(small.stencil, small.points),
                                             exchange.arrays(), verified_steps);
    for (std::int64_t i = 0; i < verified_steps; ++i) exchange.step();
    const Arrays<T> got = exchange.arrays();
    for (std::size_t i = 0; i < got.device.size(); ++i) {
      verification.compare(got.device[i] == expected.device[i]);
      verification.compare(got.host[0][i] == expected.host[0][i]);
      // Managed arrays are the same on both sides, whether or not the second one is touched.
      if (p.host_memory != HostMemory::managed || p.moved_arrays == 2)
        verification.compare(got.host[1][i] == expected.host[1][i]);
    }
  }
  return verification;
}

template <class T>
Result measure_type(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const ceilings::Verification verification = verify<T>(p, runtime, context);
  verification.require("steps between host and device");
  if (runtime.backend() == cuda::Backend::emulator)
    return ceilings::verified_on_emulator(verification);

  const cuda::DeviceFacts facts = runtime.facts();
  const double both = 2 * traffic_of(p).array_bytes;
  if (both > 0.9 * static_cast<double>(facts.memory_bytes)) {
    throw CaseFailed(
        fmt::format("two arrays take {}, the GPU has {}", readable("both_bytes", both).text(),
                    readable("memory_bytes", static_cast<double>(facts.memory_bytes)).text()));
  }
  machine::require_memory(static_cast<std::uint64_t>(both));
  GpuExchange<T> exchange(runtime, p, context);
  exchange.upload();
  ceilings::GpuTimer timer(runtime, context);
  const auto steps_s = [&](auto&& step) {
    const double begin = now_s();
    for (std::int64_t i = 0; i < p.steps; ++i) step();
    exchange.synchronize();
    return (now_s() - begin) / static_cast<double>(p.steps);
  };
  std::vector<double> resident_s;
  const auto resident = [&] {
    resident_s.push_back(steps_s([&] { exchange.resident_step(); }));
    return resident_s.back();
  };
  resident();  // managed pages move to the device
  resident_s.clear();
  const ceilings::GpuSamples samples = timer.collect_own([&] {
    if (p.residency == Residency::resident) return resident();
    const double time_s = steps_s([&] { exchange.step(); });
    exchange.resident_step();  // brings managed pages back before the clock is read
    exchange.synchronize();
    resident();
    return time_s;
  });
  Result result;
  set_step_values(result, p, samples.set, resident_s);
  const double kernel_s = *result.value("kernel_s");
  result.set_text("bound", samples.set.median_s < 2 * kernel_s     ? "device memory"
                           : p.host_memory == HostMemory::pageable ? "host copies"
                           : p.host_memory == HostMemory::managed  ? "migration of pages"
                                                                   : "link");
  ceilings::set_verification(result, verification);
  ceilings::set_gpu_samples(result, samples, timer, facts);
  return result;
}

}  // namespace

Result measure_gpu(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  if (p.residency == Residency::moved && p.host_memory == HostMemory::managed &&
      (p.ways != Ways::both || p.chunks > 1)) {
    throw CaseSkipped("managed memory moves both ways and by itself; give ways=both, chunks=1");
  }
  return p.precision == Precision::fp64 ? measure_type<double>(p, runtime, context)
                                        : measure_type<float>(p, runtime, context);
}

}  // namespace hpclab::roofline::residency
