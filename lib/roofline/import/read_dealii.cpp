// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Tables of the CEED bake-off problems in deal.II: columns p, q, n_element, n_dofs, time/it,
// dofs/s/it, itCG, time/matvec and, in some, timeMVmerge (the metric merged into one symmetric
// tensor), timeMVcompu (computed from the points' positions) and timeMVlinear (trilinear).
#include "core/error.hpp"
#include "formats/fields.hpp"
#include "formats/table_reader.hpp"
#include "operators/element_work.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;
using operators::Geometry;

constexpr double most_elements = 1e8;

struct Row {
  int degree = 0;
  int quadrature = 0;
  double elements = 0;
  double dof = 0;
};

// Whether a box of a x b x c = elements has so many unknowns: (p a + 1)(p b + 1)(p c + 1).
bool is_box(const Row& row) {
  const auto elements = static_cast<std::int64_t>(row.elements);
  for (std::int64_t a = 1; a * a * a <= elements; ++a) {
    if (elements % a != 0) continue;
    for (std::int64_t b = a; b * b <= elements / a; ++b) {
      if (elements / a % b != 0) continue;
      const double c = static_cast<double>(elements / a / b);
      const double p = row.degree;
      const double dof =
          (p * static_cast<double>(a) + 1) * (p * static_cast<double>(b) + 1) * (p * c + 1);
      if (dof == row.dof) return true;
    }
  }
  return false;
}

Point matvec(const Row& row, const PrintedNumber& time_s, Geometry geometry, const char* variant,
             const std::string& where) {
  operators::ElementOperator o;
  // p + 1 points: the collocated problem BP5; more: BP3.
  o.kind = row.quadrature == row.degree + 1 ? operators::OperatorKind::bp5
                                            : operators::OperatorKind::bp3;
  o.degree = row.degree;
  o.quadrature = row.quadrature;
  o.geometry = geometry;
  o.sweeps = o.kind == operators::OperatorKind::bp5 ? 6 : 12;
  o.even_odd = false;
  const operators::ElementWork work = operators::element_work(o);
  Point point;
  point.where = where;
  point.precision = "fp64";
  point.time_s = time_s;
  point.dof = row.dof;
  point.further_values["size_dof"] = row.dof;
  point.flops = work.textbook_flops * row.elements;
  point.bytes[by_working_set] =
      2 * 8 * row.dof + (work.geometry_bytes + work.index_bytes) * row.elements;
  point.working_set_bytes = point.bytes[by_working_set];
  point.name = fmt::format("{} p={} {:.0f} unknowns{}",
                           o.kind == operators::OperatorKind::bp5 ? "bp5" : "bp3", row.degree,
                           row.dof, variant);
  return point;
}

class Reader {
 public:
  explicit Reader(formats::TableReader& table)
      : table_(table),
        degree_(table.columns().require("p")),
        quadrature_(table.columns().require("q")),
        elements_(table.columns().require("n_element")),
        dof_(table.columns().require("n_dofs")),
        time_of_iteration_(table.columns().require("time/it")),
        rate_of_iteration_(table.columns().require("dofs/s/it")),
        time_(table.columns().require("time/matvec")) {}

  void take_row(std::vector<Point>& points) {
    Row row;
    row.degree = static_cast<int>(integer(degree_, 1, 30));
    row.quadrature = static_cast<int>(integer(quadrature_, row.degree + 1, 60));
    row.elements = static_cast<double>(integer(elements_, 1, 1'000'000'000'000));
    row.dof = static_cast<double>(integer(dof_, 1, 1'000'000'000'000'000));
    Point point = matvec(row, positive(time_), Geometry::stored, "", table_.where());
    point.checks.push_back(rate_check(Quantity::dof, "dofs/s/it", positive(rate_of_iteration_),
                                      row.dof, positive(time_of_iteration_)));
    if (row.elements <= most_elements && !is_box(row)) {
      point.findings.push_back(
          fmt::format("{:.0f} unknowns are those of no box of {:.0f} elements of degree {}",
                      row.dof, row.elements, row.degree));
    }
    points.push_back(std::move(point));
    for (const auto& [column, geometry, name] :
         {std::tuple{"timeMVmerge", Geometry::stored, " merged metric"},
          std::tuple{"timeMVlinear", Geometry::trilinear, " trilinear"}}) {
      if (const auto at = table_.columns().find(column))
        points.push_back(matvec(row, positive(*at), geometry, name, table_.where()));
    }
  }

 private:
  std::int64_t integer(std::size_t column, std::int64_t low, std::int64_t high) const {
    const std::int64_t value = table_.integer(column);
    if (value < low || value > high) {
      throw UsageError(fmt::format("{}: '{}' is {}, not {} to {}", table_.where(),
                                   table_.columns().names()[column], value, low, high));
    }
    return value;
  }
  PrintedNumber positive(std::size_t column) const {
    const std::string& name = table_.columns().names()[column];
    return require_positive(
        formats::require_printed_number(table_.text(column), name, table_.where()), name,
        table_.where());
  }

  formats::TableReader& table_;
  std::size_t degree_, quadrature_, elements_, dof_;
  std::size_t time_of_iteration_, rate_of_iteration_, time_;
};

bool is_header(std::string_view line) {
  std::vector<std::string_view> words;
  formats::split_words(line, words);
  return words.size() >= 3 && words[0] == "p" && words[1] == "q" && words[2] == "n_element";
}

}  // namespace

bool is_dealii_line(std::string_view line) {
  return is_header(line);
}

std::vector<Point> read_dealii(formats::LineReader& lines, Launches) {
  formats::TableOptions options;
  options.delimiter = ' ';
  options.is_header = is_header;
  formats::TableReader table(lines, options);
  Reader reader(table);
  std::vector<Point> points;
  while (table.next()) {
    if (table.text(0) == "p") continue;  // runs appended to one file repeat the header
    reader.take_row(points);
  }
  return points;
}

}  // namespace hpclab::roofline::import
