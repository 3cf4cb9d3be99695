// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The declared counts of every pass against the kernels themselves, run with a type that counts.
#include "operators/cpu_pass_work.hpp"

#include "operators/cpu_fetch_plan.hpp"
#include "operators/cpu_geometry.hpp"
#include "operators/cpu_gradient_passes.hpp"
#include "operators/cpu_interpolation_passes.hpp"
#include "operators/cpu_links.hpp"
#include "operators/cpu_program.hpp"
#include "operators/cpu_sweep_passes.hpp"
#include "operators/cpu_transfer_passes.hpp"
#include "operators/element_work.hpp"
#include "support/catch.hpp"
#include "unit/operators/counting_vector.hpp"

#include <string>
#include <vector>

namespace {

using namespace hpclab;
using namespace hpclab::operators;
using hpclab::test::CountingVector;

const TransferTable<double> transfer = transfer_table<CountingVector>();
const GradientTable<double> gradient = gradient_table<CountingVector>();
const InterpolationTable<double> interpolation = interpolation_table<CountingVector>();
const SweepTable<double> sweeps_table = sweep_table<CountingVector>();

// Batch 0 of a mesh whose first rows hold three batches each: all its neighbours exist.
constexpr BoxSplit aligned{24, 4, 4};
constexpr BoxSplit shifted{27, 5, 4};

class Mesh {
 public:
  Mesh(const ElementOperator& o, const BoxSplit& split)
      : layout_(split, o.degree, is_assembled(o.kind), 8), links_(layout_, 1), ones_(400, 1.0) {
    tables_ = {ones_.data(), ones_.data(), ones_.data(), ones_.data(),
               ones_.data(), ones_.data(), ones_.data(), ones_.data()};
    batch_.nodes = o.nodes();
    batch_.points = o.quadrature;
    batch_.lanes = 8;
    batch_.tables = &tables_;
    own_ = {0, o.degree * o.degree * o.degree, 0, 1};
    if (!layout_.assembled()) return;
    batch_.links = links_.links(0);
    batch_.counts = links_.counts(0);
    batch_.zero = &own_;  // as of a batch whose neighbours' nodes others have cleared
    batch_.zero_count = 1;
  }
  Batch<double>& batch() { return batch_; }
  const VectorLayout& layout() const { return layout_; }
  const CpuLinks& links() const { return links_; }

 private:
  VectorLayout layout_;
  CpuLinks links_;
  std::vector<double> ones_;
  Tables<double> tables_{};
  ZeroRange own_{};
  Batch<double> batch_{};
};

void check_equal(const PassWork& declared, const PassWork& counted) {
  INFO(declared.name);
  CHECK(declared.products == counted.products);
  CHECK(declared.additions == counted.additions);
  CHECK(declared.divisions == counted.divisions);
  CHECK(declared.permutes == counted.permutes);
  CHECK(declared.loads == counted.loads);
  CHECK(declared.stores == counted.stores);
  CHECK(declared.narrow_loads == counted.narrow_loads);
  CHECK(declared.narrow_stores == counted.narrow_stores);
}

void check(const ElementOperator& o, const BoxSplit& split) {
  INFO(name_of(o.kind) << " degree " << o.degree << " quadrature " << o.quadrature << " "
                       << name_of(o.geometry) << " sweeps " << o.sweeps << " even-odd "
                       << o.even_odd << " row of " << split.x);
  const Program<double> program =
      program_from<double>({transfer, gradient, interpolation, sweeps_table}, o);
  const std::vector<PassWork> declared = pass_work(o, split, InstructionSet::avx512);
  REQUIRE(declared.size() == program.passes.size());
  Mesh mesh(o, split);
  for (std::size_t pass = 0; pass < declared.size(); ++pass) {
    CountingVector::count = {};
    // What is added to has been cleared.
    if (pass + 1 == declared.size() && program.before_batch) program.before_batch(mesh.batch());
    program.passes[pass](mesh.batch());
    check_equal(declared[pass], CountingVector::count);
  }
}

constexpr OperatorKind all_kinds[] = {OperatorKind::bk1, OperatorKind::bk3, OperatorKind::bk5,
                                      OperatorKind::bp1, OperatorKind::bp3, OperatorKind::bp5};

}  // namespace

TEST_CASE("work: do the kernels execute what their passes declare?") {
  for (const OperatorKind kind : all_kinds)
    for (const int degree : {1, 2, 3, 4, 5})
      for (const int more : {0, 1}) {
        ElementOperator o;
        o.kind = kind;
        o.degree = degree;
        o.quadrature = degree + 1 + more;
        if ((is_collocated(kind) && more > 0) || o.quadrature > CountingVector::largest_size ||
            degree + 1 >= CountingVector::largest_size)
          continue;
        for (const Geometry geometry : {Geometry::stored, Geometry::trilinear, Geometry::affine})
          for (const bool even_odd : {false, true})
            for (const int sweeps : {is_mass(kind) || is_collocated(kind) ? 6 : 12, 18}) {
              if (sweeps == 18 && is_mass(kind)) continue;
              o.geometry = geometry;
              o.even_odd = even_odd;
              o.sweeps = sweeps;
              check(o, aligned);
              if (is_assembled(kind)) check(o, shifted);
            }
      }
}

TEST_CASE("work: do the passes fetch the cache lines that are declared?") {
  for (const OperatorKind kind : all_kinds)
    for (const int degree : {1, 3, 4}) {
      ElementOperator o;
      o.kind = kind;
      o.degree = degree;
      o.quadrature = degree + 1;
      o.sweeps = is_mass(kind) || is_collocated(kind) ? 6 : 12;
      INFO(name_of(kind) << " degree " << degree);
      Mesh mesh(o, aligned);
      // Numbers that are never read: addresses matter.
      std::vector<double> in(mesh.layout().entries() + 8), out(in.size()),
          geometry(3 * geometry_entries(o));
      Batch<double>& batch = mesh.batch();
      batch.in = in.data();
      batch.out = out.data();
      FetchPlan<double> plan(o, mesh.layout(), mesh.links(), 8);
      Fetching fetching = plan.begin(batch, mesh.layout().batches(), geometry.data());
      double lines = 0, calls = 0;
      for (; fetching.rate > 0; ++calls)
        for (int i = 0; i < fetching.rate; ++i) {
          ++lines;
          fetching.at += cache_line_bytes;
          if (--fetching.left == 0) fetching.begin_next();
        }
      CHECK(lines == fetched_cache_lines(o, aligned));
      CHECK(calls <= fetching_steps(o));
      double declared = 0;
      for (const PassWork& pass : pass_work(o, aligned, InstructionSet::avx512))
        declared += pass.fetches;
      CHECK(declared == Catch::Approx(lines));
    }
}

TEST_CASE("work: does the last batch of a part fetch nothing?") {
  ElementOperator o;
  o.kind = OperatorKind::bp5;
  o.degree = 3;
  o.quadrature = 4;
  Mesh mesh(o, aligned);
  FetchPlan<double> plan(o, mesh.layout(), mesh.links(), 8);
  CHECK(plan.begin(mesh.batch(), 1, nullptr).rate == 0);
}
