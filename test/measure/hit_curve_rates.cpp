// hpclab: SPDX-License-Identifier: Apache-2.0
//
// usage: hit_curve_rates TRACE [REPETITIONS]
//
// Times the replay of a trace without reading it: all capacities of least recently used in one
// pass, and for comparison one capacity. Prints one JSON object for scripts/peers/kvcache.
#include "kvcache/prefix/block_cache.hpp"
#include "kvcache/prefix/hit_curve.hpp"
#include "kvcache/prefix/lru_stack.hpp"
#include "kvcache/requests/request_file.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace hpclab::kvcache;
using namespace hpclab::kvcache::prefix;

constexpr std::size_t remembered = std::size_t{32} << 20;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void print_list(const char* name, const std::vector<double>& values) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < values.size(); ++i) std::printf("%s%.9g", i ? ", " : "", values[i]);
  std::printf("]");
}

int run(const char* trace, int repetitions) {
  const double begin_s = now_s();
  requests::RequestFile file(trace, {});
  requests::RequestCutter cutter(file.facts(), requests::Semantics::recorded, 0);
  std::vector<requests::Request> all;
  for (requests::Request request; file.next(request);) all.push_back(request);
  const double read_s = now_s() - begin_s;

  std::vector<double> curve_s, one_s, capacities, ratios;
  double touches = 0;
  for (int i = 0; i < repetitions; ++i) {
    const double start_s = now_s();
    LruStack stack(remembered);
    HitCurve curve;
    for (const requests::Request& request : all) {
      const CacheableRequest cut = cutter.cut(request);
      curve.add(cut, stack.access(cut.blocks));
    }
    curve.finish();
    curve_s.push_back(now_s() - start_s);

    const std::uint64_t capacity = curve.capacity_of_share(0.9);
    const double again_s = now_s();
    LruCache cache(capacity);
    HitCount hits;
    for (const requests::Request& request : all) {
      const CacheableRequest cut = cutter.cut(request);
      hits.add(cut, cache.serve(cut));
    }
    one_s.push_back(now_s() - again_s);
    if (hits.blocks != curve.at(capacity).blocks) throw std::runtime_error("the two disagree");

    if (i > 0) continue;
    touches = static_cast<double>(curve.demand().blocks);
    for (const double share : {0.5, 0.75, 0.9, 0.97}) {
      const std::uint64_t at = curve.capacity_of_share(share);
      capacities.push_back(static_cast<double>(at));
      ratios.push_back(curve.at(at).over(curve.demand()).block);
    }
  }
  std::printf("{\"requests\": %zu, \"touches\": %.0f, \"read_s\": %.6g, ", all.size(), touches,
              read_s);
  print_list("all_capacities_s", curve_s);
  std::printf(", ");
  print_list("one_capacity_s", one_s);
  std::printf(", ");
  print_list("capacity_blocks", capacities);
  std::printf(", ");
  print_list("hit_block_ratio", ratios);
  std::printf("}\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: hit_curve_rates TRACE [REPETITIONS]\n");
    return 2;
  }
  try {
    return run(arguments[1], count > 2 ? std::atoi(arguments[2]) : 11);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hit_curve_rates: %s\n", error.what());
    return 3;
  }
}
