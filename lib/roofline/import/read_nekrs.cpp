// hpclab: SPDX-License-Identifier: Apache-2.0
//
// nekRS: lines of its axhelm benchmark ("... bkMode=1 wordSize=64 GDOF/s=...") and of a solver's
// autotuner ("Ax: N=7 wordSize=64 GDOF/s=... constCoeff=1 poisson=1 ..."). Both count, per point of
// an element, 12 n + 15 operations and 8 words, and more for Helmholtz terms (nekRS,
// src/bench/axHelm/benchmarkAx.cpp and its predecessor).
#include "core/error.hpp"
#include "operators/element_work.hpp"
#include "roofline/import/line_values.hpp"
#include "roofline/import/readers.hpp"

#include <array>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

using formats::PrintedNumber;

/// What a variant of the operator counts a point beyond BK5.
struct Extra {
  double words = 0;
  double flops = 0;
};

Extra helmholtz(bool constant_coefficient, bool poisson) {
  Extra extra;
  if (!poisson) extra.words += 1;  // Jacobian determinant times weight
  if (!constant_coefficient) extra.words += poisson ? 1 : 2;
  extra.flops = (constant_coefficient ? 1 : 3) + (poisson ? 0 : 3);
  return extra;
}

// Symmetric gradient: three more geometric factors, the determinant, and 21 operations.
Extra with_stress(Extra extra, bool poisson) {
  return {extra.words + 3 + (poisson ? 1 : 0), extra.flops + 21};
}

std::vector<Extra> variants(const LineValues& values, int dimensions) {
  if (const auto mode = values.find("bkMode=")) {
    return {*mode == "0" ? Extra{3, 5} : Extra{}};
  }
  const auto constant = values.find("constCoeff=");
  const auto poisson = values.find("poisson=");
  std::vector<Extra> found;
  for (const bool c : {true, false}) {
    for (const bool p : {true, false}) {
      if ((constant && (*constant != "0") != c) || (poisson && (*poisson != "0") != p)) continue;
      found.push_back(helmholtz(c, p));
      if (dimensions > 1) found.push_back(with_stress(found.back(), p));
    }
  }
  if (!constant) found.insert(found.begin(), Extra{});
  return found;
}

struct Counts {
  double flops = 0;
  double bytes = 0;
};

/// Of one element with `dimensions` fields.
Counts counts_of(const operators::ElementOperator& o, int dimensions, int geometry_degree,
                 const Extra& extra) {
  const operators::ElementWork work = operators::element_work(o);
  const double points = std::pow(o.nodes(), 3);
  const double word = operators::bytes_of(o.precision);
  Counts counts;
  counts.flops = dimensions * (work.textbook_flops + extra.flops * points);
  counts.bytes = dimensions * work.vector_bytes + extra.words * points * word;
  // The log counts six numbers a node of the geometry, also where corners would do.
  counts.bytes += 6 * word * std::pow(geometry_degree + 1, 3);
  return counts;
}

double distance(const Counts& counts, double printed_flops, double printed_bytes) {
  return std::abs(std::log(counts.flops / printed_flops)) +
         std::abs(std::log(counts.bytes / printed_bytes));
}

