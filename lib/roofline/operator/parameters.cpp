// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/parameters.hpp"

#include "core/error.hpp"
#include "machine/cpu_features.hpp"
#include "machine/topology.hpp"
#include "operators/element_work.hpp"
#include "operators/hex_mesh.hpp"
#include "operators/vector_layout.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::operator_ {
namespace {

using operators::ElementOperator;
using operators::Geometry;
using operators::GpuKernel;
using operators::MatrixPlace;
using operators::OperatorKind;
using operators::Precision;
using operators::Scatter;

/// Working sets without `elements` or `cache_ratio`: so many times the last-level caches, and at
/// least so many bytes, so that the data comes from DRAM on every machine.
constexpr double default_cache_ratio = 4;
constexpr double default_working_set_bytes = 512.0 * 1024 * 1024;

const machine::Topology& host() {
  static const machine::Topology topology = machine::discover_topology();
  return topology;
}

// The description as it stands, contradictions included: resolution must not fail on them.
ElementOperator described(const Parameters& p) {
  ElementOperator o;
  o.kind = p.kind;
  o.degree = static_cast<int>(p.degree);
  o.quadrature = static_cast<int>(p.quadrature);
  o.precision = p.precision;
  o.geometry = p.geometry;
  o.sweeps = static_cast<int>(p.sweeps);
  o.even_odd = p.even_odd;
  return o;
}

Json resolved_quadrature(const Json& value, const Json& before) {
  if (value != 0) return value;
  const Parameters p = parameter_table().bind(before);
  return operators::usual_quadrature(p.kind, static_cast<int>(p.degree));
}

Json resolved_sweeps(const Json& value, const Json& before) {
  if (value != 0) return value;
  return operators::fewest_sweeps(parameter_table().bind(before).kind);
}

Json resolved_vector(const Json& value, const Json& before) {
  if (value != "auto") return value;
  return operators::is_assembled(parameter_table().bind(before).kind) ? "assembled" : "element";
}

Json resolved_elements(const Json& value, const Json& before) {
  const Parameters p = parameter_table().bind(before);
  if (value != 0) {
    if (p.cache_ratio > 0) {
      throw UsageError(fmt::format(
          "elements {} and cache_ratio {:g} both say how large the working set is; give one",
          value.get<std::int64_t>(), p.cache_ratio));
    }
    return value;
  }
  const double cache = host_last_level_bytes();
  if (p.cache_ratio > 0 && cache <= 0) {
    throw UsageError(
        "cache_ratio: the system does not state the size of its caches; give elements");
  }
  const double bytes = p.cache_ratio > 0
                           ? p.cache_ratio * cache
                           : std::max(default_cache_ratio * cache, default_working_set_bytes);
  return elements_of(described(p), bytes);
}

template <class Enum>
std::vector<std::pair<std::string, Enum>> names_of(std::initializer_list<Enum> values) {
  std::vector<std::pair<std::string, Enum>> names;
  for (const Enum value : values) names.emplace_back(operators::name_of(value), value);
  return names;
}

void add_operator(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table.add_choice(
      &P::kind, "operator",
      names_of({OperatorKind::bk1, OperatorKind::bk3, OperatorKind::bk5, OperatorKind::bp1,
                OperatorKind::bp3, OperatorKind::bp5}),
      "CEED bake-off operator: 1 mass, 3 Laplacian with Gauss points, 5 Laplacian collocated on "
      "Gauss-Lobatto points; bk on element vectors, bp on assembled ones");
  table.add(&P::degree, "degree", "polynomial degree p, p + 1 nodes a direction")
      .between(operators::smallest_degree, operators::largest_degree)
      .as_positional();
  table
      .add(&P::quadrature, "quadrature",
           "points a direction; 0 means degree + 1 for bk5 and bp5, else degree + 2")
      .between(0, operators::largest_quadrature)
      .derived_by(resolved_quadrature);
  table.add_choice(&P::precision, "precision", names_of({Precision::fp64, Precision::fp32}),
                   "floating-point type of vectors and arithmetic");
  table.add_choice(&P::geometry, "geometry",
                   names_of({Geometry::stored, Geometry::trilinear, Geometry::affine}),
                   "metric read at every point, computed from the element's corners, or constant "
                   "in an element");
  table
      .add(&P::sweeps, "sweeps",
           "one-dimensional contractions of a Laplacian: 6 (collocated), 12 (interpolate, then "
           "differentiate) or 18 (each derivative by three); 0 means the fewest")
      .between(0, 18)
      .in_steps_of(6)
      .derived_by(resolved_sweeps);
  table.add(&P::even_odd, "even_odd", "contractions use the symmetry of nodes and points");
  table
      .add(
          &P::vector, "vector",
          "what vectors hold: a copy of each node for every element (bk), or every node once (bp); "
          "auto means what the operator prescribes")
      .one_of({"auto", "element", "assembled"})
      .derived_by(resolved_vector);
}

void add_size(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table
      .add(&P::cache_ratio, "cache_ratio",
           "size of the mesh: working set over this host's last-level caches, such as "
           "0.25,1,4,16; 0 means that elements says it")
      .between(0, 1024);
  table
      .add(&P::elements, "elements",
           "elements of the mesh; 0 means a working set of 4 x the last-level caches and at least "
           "512 MiB, or cache_ratio")
      .between(0, 2147483647)
      .derived_by(resolved_elements);
}

void add_execution(ParameterTable<Parameters>& table) {
  using P = Parameters;
  const std::vector<Backend> gpu_backends{Backend::cuda, Backend::emulator};
  table
      .add(&P::threads, "threads",
           "threads, one a core; 0 means every core that the process may use")
      .between(0, 4096)
      .on({Backend::cpu})
      .resolved_by(
          [](const Json& value) -> Json { return value != 0 ? value : Json(host().cores); });
  table.add(&P::isa, "isa", "instruction set of the kernel")
      .one_of({"widest", "scalar", "avx2", "avx512"})
      .on({Backend::cpu})
      .resolved_by([](const Json& value) -> Json {
        return value == "widest" ? Json(machine::widest_instruction_set()) : value;
      });
  table
      .add_choice(&P::kernel, "kernel",
                  {{"best", KernelChoice::best},
                   {"pencil", KernelChoice::pencil},
                   {"slab", KernelChoice::slab},
                   {"block", KernelChoice::block},
                   {"tensor", KernelChoice::tensor}},
                  "GPU kernel: the fastest of all; whole lines of points in a thread's registers; "
                  "planes of points one after the other; a thread for each point; tensor cores")
      .on(gpu_backends);
  table
      .add_choice(&P::matrix, "matrix", names_of({MatrixPlace::constant, MatrixPlace::shared}),
                  "where kernel=slab or block keeps the one-dimensional matrices: constant memory "
                  "or registers, or shared memory")
      .on(gpu_backends);
  table
      .add_choice(&P::scatter, "scatter",
                  names_of({Scatter::atomics, Scatter::colouring, Scatter::pass}),
                  "how GPU kernels add to an assembled vector: atomic additions, element colours, "
                  "or element vectors gathered by a second kernel")
      .on(gpu_backends);
}

void add_prediction(ParameterTable<Parameters>& table) {
  using P = Parameters;
  table
      .add(&P::overlap, "overlap",
           "exponent k of time = (sum of resource times^k)^(1/k): 1 no overlap, large all")
      .between(1, 64)
      .affects({Method::model});
  table
      .add(&P::observed_ps, "observed_ps",
           "time a DOF that was published or measured elsewhere: the model says which share of it "
           "each resource explains; 0 means none")
      .in_unit("ps")
      .between(0, 1e9)
      .affects({Method::model});
}

ParameterTable<Parameters> make_table() {
  ParameterTable<Parameters> table;
  add_operator(table);
  add_size(table);
  add_execution(table);
  add_prediction(table);
  return table;
}

}  // namespace

