// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Races CpuOperator on one core against the limits of that core and against libCEED, all in short
// bursts that take turns, so that a change of clock or other load meets everyone. Prints medians
// over the rounds with 95 % intervals. Not a test: no test asserts a time.
#include "core/error.hpp"
#include "core/statistics.hpp"
#include "measure/operator_race/ceilings.hpp"
#include "measure/operator_race/options.hpp"
#include "measure/operator_race/peer.hpp"
#include "operators/cpu_operator.hpp"
#include "operators/element_work.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/utsname.h>

namespace hpclab::race {
namespace {

using namespace operators;
using Json = nlohmann::ordered_json;

/// Seconds of one call, over a burst of at least `burst_s`.
double seconds_of(const std::function<void()>& call, double burst_s) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  int calls = 0;
  double seconds = 0;
  do {
    call();
    ++calls;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (seconds < burst_s);
  return seconds / calls;
}

struct Estimate {
  double median = 0, low = 0, high = 0;
};
Estimate estimate(const std::vector<double>& values) {
  Estimate result{hpclab::median(values), 0, 0};
  if (const auto interval = median_interval(values)) {
    result.low = interval->low;
    result.high = interval->high;
  }
  return result;
}
Json json_of(const Estimate& e) {
  return {{"median", e.median}, {"low", e.low}, {"high", e.high}};
}

/// Multiply-add slots of one element: the multiplications of the metric go the same way.
double multiply_add_slots(const ElementOperator& o) {
  const double q = o.quadrature;
  return element_work(o).multiply_adds + (is_mass(o.kind) ? 1 : 3) * q * q * q;
}

/// The largest difference between both results on the same input, relative to the largest number.
double difference(CpuOperator& ours, std::span<double> in, std::span<double> out, Peer& peer,
                  const HexMesh& mesh) {
  const int p = ours.element_operator().degree;
  const BoxSplit& s = mesh.split();
  const std::int64_t row = std::int64_t{p} * s.x + 1, column = std::int64_t{p} * s.y + 1,
                     pile = std::int64_t{p} * s.z + 1;
  std::vector<double> u(static_cast<std::size_t>(row * column * pile));
  const auto for_all = [&](auto visit) {
    std::size_t node = 0;
    for (std::int64_t k = 0; k < pile; ++k)
      for (std::int64_t j = 0; j < column; ++j)
        for (std::int64_t i = 0; i < row; ++i, ++node)
          visit(node, ours.layout().entry_of_grid_node(i, j, k));
  };
  for_all([&](std::size_t node, std::size_t entry) {
    in[entry] = u[node] = std::sin(0.37 * static_cast<double>(node % 10007));
  });
  ours.apply(in, out);
  peer.set_input(u);
  peer.apply();
  const std::vector<double> theirs = peer.output();
  double largest = 0, error = 0;
  for_all([&](std::size_t node, std::size_t entry) {
    largest = std::max(largest, std::abs(theirs[node]));
    error = std::max(error, std::abs(theirs[node] - out[entry]));
  });
  return error / largest;
}

/// One case: everyone takes a turn in every round, the order reversed every other round.
Json race(const Options& options, int degree, double mebibytes, Ceilings& ceilings,
          std::vector<std::string>& lines) {
  ElementOperator o = options.element_operator;
  o.degree = degree;
  o.quadrature = degree + (is_collocated(o.kind) ? 1 : 2);
  o.sweeps = is_mass(o.kind) || is_collocated(o.kind) ? 6 : 12;
  const ElementWork work = element_work(o);
  const double bytes_per_element = work.vector_bytes + work.geometry_bytes;
  const int side = std::max(
      2, static_cast<int>(std::lround(std::cbrt(mebibytes * 1048576 / bytes_per_element))));
  const HexMesh mesh({side, side, side},
                     o.geometry == Geometry::affine ? sheared_cube : deformed_cube);
  CpuOperator ours(o, mesh, options.isa);
  const std::size_t entries = ours.layout().entries();
  // One allocation; a few lines between the vectors keep them off each other's cache sets.
  AlignedArray<double> memory(2 * entries + 4096);
  const std::span<double> in(memory.data(), entries),
      out(memory.data() + entries / 8 * 8 + 520, entries);
  for (std::int64_t e = 0; e < mesh.elements(); ++e)
    for (int node = 0; node < o.nodes() * o.nodes() * o.nodes(); ++node)
      in[ours.layout().entry(e, node % o.nodes(), node / o.nodes() % o.nodes(),
                             node / o.nodes() / o.nodes())] =
          0.1 * static_cast<double>((e * 13 + node) % 97);

  std::unique_ptr<Peer> peer;
  if (!options.backend.empty() && o.geometry == Geometry::stored)
    peer = make_ceed_peer(o, mesh, options.backend);
  const double error = peer ? difference(ours, in, out, *peer, mesh) : 0;

  std::map<std::string, std::vector<double>> samples;
  const bool in_memory = bytes_per_element * static_cast<double>(mesh.elements()) > 64 * 1048576.0;
  std::vector<std::function<void()>> turns;
  turns.push_back([&] {
    samples["ours_s"].push_back(seconds_of([&] { ours.apply(in, out); }, options.burst_s));
  });
  if (peer)
    turns.push_back(
        [&] { samples["peer_s"].push_back(seconds_of([&] { peer->apply(); }, options.burst_s)); });
  turns.push_back([&] { samples["fma"].push_back(ceilings.multiply_adds_per_s()); });
  if (in_memory) {
    turns.push_back([&] { samples["read"].push_back(ceilings.read_bytes_per_s()); });
    turns.push_back([&] { samples["mix"].push_back(ceilings.mix_bytes_per_s()); });
  }
  ours.apply(in, out);
  for (int round = 0; round < options.rounds; ++round) {
    for (const auto& turn : turns) turn();
    std::reverse(turns.begin(), turns.end());
  }

  const double elements = static_cast<double>(mesh.elements());
  const double dof = dof_per_element(o) * elements;
  const auto rate = [&](const std::string& name, double scale) {
    std::vector<double> rates;
    for (const double s : samples[name]) rates.push_back(scale / s);
    return estimate(rates);
  };
  Json result = {{"degree", degree},
                 {"quadrature", o.quadrature},
                 {"elements", mesh.elements()},
                 {"split", {side, side, side}},
                 {"dof", dof},
                 {"working_set_bytes", bytes_per_element * elements},
                 {"bytes_per_dof", bytes_per_element / dof_per_element(o)}};
  const Estimate ours_rate = rate("ours_s", dof);
  result["ours_dof_per_s"] = json_of(ours_rate);
  std::string line =
      fmt::format("p {:2}  {:3}^3 el {:7.1f} MiB  ours {:6.1f} [{:.1f} {:.1f}] MDOF/s", degree,
                  side, bytes_per_element * elements / 1048576, ours_rate.median / 1e6,
                  ours_rate.low / 1e6, ours_rate.high / 1e6);
  const double time = hpclab::median(samples["ours_s"]);
  const double slots = multiply_add_slots(o) * elements / lanes_of(o.precision);
  const double fma_share = slots / hpclab::median(samples["fma"]) / time;
  result["share_of_multiply_add_limit"] = fma_share;
  line += fmt::format("  {:4.1f} % of multiply-add limit", 100 * fma_share);
  if (in_memory) {
    // Compulsory traffic as counted, and with the read for ownership of the output.
    const double counted = bytes_per_element * elements;
    const double owned = counted + 8 * dof;
    for (const char* kind : {"read", "mix"}) {
      const double ceiling = hpclab::median(samples[kind]);
      result[std::string(kind) + "_ceiling_bytes_per_s"] = json_of(estimate(samples[kind]));
      result[std::string("share_of_") + kind + "_ceiling"] = counted / ceiling / time;
      result[std::string("share_of_") + kind + "_ceiling_with_ownership"] = owned / ceiling / time;
      line +=
          fmt::format("  {:5.1f} % ({:.1f} %) of {} {:.1f} GB/s", 100 * counted / ceiling / time,
                      100 * owned / ceiling / time, kind, ceiling / 1e9);
    }
  }
  if (peer) {
    const Estimate theirs = rate("peer_s", dof);
    std::vector<double> ratios;
    for (std::size_t i = 0; i < samples["peer_s"].size(); ++i)
      ratios.push_back(samples["peer_s"][i] / samples["ours_s"][i]);
    const Estimate ratio = estimate(ratios);
    result["peer_dof_per_s"] = json_of(theirs);
    result["ratio"] = json_of(ratio);
    result["largest_relative_difference"] = error;
    line +=
        fmt::format("  peer {:5.1f} [{:.1f} {:.1f}]  ratio {:.2f} [{:.2f} {:.2f}]  differ {:.0e}",
                    theirs.median / 1e6, theirs.low / 1e6, theirs.high / 1e6, ratio.median,
                    ratio.low, ratio.high, error);
    result["peer"] = peer->description();
  }
  lines.push_back(line);
  std::puts(line.c_str());
  std::fflush(stdout);
  return result;
}

void pin() {
  cpu_set_t allowed, one;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &allowed)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

int run(int count, char** arguments) {
  const Options options = parse(count, arguments);
  pin();
  Ceilings ceilings(options.isa, options.ceiling_bytes);
  Json cases = Json::array();
  std::vector<std::string> lines;
  for (const double mebibytes : options.mebibytes)
    for (const int degree : options.degrees)
      cases.push_back(race(options, degree, mebibytes, ceilings, lines));
  utsname system{};
  uname(&system);
  if (!options.json.empty()) {
    Json all = {{"arguments", std::vector<std::string>(arguments + 1, arguments + count)},
                {"system", std::string(system.sysname) + " " + system.release},
                {"compiler", std::string("g++ ") + __VERSION__},
                {"rounds", options.rounds},
                {"burst_s", options.burst_s},
                {"cases", cases}};
    std::ofstream(options.json) << all.dump(1) << "\n";
  }
  if (!options.text.empty()) {
    std::ofstream text(options.text);
    text << "operator_race";
    for (int i = 1; i < count; ++i) text << " " << arguments[i];
    text << "\n";
    for (const Json& one : cases)
      if (one.contains("peer")) {
        text << "peer: " << one["peer"].get<std::string>() << "\n";
        break;
      }
    for (const std::string& line : lines) text << line << "\n";
  }
  return 0;
}

}  // namespace
}  // namespace hpclab::race

int main(int count, char** arguments) {
  try {
    return hpclab::race::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "operator_race: %s\n", error.what());
    return 2;
  }
}
