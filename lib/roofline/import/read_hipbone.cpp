// hpclab: SPDX-License-Identifier: Apache-2.0
//
// hipBone: a conjugate-gradient solve on a box of hexahedra with zero on its boundary. Its lines:
// "hipBone: 14, 37595375, 0.2870, 100, ...; N, DOFs, elapsed, iterations, time per DOF, avg BW
// (GB/s), avg GFLOPs, DOFs*iterations/ranks*time" and "hipBone: NekBone FOM = 3479.4 GFLOPs."
// (hipBone, src/run.cpp).
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "operators/element_work.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

/// A cube of elements_a_side^3 elements of a degree.
struct Box {
  operators::ElementOperator element;
  double elements_a_side = 0;
  double elements() const { return std::pow(elements_a_side, 3); }
  double dof() const { return std::pow(element.degree * elements_a_side - 1, 3); }
  /// Nodes of all elements that do not lie on the boundary.
  double free_nodes() const { return std::pow(element.nodes() * elements_a_side - 2, 3); }
};

std::optional<Box> cube_of(int degree, double dof) {
  Box box;
  box.element.kind = operators::OperatorKind::bp5;
  box.element.degree = degree;
  box.element.quadrature = degree + 1;
  box.element.even_odd = false;
  box.elements_a_side = std::round((std::round(std::cbrt(dof)) + 1) / degree);
  if (box.elements_a_side < 1 || box.dof() != dof) return std::nullopt;
  return box;
}

/// What hipBone divides by its time, for all iterations and the residual before them.
struct PrintedCounts {
  double flops = 0;
  double bytes = 0;
};

PrintedCounts printed_counts(const Box& box, double iterations) {
  const double n = box.element.nodes();
  const double points = n * n * n;
  const double dof = box.dof();
  // Seven geometric factors a node, the local result and its map; then the gather of the local
  // results into the vector. Indices have 4 bytes, numbers 8.
  const double operator_bytes = 8 * dof + (points * (7 * 8 + 4 + 8) + 4) * box.elements();
  const double gather_bytes = 4 * (dof + 1) + 12 * box.free_nodes() + 8 * dof;
  const double once = operator_bytes + gather_bytes;
  const double flops = (12 * n * points + 18 * points) * box.elements() + box.free_nodes();
  return {5 * dof + flops + (11 * dof + flops) * iterations,
          4 * 8 * dof + once + (11 * 8 * dof + once) * iterations};
}

/// The figure of merit of Nekbone counts 34 operations a node beside the sweeps.
double fom_flops(const Box& box, double iterations) {
  const double n = box.element.nodes();
  return (12 * std::pow(n, 4) + 34 * std::pow(n, 3)) * box.elements() * iterations;
}

class Reader {
 public:
  explicit Reader(formats::LineReader& lines) : lines_(lines) {}

