// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "cuda/core/buffer.hpp"
#include "cuda/roofline/fusion/kernels.hpp"
#include "kernels/machines.hpp"
#include "kernels/support.hpp"

#include <cmath>
#include <vector>

using namespace hpclab;
using namespace hpclab::roofline::fusion;
using cuda::Buffer;

namespace {

struct Grid {
  unsigned blocks, threads;
};

// Elements: none, fewer than a vector, fewer than a block, whole tiles, odd ends.
constexpr std::uint64_t sizes[] = {0, 1, 3, 64, 510, 1027};
constexpr Grid grids[] = {{1, 32}, {3, 96}};

template <class T>
std::vector<T> numbers(std::uint64_t size, int salt) {
  std::vector<T> v(size);
  for (std::uint64_t i = 0; i < size; ++i)
    v[i] = static_cast<T>((i * 37 + static_cast<unsigned>(salt) * 11) % 101) / 64;
  return v;
}

// One-input steps, and second inputs from the chain's own input and from two further arrays.
template <class T>
ChainLaunch<T> with_steps(int count) {
  ChainLaunch<T> launch;
  launch.count = count;
  for (int s = 0; s < count; ++s) {
    launch.steps[s] = {static_cast<T>(s % 2 == 0 ? -1.0625 : 0.9375), static_cast<T>(0.3 * s),
                       s % 4 - 1};
  }
  return launch;
}

template <class T>
void check_every_element(int unroll, int count) {
  for (const auto& make : test::machines()) {
    for (const std::uint64_t size : sizes) {
      for (const Grid grid : grids) {
        const auto runtime = make();
        std::vector<std::vector<T>> arrays;
        std::vector<Buffer<T>> buffers;
        ChainLaunch<T> launch = with_steps<T>(count);
        for (int a = 0; a < 3; ++a) {
          arrays.push_back(numbers<T>(size, a));
          buffers.emplace_back(*runtime, size + 1);
          buffers.back().upload(arrays.back());
          launch.operands[a] = buffers.back().data();
        }
        Buffer<T> out(*runtime, std::vector<T>(size + 1, T{77}));
        launch.in = launch.operands[0];
        launch.out = out.data();
        launch.elements = size;
        cuda::launch(*runtime, kernels::chain<T>(unroll), {{grid.blocks}, {grid.threads}}, launch);
        const std::vector<T> got = out.download();
        bool equal = got[size] == T{77};  // nothing is written beyond the end
        for (std::uint64_t i = 0; i < size; ++i) {
          T x = arrays[0][i];
          for (int s = 0; s < count; ++s) {
            const Step<T>& step = launch.steps[s];
            const T addend =
                step.operand < 0 ? step.shift : arrays[static_cast<std::size_t>(step.operand)][i];
            x = std::fma(x, step.scale, addend);
          }
          equal = equal && got[i] == x;
        }
        INFO(size << " elements, " << grid.blocks << " blocks of " << grid.threads);
        REQUIRE(equal);
      }
    }
  }
}

}  // namespace

TEST_CASE("chain: is every element equal to the reference to the last bit, at every size?") {
  for (const int unroll : {1, 2, 4}) {
    check_every_element<double>(unroll, 7);
    check_every_element<float>(unroll, 7);
  }
}

TEST_CASE("chain: are no step and the most steps of a launch both right?") {
  check_every_element<double>(2, 0);
  check_every_element<double>(2, most_operations);
  check_every_element<float>(4, most_operations);
}

TEST_CASE("chain: is a variant that does not exist refused with those that do?") {
  CHECK_THROWS_AS(kernels::chain<double>(3), UsageError);
}

TEST_CASE("chain: does the declared work count each array once?") {
  ChainLaunch<float> launch = with_steps<float>(7);  // operands -1 0 1 2 -1 0 1
  const float none = 0;
  const float others[2] = {};
  launch.in = &none;
  launch.operands[0] = &none;
  launch.operands[1] = &others[0];
  launch.operands[2] = &others[1];
  launch.elements = 1000;
  const cuda::KernelWork work = work::chain(launch);
  CHECK(work.flops == 14000);
  CHECK(work.read_bytes == 3 * 4000);
  CHECK(work.write_bytes == 4000);
  launch.in = &others[0];  // a pass in the middle: the chain's own input is one more array
  CHECK(work::chain(launch).read_bytes == 3 * 4000);
}
