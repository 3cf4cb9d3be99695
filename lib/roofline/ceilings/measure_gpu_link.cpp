// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/clock.hpp"
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/core/stream.hpp"
#include "machine/memory.hpp"
#include "roofline/ceilings/gpu_timer.hpp"
#include "roofline/ceilings/gpu_verify.hpp"
#include "roofline/ceilings/measure.hpp"
#include "roofline/ceilings/measure_gpu.hpp"

#include <future>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace hpclab::roofline::ceilings {
namespace {

constexpr std::size_t link_bytes = std::size_t{256} << 20;

// Host memory of one direction, filled with random words.
struct HostSide {
  HostSide(cuda::Runtime& runtime, bool pinned, std::size_t bytes, std::uint64_t seed) {
    if (pinned) {
      locked = std::make_unique<cuda::PinnedMemory>(runtime, bytes);
      data = static_cast<double*>(locked->data());
    } else {
      ordinary.resize(bytes / sizeof(double));
      data = ordinary.data();
    }
    machine::fill_random({data, bytes / sizeof(double)}, seed);
  }
  std::unique_ptr<cuda::PinnedMemory> locked;
  std::vector<double> ordinary;
  double* data = nullptr;
};

}  // namespace

Result measure_gpu_link(const Parameters& p, cuda::Runtime& runtime, const Context& context) {
  const bool pinned = p.host_memory == HostMemory::pinned;
  const Verification verification = verify_link(runtime, pinned, context.seed);
  verification.require("copies between host and device");
  if (is_emulator(runtime)) return verified_on_emulator(verification);

  const bool up = p.direction != LinkDirection::device_to_host;
  const bool down = p.direction != LinkDirection::host_to_device;
  HostSide up_side(runtime, pinned, up ? link_bytes : sizeof(double), context.seed);
  HostSide down_side(runtime, pinned, down ? link_bytes : sizeof(double), context.seed + 1);
  cuda::Buffer<std::uint8_t> up_device(runtime, up ? link_bytes : 1);
  cuda::Buffer<std::uint8_t> down_device(runtime, down ? link_bytes : 1);
  cuda::Stream up_stream(runtime);
  cuda::Stream down_stream(runtime);
  const auto copy_up = [&] {
    runtime.copy(up_device.data(), up_side.data, link_bytes, cuda::Direction::to_device,
                 up_stream.handle());
  };
  const auto copy_down = [&] {
    runtime.copy(down_side.data, down_device.data(), link_bytes, cuda::Direction::to_host,
                 down_stream.handle());
  };
  GpuTimer timer(runtime, context);
  const GpuSamples samples = timer.collect_own([&] {
    const double start = now_s();
    if (up && down && !pinned) {
      // A copy of ordinary memory holds its thread.
      std::future<void> other = std::async(std::launch::async, copy_down);
      copy_up();
      other.get();
    } else {
      if (up) copy_up();
      if (down) copy_down();
    }
    up_stream.synchronize();
    down_stream.synchronize();
    return now_s() - start;
  });
  const double bytes = static_cast<double>(link_bytes) * ((up ? 1 : 0) + (down ? 1 : 0));
  Result result;
  set_rate(result, "bandwidth_bytes_per_s", bytes, samples.set);
  result.set_value("working_set_bytes", bytes);
  result.set_work("link_bytes", bytes);
  result.set_text("bound", pinned ? "link" : "host copies");
  set_verification(result, verification);
  set_gpu_samples(result, samples, timer, runtime.facts());
  return result;
}

}  // namespace hpclab::roofline::ceilings