  void take_result(std::string_view line) {
    const std::string_view figures = line.substr(0, line.find(';'));
    std::vector<std::string_view> fields;
    for (std::size_t begin = 0; begin <= figures.size();) {
      const std::size_t end = std::min(figures.find(',', begin), figures.size());
      fields.push_back(formats::trimmed(figures.substr(begin, end - begin)));
      begin = end + 1;
    }
    if (fields.size() != 8) {
      throw UsageError(
          fmt::format("{}: {} figures, but a result of hipBone has 8; was the line cut?",
                      lines_.where(), fields.size()));
    }
    const auto number = [&](std::size_t i, const char* what) {
      return require_positive(formats::require_printed_number(fields[i], what, lines_.where()),
                              what, lines_.where());
    };
    const std::int64_t degree = formats::require_integer(fields[0], "N", lines_.where());
    if (degree < 1 || degree > 30)
      throw UsageError(fmt::format("{}: 'N' is {}, not 1 to 30", lines_.where(), degree));
    const double dof = number(1, "DOFs").value;
    const double iterations = number(3, "iterations").value;
    Point point;
    point.where = lines_.where();
    point.precision = "fp64";
    point.time_s = number(2, "elapsed");
    point.dof = dof * iterations;
    point.name = fmt::format("cg p={} {:.0f} unknowns", degree, dof);
    point.further_values["size_dof"] = dof;
    const double word = 8;
    point.checks.push_back(rate_check(Quantity::dof, "1 / time per DOF",
                                      inverse(number(4, "time per DOF")), dof, point.time_s));
    // The last figure is of one rank; how many there were is not said.
    const PrintedNumber of_a_rank = number(7, "DOFs*iterations/ranks*time");
    const double ranks =
        std::max(1.0, std::round(point.dof / point.time_s.value / of_a_rank.value));
    point.checks.push_back(rate_check(Quantity::dof, "DOFs*iterations/(ranks*time)",
                                      of_a_rank.scaled(ranks), point.dof, point.time_s));
    if (ranks > 1) point.notes.push_back(fmt::format("{:.0f} ranks", ranks));
    box_ = cube_of(static_cast<int>(degree), dof);
    iterations_ = iterations;
    if (box_) {
      // Operator and vectors of an iteration: what cannot be avoided.
      const operators::ElementWork work = operators::element_work(box_->element);
      const double vectors = 11 * dof;
      point.flops =
          (work.textbook_flops * box_->elements() + vectors + (box_->free_nodes() - dof)) *
          iterations;
      point.bytes["dram"] = ((work.geometry_bytes + work.index_bytes) * box_->elements() +
                             (2 * dof + vectors) * word) *
                            iterations;
      point.working_set_bytes = point.bytes["dram"] / iterations;
      const PrintedCounts counts = printed_counts(*box_, iterations);
      point.checks.push_back(rate_check(Quantity::bytes, "avg BW",
                                        number(5, "avg BW (GB/s)").scaled(1e9), counts.bytes,
                                        point.time_s));
      point.checks.push_back(rate_check(Quantity::flops, "avg GFLOPs",
                                        number(6, "avg GFLOPs").scaled(1e9), counts.flops,
                                        point.time_s));
      point.further_values["fom_flops_per_s"] = fom_flops(*box_, iterations) / point.time_s.value;
    } else {
      point.flops = number(6, "avg GFLOPs").value * 1e9 * point.time_s.value;
      point.bytes["dram"] = number(5, "avg BW (GB/s)").value * 1e9 * point.time_s.value;
      point.notes.emplace_back(
          "the unknowns are not those of a cube of elements: operations and bytes are those that "
          "the log prints");
    }
    points_.push_back(std::move(point));
  }

  void take_fom(std::string_view line) {
    if (points_.empty() || !box_) return;
    const PrintedNumber fom = LineValues(lines_, line).positive("FOM =").scaled(1e9);
    Point& point = points_.back();
    point.checks.push_back(rate_check(Quantity::flops, "NekBone FOM", fom,
                                      fom_flops(*box_, iterations_), point.time_s));
  }

  std::vector<Point> finish() { return std::move(points_); }

 private:
  static PrintedNumber inverse(const PrintedNumber& number) {
    return {1 / number.value, number.half_unit / (number.value * number.value)};
  }

  formats::LineReader& lines_;
  std::vector<Point> points_;
  std::optional<Box> box_;
  double iterations_ = 0;
};

constexpr std::string_view mark = "hipBone:";

}  // namespace

bool is_hipbone_line(std::string_view line) {
  if (!line.starts_with(mark)) return false;
  const std::string_view rest = formats::trimmed(line.substr(mark.size()));
  return !rest.empty() && ((rest[0] >= '0' && rest[0] <= '9') || rest.starts_with("NekBone FOM"));
}

std::vector<Point> read_hipbone(formats::LineReader& lines, Launches) {
  Reader reader(lines);
  for (std::string_view line; lines.next(line);) {
    const std::string_view text = formats::trimmed(line);
    if (!is_hipbone_line(text)) continue;
    const std::string_view rest = formats::trimmed(text.substr(mark.size()));
    if (rest[0] >= '0' && rest[0] <= '9') {
      reader.take_result(rest);
    } else {
      reader.take_fom(rest);
    }
  }
  return reader.finish();
}

}  // namespace hpclab::roofline::import
