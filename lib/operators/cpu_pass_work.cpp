// hpclab: SPDX-License-Identifier: Apache-2.0
#include "operators/cpu_pass_work.hpp"

#include "operators/cpu_fetch_plan.hpp"
#include "operators/cpu_pass_tables.hpp"
#include "operators/element_work.hpp"
#include "operators/even_odd_shape.hpp"
#include "operators/vector_layout.hpp"

#include <cstddef>
#include <utility>

namespace hpclab::operators {
namespace {

/// What a line reads of a link: places, strides, lanes.
constexpr double reads_of_link = 3;

class Counter {
 public:
  Counter(const ElementOperator& o, const BoxSplit& split, InstructionSet isa)
      : o_(o),
        split_(split),
        n_(o.nodes()),
        q_(o.quadrature),
        lanes_(lanes_of(o.precision)),
        in_register_(register_lanes(isa, o.precision)),
        registers_(isa == InstructionSet::avx512 ? 32 : 16),
        compiled_(isa != InstructionSet::scalar),
        compiled_between_(compiled_ && n_ <= most_nodes && q_ - n_ <= 1) {}

  std::vector<PassWork> passes() {
    if (o_.sweeps == 18) {
      count_18_sweeps();
    } else if (is_collocated(o_.kind)) {
      begin("read, gradient along z");
      read();
      contract(lines(), q_, q_, Symmetry::odd);
      store(2 * points());
      gradient_planes();
      begin("transposed gradient along z, add");
      load(2 * points());
      contract(lines(), q_, q_, Symmetry::odd);
      add(points());
      add_to_vector();
    } else {
      interpolated();
    }
    count_fetches();
    return std::move(passes_);
  }

 private:
  double lines() const { return static_cast<double>(q_) * q_; }
  double points() const { return points_per_element(o_); }

  void begin(const char* name) {
    passes_.emplace_back();
    passes_.back().name = name;
    lines_.push_back(0);
  }
  void load(double count) { passes_.back().loads += count; }
  void store(double count) { passes_.back().stores += count; }
  void add(double count) { passes_.back().additions += count; }
  void multiply(double count) { passes_.back().products += count; }
  void narrow_load(double count) { passes_.back().narrow_loads += count; }

  enum class From { best, memory };

  /// `count` lines. A matrix that stays in registers is read once for each of `times` loops over
  /// lines; else its coefficients are read for each line.
  void contract(double count, int rows, int columns, Symmetry symmetry, From from = From::best,
                double times = 1) {
    const int products = coefficients(rows, columns, symmetry, o_.even_odd);
    const bool compiled =
        symmetry == Symmetry::odd && o_.sweeps != 18 ? compiled_ : compiled_between_;
    const bool held = from == From::best && compiled &&
                      fits_in_registers(rows, columns, symmetry, o_.even_odd, registers_);
    multiply(count * products);
    narrow_load((held ? times : count) * products);
    if (o_.even_odd) add(count * 2 * (rows / 2 + columns / 2));
    lines_.back() += count;
  }

  /// Fetching is spread evenly over lines.
  void count_fetches() {
    const double steps = fetching_steps(o_);
    if (steps == 0) return;
    const double a_line = fetched_cache_lines(o_, split_) / (lanes_ / in_register_) / steps;
    for (std::size_t pass = 0; pass < passes_.size(); ++pass)
      passes_[pass].fetches = a_line * lines_[pass];
  }

  /// Vector -> registers.
  void read() {
    if (!is_assembled(o_.kind)) return load(nodes_per_element(o_));
    load(dof_per_element(o_));
    linked([&](double nodes, double links, double of_lines) {
      if (in_register_ == lanes_) {
        load(links * nodes);
        passes_.back().permutes += links * nodes;
      } else {
        // Gathers, which read all lanes; the scalar kernel reads its one lane in one link only.
        narrow_load((in_register_ == 1 ? 1 : links * in_register_) * nodes);
      }
      narrow_load(reads_of_link * links * of_lines);
    });
  }

  /// Registers -> vector. Nodes inside the element are written, the others added to.
  void add_to_vector() {
    if (!is_assembled(o_.kind)) return store(nodes_per_element(o_));
    const double inside = (o_.degree - 1.0) * (o_.degree - 1) * (o_.degree - 1);
    const double low_sides = dof_per_element(o_) - inside;
    store(inside + 2 * low_sides);  // cleared, then added to
    load(low_sides);
    add(low_sides);
    linked([&](double nodes, double links, double of_lines) {
      if (in_register_ == lanes_) {
        load(links * nodes);
        add(links * nodes);
        store(links * nodes);
        passes_.back().permutes += links * nodes;
      } else {
        if (in_register_ > 1) store(links * nodes);
        narrow_load(2 * in_register_ * nodes);
        add(in_register_ * nodes);
        passes_.back().narrow_stores += in_register_ * nodes;
      }
      narrow_load(reads_of_link * links * of_lines);
    });
  }

  /// Calls body(nodes, links, lines that reach them) for each relation. The direction of the lines
  /// is that of the first sweep: z for collocated kinds and for 18 sweeps, else x.
  template <class Body>
  void linked(Body body) {
    const int direction = is_collocated(o_.kind) || o_.sweeps == 18 ? 4 : 1;
    for (int bits = 1; bits < 8; ++bits) {
      const double nodes = nodes_of_relation(bits, o_.degree);
      // Lines that end at the relation reach one node of it, lines along it `degree` nodes.
      const double of_lines = (bits & direction) != 0 ? nodes : nodes / o_.degree;
      body(nodes, links_of_relation(bits, split_, lanes_), of_lines);
    }
  }

