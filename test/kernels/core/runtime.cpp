// hpclab: SPDX-License-Identifier: Apache-2.0
#include "cuda/core/buffer.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/port.cuh"
#include "cuda/core/stream.hpp"
#include "kernels/support.hpp"

#include <numeric>
#include <vector>

using namespace hpclab;
using namespace hpclab::cuda;

namespace {

HPCLAB_KERNEL void add_kernel(int* values, int amount, unsigned size) {
  const unsigned i = block_index().x * block_size().x + thread_index().x;
  if (i < size) {
    values[i] += amount;
  }
}
HPCLAB_KERNEL void hang_kernel() {
  if (thread_index().x == 0) {
    vote_any(0x3, true);
  } else {
    sync_block();
  }
}

const Kernel add{"add", &add_kernel, nullptr};
const Kernel hang{"hang", &hang_kernel, nullptr};

}  // namespace

TEST_CASE("launch: do arguments arrive converted, and results come back?") {
  for (const std::uint64_t seed : test::seeds()) {
    const auto runtime = make_emulator(seed);
    std::vector<int> values(1000);
    std::iota(values.begin(), values.end(), 0);
    Buffer<int> buffer(*runtime, values);
    launch(*runtime, add, {{8}, {128}}, buffer.data(), short{5}, 1000);
    const std::vector<int> out = buffer.download();
    for (int i = 0; i < 1000; ++i) {
      REQUIRE(out[i] == i + 5);
    }
  }
}

TEST_CASE("launch: does a fault name the case at work?") {
  const auto runtime = make_emulator();
  {
    const CaseScope scope(*runtime, "roofline/ceilings seed 1");
    try {
      launch(*runtime, hang, {{1}, {2}});
      FAIL("no fault");
    } catch (const emulator::Fault& fault) {
      CHECK(fault.kind() == emulator::FaultKind::deadlock);
      CHECK(test::contains(fault.what(), "case 'roofline/ceilings seed 1': kernel 'hang'"));
    }
  }
  CHECK(runtime->case_name().empty());
}

TEST_CASE("launch: does a graph hold its launches until it is started, each time?") {
  const auto runtime = make_emulator();
  Stream stream(*runtime);
  Buffer<int> buffer(*runtime, std::vector<int>(32, 0));
  {
    Graph graph(*runtime, stream.handle(), [&] {
      const LaunchShape shape{{1}, {32}, 0, stream.handle()};
      launch(*runtime, add, shape, buffer.data(), 1, 32u);
      launch(*runtime, add, shape, buffer.data(), 10, 32u);
    });
    CHECK(buffer.download()[31] == 0);
    graph.launch(stream.handle());
    graph.launch(stream.handle());
  }
  stream.synchronize();
  CHECK(buffer.download()[31] == 22);
}

TEST_CASE("runtime: does the emulator refuse to tell a time?") {
  const auto runtime = make_emulator();
  Event begin(*runtime), end(*runtime);
  begin.record(nullptr);
  end.record(nullptr);
  CHECK_THROWS_AS(end.elapsed_s_since(begin), NotAvailable);
}

TEST_CASE("runtime: is new memory poisoned and filled memory filled?") {
  const auto runtime = make_emulator();
  Buffer<unsigned char> buffer(*runtime, 7);
  CHECK(buffer.download() == std::vector<unsigned char>(7, 0xcd));
  runtime->fill(buffer.data(), 3, 7, nullptr);
  CHECK(buffer.download() == std::vector<unsigned char>(7, 3));
  Buffer<unsigned char> moved = std::move(buffer);
  CHECK(moved.size() == 7);
}
