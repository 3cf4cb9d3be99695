// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/gpu_work.hpp"

#include "operators/element_work.hpp"
#include "support/catch.hpp"

using namespace hpclab::operators;

namespace {

ElementOperator collocated(int degree, int sweeps = 6) {
  ElementOperator o;
  o.kind = OperatorKind::bk5;
  o.degree = degree;
  o.quadrature = degree + 1;
  o.sweeps = sweeps;
  return o;
}

double words_a_point(const ElementOperator& o, const GpuVariant& variant) {
  return gpu_work(o, variant).shared_bytes / bytes_of(o.precision) / points_per_element(o);
}

}  // namespace

TEST_CASE("gpu work: are shared-memory words a point those of the closed forms, by kernel?") {
  for (int degree = 1; degree <= largest_degree; ++degree) {
    const int n = degree + 1;
    CHECK(words_a_point(collocated(degree), {GpuKernel::slab, MatrixPlace::constant, {}}) ==
          Catch::Approx(4 * n + 3));
    CHECK(words_a_point(collocated(degree), {GpuKernel::slab, MatrixPlace::shared, {}}) ==
          Catch::Approx(10 * n + 3));
    for (const int sweeps : {6, 12, 18}) {
      const ElementOperator o = collocated(degree, sweeps);
      CHECK(words_a_point(o, {GpuKernel::block, MatrixPlace::constant, {}}) ==
            Catch::Approx(sweeps * (n + 1)));
      CHECK(words_a_point(o, {GpuKernel::block, MatrixPlace::shared, {}}) ==
            Catch::Approx(sweeps * (2 * n + 1)));
    }
  }
}

TEST_CASE("gpu work: does the even-odd flag change nothing, as each output is one thread's?") {
  ElementOperator o = collocated(5);
  o.even_odd = true;
  const GpuWork folded = gpu_work(o, {});
  o.even_odd = false;
  const GpuWork dense = gpu_work(o, {});
  CHECK(folded.multiply_adds == dense.multiply_adds);
  CHECK(folded.shared_bytes == dense.shared_bytes);
  CHECK(2 * dense.multiply_adds + dense.other_flops == element_work(o).textbook_flops);
}

TEST_CASE("gpu work: does every scatter move the vectors once and its own extra on top?") {
  ElementOperator o = collocated(4);
  o.kind = OperatorKind::bp5;
  const double compulsory = element_work(o).dram_bytes();
  const double clear_and_read = 2 * 8 * 64;
  CHECK(gpu_work(o, {{}, {}, Scatter::atomics}).dram_bytes == compulsory + clear_and_read);
  CHECK(gpu_work(o, {{}, {}, Scatter::colouring}).dram_bytes == compulsory + clear_and_read);
  CHECK(gpu_work(o, {{}, {}, Scatter::pass}).dram_bytes == compulsory + 2 * 8 * 125 + 4 * 125);
  CHECK(gpu_work(o, {{}, {}, Scatter::atomics}).launches == 2);
  CHECK(gpu_work(o, {{}, {}, Scatter::colouring}).launches == 9);
  CHECK(gpu_work(o, {{}, {}, Scatter::pass}).launches == 2);
  o.kind = OperatorKind::bk5;
  CHECK(gpu_work(o, {{}, {}, Scatter::pass}).dram_bytes == element_work(o).dram_bytes());
  CHECK(gpu_work(o, {{}, {}, Scatter::pass}).launches == 1);
}

TEST_CASE("gpu work: is a block of more than 1024 threads or too much shared memory refused?") {
  CHECK_FALSE(gpu_limit(collocated(9), {GpuKernel::block, {}, {}}, 0));
  CHECK(gpu_limit(collocated(10), {GpuKernel::block, {}, {}}, 0)->find("1331") !=
        std::string::npos);
  CHECK_FALSE(gpu_limit(collocated(12), {GpuKernel::slab, {}, {}}, 167936));
  CHECK(gpu_limit(collocated(9), {GpuKernel::block, {}, {}}, 16384)->find("32000") !=
        std::string::npos);
}