  /// The metric at all points of the element's rows, gradient in registers.
  void metric() {
    switch (o_.geometry) {
      case Geometry::stored:
        load(6 * points());
        break;
      case Geometry::affine:
        load(6 * points());
        narrow_load(points());
        multiply(3 * points());
        break;
      case Geometry::trilinear:
        // Three cross products, the determinant, the flux and back.
        corners();
        multiply((18 + 3 + 12 + 9) * points());
        narrow_load(points());
        passes_.back().divisions += points();
        return;
    }
    multiply(9 * points());
  }

  /// The map from the corners as a polynomial once; the Jacobian's columns, 21 multiply-adds a row
  /// and 6 a point.
  void corners() {
    load(24);
    add(72);
    multiply(24);
    narrow_load(3);
    multiply(21 * lines() + 6 * points());
    narrow_load(2 * lines() + points());
    load(12 * points());
  }

  /// Down the columns of each plane, along its rows with the metric, and back.
  void gradient_planes() {
    begin("planes: gradient along x and y, metric, transposes");
    contract(2 * lines(), q_, q_, Symmetry::odd, From::memory);
    contract(lines(), q_, q_, Symmetry::odd, From::best, q_);
    contract(lines(), q_, q_, Symmetry::odd, From::best, q_);
    load(points() * (1 + 1 + 2 + 2));
    store(points() * (1 + 2 + 1 + 1));
    add(points());
    metric();
  }

  void interpolated() {
    const double rows = static_cast<double>(n_) * n_;
    const double columns = static_cast<double>(n_) * q_;
    begin("read, interpolation along x and y");
    read();
    contract(rows + columns, q_, n_, Symmetry::even);
    load(n_ * columns);
    store(q_ * (rows + columns));
    if (is_mass(o_.kind)) {
      mass();
    } else {
      begin("interpolation and gradient along z");
      load(lines() * n_);
      contract(lines(), q_, n_, Symmetry::even, From::memory);
      contract(lines(), q_, q_, Symmetry::odd, From::memory);
      store(2 * points());
      gradient_planes();
      begin("transposed gradient and interpolation along z");
      load(2 * points());
      contract(lines(), q_, q_, Symmetry::odd, From::memory);
      add(points());
      contract(lines(), n_, q_, Symmetry::even, From::memory);
      store(lines() * n_);
    }
    begin("transposed interpolation along x and y, add");
    load(q_ * (rows + columns));
    contract(rows + columns, n_, q_, Symmetry::even);
    store(n_ * columns);
    add_to_vector();
  }

  void mass() {
    if (o_.geometry != Geometry::stored) {
      begin("mass factors");
      store(points());
      narrow_load(points());
      if (o_.geometry == Geometry::affine) {
        load(1);
        multiply(points());
      } else {
        // One cross product, the determinant and the weight.
        corners();
        multiply((6 + 3 + 1) * points());
      }
    }
    begin("mass along z");
    load(lines() * n_ + points());
    contract(lines(), q_, n_, Symmetry::even, From::memory);
    multiply(points());
    contract(lines(), n_, q_, Symmetry::even, From::memory);
    store(lines() * n_);
  }

  void count_18_sweeps() {
    begin("read");
    read();
    store(nodes_per_element(o_));
    int number = 0;
    for (const Contraction& sweep : contractions(o_)) {
      if (number == 0) begin("gradient by 9 sweeps");
      if (number == 9) {
        begin("metric");
        load(3 * points());
        store(3 * points());
        metric();
        begin("transposed gradient by 9 sweeps");
      }
      contract(sweep.lines, sweep.rows, sweep.columns,
               sweep.derivative ? Symmetry::odd : Symmetry::even);
      const double outputs = sweep.lines * sweep.rows;
      load(sweep.lines * sweep.columns + (sweep.accumulates ? outputs : 0));
      store(outputs);
      if (sweep.accumulates) add(outputs);
      ++number;
    }
    begin("add");
    load(nodes_per_element(o_));
    add_to_vector();
  }

  const ElementOperator& o_;
  const BoxSplit& split_;
  int n_;
  int q_;
  int lanes_;
  int in_register_;
  int registers_;
  bool compiled_;          // passes at q points, for their size
  bool compiled_between_;  // passes between n nodes and q points
  std::vector<PassWork> passes_;
  std::vector<double> lines_;  // contracted by each pass
};

}  // namespace

int links_of_relation(int bits, const BoxSplit& split, int lanes) {
  const std::int64_t ahead = (bits & 1) + (bits >> 1 & 1) * std::int64_t{split.x} +
                             (bits >> 2 & 1) * std::int64_t{split.x} * split.y;
  return ahead % lanes == 0 ? 1 : 2;
}

double nodes_of_relation(int bits, int degree) {
  double nodes = 1;
  for (int d = 0; d < 3; ++d)
    if ((bits >> d & 1) == 0) nodes *= degree;
  return nodes;
}

std::vector<PassWork> pass_work(const ElementOperator& o, const BoxSplit& split,
                                InstructionSet isa) {
  return Counter(o, split, isa).passes();
}

}  // namespace hpclab::operators
