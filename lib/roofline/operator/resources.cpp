// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/operator/resources.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

namespace hpclab::roofline::operator_ {
namespace {

using Time = std::function<double(const Resource&)>;

const Resource& slowest(const Pass& pass, const Time& time) {
  return *std::max_element(pass.units.begin(), pass.units.end(),
                           [&](const Resource& a, const Resource& b) { return time(a) < time(b); });
}

double core_time(const std::vector<Pass>& passes, const Time& time) {
  double sum = 0;
  for (const Pass& pass : passes) sum += time(slowest(pass, time));
  return sum;
}

double combined(const MachineWork& work, double k, const Time& time) {
  std::vector<double> times{core_time(work.passes, time)};
  double in_turn = 0;
  for (const Resource& resource : work.resources) {
    if (resource.in_turn) {
      in_turn += time(resource);
    } else {
      times.push_back(time(resource));
    }
  }
  // Scaled by the longest, so that large exponents neither overflow nor vanish.
  const double longest = *std::max_element(times.begin(), times.end());
  if (longest <= 0 && in_turn <= 0) throw CaseFailed("the operator has no work on any resource");
  if (longest <= 0) return in_turn;
  double sum = 0;
  for (const double each : times) sum += std::pow(each / longest, k);
  return longest * std::pow(sum, 1 / k) + in_turn;
}

double nominal(const Resource& resource) {
  return resource.time_s();
}

std::vector<Resource> sums_of_units(const std::vector<Pass>& passes) {
  std::vector<Resource> units;
  for (const Pass& pass : passes) {
    for (const Resource& unit : pass.units) {
      const auto same = std::find_if(units.begin(), units.end(),
                                     [&](const Resource& u) { return u.name == unit.name; });
      if (same == units.end()) {
        units.push_back(unit);
      } else {
        same->work += unit.work;
      }
    }
  }
  return units;
}

bool is_unit(const std::vector<Pass>& passes, const std::string& name) {
  for (const Pass& pass : passes) {
    for (const Resource& unit : pass.units)
      if (unit.name == name) return true;
  }
  return false;
}

// The unit that decides most of the core's time.
std::string deciding_unit(const std::vector<Pass>& passes) {
  std::map<std::string, double> decided;
  for (const Pass& pass : passes) {
    const Resource& unit = slowest(pass, nominal);
    decided[unit.name] += unit.time_s();
  }
  const auto most = std::max_element(decided.begin(), decided.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == decided.end() ? "" : most->first;
}

void name_bound(Prediction& prediction, const std::vector<Resource>& beside) {
  prediction.bound = deciding_unit(prediction.passes);
  prediction.bound_s = prediction.core_s;
  for (const Resource& resource : beside) {
    if (resource.time_s() <= prediction.bound_s) continue;
    prediction.bound = resource.name;
    prediction.bound_s = resource.time_s();
  }
  for (const Resource& resource : prediction.resources) {
    if (resource.name == prediction.bound || resource.time_s() <= prediction.next_s) continue;
    prediction.next = resource.name;
    prediction.next_s = resource.time_s();
  }
}

}  // namespace

const Resource* Prediction::find(std::string_view name) const {
  for (const Resource& resource : resources)
    if (resource.name == name) return &resource;
  return nullptr;
}

Prediction combine(MachineWork work, double overlap, double residual_ratio) {
  Prediction prediction;
  if (work.units_overlap) {
    prediction.passes = std::move(work.passes);
    work.passes.clear();
    for (Resource& unit : sums_of_units(prediction.passes))
      work.resources.push_back(std::move(unit));
  }
  prediction.time_s = combined(work, overlap, nominal);
  prediction.low_s =
      combined(work, overlap, [](const Resource& r) { return r.low_s(); }) * (1 - residual_ratio);
  prediction.high_s =
      combined(work, overlap, [](const Resource& r) { return r.high_s(); }) * (1 + residual_ratio);
  prediction.core_s = core_time(work.passes, nominal);
  prediction.resources = work.resources;
  for (Resource& unit : sums_of_units(work.passes)) prediction.resources.push_back(std::move(unit));
  std::erase_if(prediction.resources, [](const Resource& r) { return r.work <= 0; });
  std::stable_sort(prediction.resources.begin(), prediction.resources.end(),
                   [](const Resource& a, const Resource& b) { return a.time_s() > b.time_s(); });
  if (!work.units_overlap) prediction.passes = std::move(work.passes);
  name_bound(prediction, work.resources);
  return prediction;
}

Table resource_table(const Prediction& prediction) {
  Table table{{"resource", "part", "work", "work_unit", "rate", "time", "share", "figure"},
              {"", "", "", "", "1/s", "s", "", ""},
              {}};
  for (const Resource& r : prediction.resources) {
    const bool unit = is_unit(prediction.passes, r.name);
    const char* part = r.in_turn ? "in turn" : unit ? "unit" : "beside";
    table.rows.push_back({r.name, part, r.work, r.unit, r.rate, r.time_s(),
                          r.time_s() / prediction.time_s, r.figure});
  }
  if (prediction.core_s > 0) {
    table.rows.push_back({"core", "core", prediction.core_s, "s", 1.0, prediction.core_s,
                          prediction.core_s / prediction.time_s, "slowest unit of each pass"});
  }
  return table;
}

Table pass_table(const Prediction& prediction) {
  Table table{{"pass", "slowest", "time"}, {"", "", "s"}, {}};
  for (const Pass& pass : prediction.passes) {
    const Resource& unit = slowest(pass, nominal);
    table.rows.push_back({pass.name, unit.name, unit.time_s()});
  }
  return table;
}

}  // namespace hpclab::roofline::operator_