const ParameterTable<Parameters>& parameter_table() {
  static const ParameterTable<Parameters> table = make_table();
  return table;
}

ElementOperator element_operator(const Parameters& p) {
  const ElementOperator o = described(p);
  operators::require_valid(o);
  const std::string fitting = operators::is_assembled(o.kind) ? "assembled" : "element";
  if (p.vector != fitting) {
    throw UsageError(fmt::format(
        "vector={} does not fit operator={}, which works on {} vectors; {}{} works on {} ones",
        p.vector, operators::name_of(o.kind), fitting, fitting == "element" ? "bp" : "bk",
        operators::name_of(o.kind).substr(2), p.vector));
  }
  return o;
}

operators::GpuVariant gpu_variant(const Parameters& p) {
  return {p.kernel == KernelChoice::block ? GpuKernel::block : GpuKernel::slab, p.matrix,
          p.scatter};
}

double working_set_bytes(const ElementOperator& o, std::int64_t elements) {
  return operators::element_work(o).dram_bytes() * static_cast<double>(elements);
}

std::int64_t elements_of(const ElementOperator& o, double bytes) {
  const double wanted = bytes / operators::element_work(o).dram_bytes();
  if (wanted < 64) return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::round(wanted)));
  const int lanes = operators::lanes_of(o.precision);
  const int edge = static_cast<int>(std::cbrt(wanted));
  std::int64_t best = 0;
  double distance = 0.15;
  for (int x = edge / lanes * lanes; x <= edge + 2 * lanes; x += lanes) {
    if (x == 0) continue;
    for (int y = std::max(1, edge - lanes); y <= x; ++y) {
      const double z = std::max(1.0, std::round(wanted / (static_cast<double>(x) * y)));
      const auto count = static_cast<std::int64_t>(z * x * y);
      const double off = std::abs(static_cast<double>(count) / wanted - 1);
      if (off >= distance || z > y || operators::near_cubic_split(count).x != x) continue;
      best = count;
      distance = off;
    }
  }
  if (best > 0) return best;
  // No such box: whole vectors at least, in the box nearest to a cube.
  int longest = 0;
  for (double count = std::ceil(wanted * 0.85 / lanes) * lanes; count < wanted * 1.15;
       count += lanes) {
    const int x = operators::near_cubic_split(static_cast<std::int64_t>(count)).x;
    if (best > 0 && x >= longest) continue;
    best = static_cast<std::int64_t>(count);
    longest = x;
  }
  return best;
}

double host_last_level_bytes() {
  return static_cast<double>(host().last_level_bytes());
}

}  // namespace hpclab::roofline::operator_
