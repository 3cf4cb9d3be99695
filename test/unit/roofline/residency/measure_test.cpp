// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/residency/measure.hpp"

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/study.hpp"
#include "machine/cpu_features.hpp"
#include "roofline/ceilings/host_levels.hpp"
#include "roofline/residency/exchange.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace hpclab::roofline::residency {
Study study();
}

using namespace hpclab;
using namespace hpclab::roofline::residency;
using hpclab::test::contains;
namespace ceilings = hpclab::roofline::ceilings;

namespace {

std::string error_of(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

bool has_child() {
  return waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

Parameters small(const std::string& isa) {
  Parameters p;
  p.points = 20 * 20 * 20;
  p.steps = 2;
  p.isa = isa;
  p.threads = ceilings::host_topology().cores;
  return p;
}

}  // namespace

TEST_CASE("device process: does it do what it is told, in memory that both see?") {
  const SharedSegment segment(4096);
  auto* const word = reinterpret_cast<volatile std::uint32_t*>(segment.data());
  word[0] = 0;
  std::uint32_t own = 5;  // the child's copy is its own
  {
    DeviceProcess device(
        [&] {
          return [&](std::uint32_t command) {
            own += command;
            word[0] = own;
          };
        },
        {});
    device.run(1);
    CHECK(word[0] == 6);
    device.run(10);
    CHECK(word[0] == 16);
    CHECK(own == 5);
    CHECK(has_child());
  }
  CHECK_FALSE(has_child());
}

TEST_CASE("device process: does an error of the child reach the caller, and the child stay?") {
  DeviceProcess device(
      [] {
        return [](std::uint32_t command) {
          if (command == 1) throw CaseFailed("no such array");
        };
      },
      {});
  CHECK(contains(error_of([&] { device.run(1); }), "no such array"));
  CHECK_NOTHROW(device.run(2));
  const auto unable = [] {
    return DeviceProcess([]() -> DeviceProcess::Serve { throw CaseFailed("no memory left"); }, {});
  };
  CHECK(contains(error_of(unable), "no memory left"));
}

TEST_CASE("device process: is its death said, and nothing left behind?") {
  {
    DeviceProcess device([] { return [](std::uint32_t) { raise(SIGKILL); }; }, {});
    CHECK(contains(error_of([&] { device.run(1); }), "signal 9"));
    CHECK(contains(error_of([&] { device.run(1); }), "ended"));
  }
  CHECK_FALSE(has_child());
  {
    DeviceProcess device([] { return [](std::uint32_t) { _exit(3); }; }, {});
    CHECK(contains(error_of([&] { device.run(1); }), "status 3"));
  }
  CHECK_FALSE(has_child());
}

TEST_CASE("device process: does a stop request end a step that never ends?") {
  StopSource stop;
  {
    DeviceProcess device([] { return [](std::uint32_t) { pause(); }; }, stop.token());
    stop.request_stop();
    CHECK_THROWS_AS(device.run(1), Interrupted);
  }
  CHECK_FALSE(has_child());
}

TEST_CASE("residency: do moves of every kind lead where plain loops do, between processes?") {
  for (const std::string isa : {"avx2", "avx512"}) {
    if (!supported(instruction_set_of(isa))) continue;
    for (const HostMemory memory : {HostMemory::pinned, HostMemory::pageable}) {
      for (const Ways ways : {Ways::in, Ways::out, Ways::both}) {
        for (const std::int64_t arrays : {1, 2}) {
          Parameters p = small(isa);
          p.host_memory = memory;
          p.ways = ways;
          p.moved_arrays = arrays;
          if (arrays == 1) p.stencil = Stencil::five_point;
          if (ways == Ways::out) p.precision = Precision::fp32;
          Context context;
          context.sampler.stopping_rule = "count:1";
          const Result result = measure(p, Backend::cpu, context);
          CHECK(result.value("mismatch_count") == 0.0);
          CHECK(*result.value("time_s") > 0);
          const double array = 8000 * (p.precision == Precision::fp64 ? 8 : 4);
          if (arrays == 2)
            CHECK(*result.value("moved_bytes") == (ways == Ways::both ? 4 : 2) * array);
        }
      }
    }
  }
  CHECK_FALSE(has_child());
}

TEST_CASE("residency: do moves of one way leave what they should where it was?") {
  // In alone: the device begins anew at each step. Out alone: the host follows the device.
  const Grid grid{Stencil::five_point, 7};
  Arrays<double> start;
  start.host[0].resize(grid.points());
  for (std::size_t i = 0; i < grid.points(); ++i)
    start.host[0][i] = static_cast<double>(i * i % 13);
  start.host[1] = start.host[0];
  Parameters p;
  p.stencil = Stencil::five_point;
  const auto once = reference_sweep(grid, start.host[0]);
  const auto twice = reference_sweep(grid, once);
  p.ways = Ways::in;
  CHECK(reference_run(p, grid, start, 2).device == once);
  CHECK(reference_run(p, grid, start, 2).host[0] == start.host[0]);
  p.ways = Ways::out;
  CHECK(reference_run(p, grid, start, 2).device == twice);
  CHECK(reference_run(p, grid, start, 2).host[0] == twice);
  CHECK(reference_run(p, grid, start, 2).host[1] == once);
  p.ways = Ways::both;
  p.moved_arrays = 1;
  CHECK(reference_run(p, grid, start, 2).host[0] == twice);
  CHECK(reference_run(p, grid, start, 2).host[1] == start.host[1]);
}

TEST_CASE("residency: do moves of every kind lead where plain loops do, on the emulator?") {
  for (const std::uint64_t seed : {0, 1, 77}) {
    for (const HostMemory memory :
         {HostMemory::pinned, HostMemory::pageable, HostMemory::managed}) {
      for (const std::int64_t chunks : {1, 4, 100}) {
        if (memory == HostMemory::managed && chunks > 1) continue;
        Parameters p;
        p.host_memory = memory;
        p.chunks = chunks;
        p.moved_arrays = seed == 0 ? 1 : 2;
        Context context;
        context.seed = seed;
        const Result result = measure(p, Backend::emulator, context);
        CHECK(result.value("mismatch_count") == 0.0);
        CHECK(*result.value("compared_count") > 2000);
        CHECK_FALSE(result.value("time_s").has_value());
      }
    }
  }
}

TEST_CASE("residency: are impossible cases refused with the reason?") {
  Context context;
  Parameters p = small("avx2");
  p.host_memory = HostMemory::managed;
  CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseSkipped);
  p.ways = Ways::in;
  CHECK_THROWS_AS(measure(p, Backend::emulator, context), CaseSkipped);
  p = small("avx2");
  p.threads = 4096;
  CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseFailed);
  p.threads = 1;
  p.points = 1'000'000'000'000;
  if (machine::can_run_avx2()) CHECK_THROWS_AS(measure(p, Backend::cpu, context), CaseFailed);
}

TEST_CASE("residency: does the estimate count both sides and what lies between them?") {
  const Study s = study();
  Json parameters{{"points", 1'000'000}, {"threads", 2}, {"host_memory", "pinned"}};
  CHECK(s.estimate(parameters, Method::measure).bytes == 4 * 8e6);
  parameters["host_memory"] = "pageable";
  CHECK(s.estimate(parameters, Method::measure).bytes == 6 * 8e6);
  CHECK(s.estimate(parameters, Method::model).bytes == 0);
}