Point axhelm(const LineValues& values, const std::string& where) {
  Point point;
  point.where = where;
  const int degree = values.integer("N=", 1, 30);
  const int dimensions = values.has("Ndim=") ? values.integer("Ndim=", 1, 16) : 1;
  const int geometry = values.has("Ng=") ? values.integer("Ng=", 1, 30) : degree;
  const int bits = values.integer("wordSize=", 32, 64);
  if (bits != 32 && bits != 64) {
    throw UsageError(fmt::format("{}: 'wordSize=' is {}, not 32 or 64", where, bits));
  }
  const PrintedNumber dof_rate = values.positive("GDOF/s=").scaled(1e9);
  const PrintedNumber byte_rate = values.positive("GB/s=").scaled(1e9);
  const PrintedNumber flop_rate = values.positive("GFLOPS/s=").scaled(1e9);
  operators::ElementOperator o;
  o.degree = degree;
  o.quadrature = degree + 1;
  o.precision = bits == 64 ? operators::Precision::fp64 : operators::Precision::fp32;
  o.even_odd = false;
  point.precision = bits == 64 ? "fp64" : "fp32";
  const double element_dof = dimensions * operators::dof_per_element(o);

  double elements = 1;
  if (values.has("elapsed time=") && values.has("Nelements=")) {
    elements = values.integer("Nelements=", 1, 2'000'000'000);
    point.time_s = values.positive("elapsed time=");
    point.checks.push_back(
        rate_check(Quantity::dof, "GDOF/s", dof_rate, elements * element_dof, point.time_s));
  } else {
    // A short line: everything is per element, and its time follows from the rate.
    point.time_s = {element_dof / dof_rate.value,
                    element_dof / dof_rate.value * dof_rate.half_unit / dof_rate.value};
    point.notes.emplace_back(
        "the line states no number of elements: work and time are those of one");
  }
  Counts best;
  double least = HUGE_VAL;
  const double printed_flops = flop_rate.value * point.time_s.value / elements;
  const double printed_bytes = byte_rate.value * point.time_s.value / elements;
  for (const Extra& extra : variants(values, dimensions)) {
    const Counts counts = counts_of(o, dimensions, geometry, extra);
    const double off = distance(counts, printed_flops, printed_bytes);
    if (off < least) best = counts;
    least = std::min(least, off);
  }
  point.flops = best.flops * elements;
  point.bytes["dram"] = best.bytes * elements;
  point.dof = element_dof * elements;
  if (elements > 1) {
    point.working_set_bytes = point.bytes["dram"];
    point.further_values["size_dof"] = point.dof;
  }
  point.checks.push_back(
      rate_check(Quantity::bytes, "GB/s", byte_rate, point.bytes["dram"], point.time_s));
  point.checks.push_back(
      rate_check(Quantity::flops, "GFLOPS/s", flop_rate, point.flops, point.time_s));
  point.name = fmt::format("axhelm p={} {}", degree, point.precision);
  if (elements > 1) point.name += fmt::format(" {:.0f} elements", elements);
  for (const char* key : {"kernelVer=", "kernel="}) {
    if (const auto kernel = values.find(key); kernel && !kernel->empty())
      point.name += fmt::format(" kernel {}", values.integer(key, 0, 10'000));
  }
  return point;
}

// Another kernel (fdm, advection): only its unknowns can be recounted.
Point other_kernel(const LineValues& values, const std::string& where) {
  Point point;
  point.where = where;
  const int degree = values.integer("N=", 1, 30);
  const int dimensions = values.has("Ndim=") ? values.integer("Ndim=", 1, 16) : 1;
  const double elements = values.integer("Nelements=", 1, 2'000'000'000);
  point.time_s = values.positive("elapsed time=");
  point.dof = dimensions * std::pow(degree, 3) * elements;
  point.checks.push_back(rate_check(Quantity::dof, "GDOF/s", values.positive("GDOF/s=").scaled(1e9),
                                    point.dof, point.time_s));
  if (values.has("wordSize=")) {
    point.precision = values.integer("wordSize=", 32, 64) == 32 ? "fp32" : "fp64";
  }
  if (values.has("GFLOPS/s="))
    point.flops = values.positive("GFLOPS/s=").value * 1e9 * point.time_s.value;
  if (values.has("GB/s="))
    point.bytes["dram"] = values.positive("GB/s=").value * 1e9 * point.time_s.value;
  point.notes.emplace_back(
      "operations and bytes are those that the log prints: the line does not say which kernel it "
      "is of");
  point.name = fmt::format("p={} {} {:.0f} elements", degree, point.precision, elements);
  if (values.has("cubN=")) point.name += fmt::format(" cubN={}", values.integer("cubN=", 0, 100));
  return point;
}

}  // namespace

bool is_nekrs_line(std::string_view line) {
  return word_after(line, "GDOF/s=").has_value() && word_after(line, "N=").has_value();
}

std::vector<Point> read_nekrs(formats::LineReader& lines, Launches) {
  std::vector<Point> points;
  for (std::string_view line; lines.next(line);) {
    // A line that was cut before its rates is still one of these.
    const bool tuner = line.starts_with("Ax: ");
    if (!tuner && !is_nekrs_line(line) && !word_after(line, "NRepetitions=")) continue;
    if (tuner && !word_after(line, "N=")) continue;
    const LineValues values(lines, line);
    points.push_back(tuner || values.has("bkMode=") ? axhelm(values, lines.where())
                                                    : other_kernel(values, lines.where()));
  }
  return points;
}

}  // namespace hpclab::roofline::import
