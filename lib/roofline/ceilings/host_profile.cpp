// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/host_profile.hpp"

#include "core/error.hpp"
#include "core/units.hpp"
#include "machine/cpu_features.hpp"
#include "machine/memory.hpp"
#include "machine/profile_search.hpp"
#include "machine/this_cpu.hpp"
#include "roofline/ceilings/gpu_benches.hpp"
#include "roofline/ceilings/gpu_profile.hpp"
#include "roofline/ceilings/host_levels.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
namespace {

using machine::Figure;
using machine::MachineProfile;

Figure measured(const Json& record, const std::string& value_name, const std::string& conditions) {
  return measured_figure(record, value_name, conditions);
}

class ProfileMaker {
 public:
  explicit ProfileMaker(const std::vector<Json>& records) {
    profile_.name = machine::host_profile_name();
    profile_.kind = machine::MachineKind::cpu;
    profile_.description = fmt::format("{}, measured on this host", machine::cpu_identity().brand);
    const machine::Topology& topology = host_topology();
    cores_ = topology.cores;
    profile_.set("processor", "core_count",
                 stated(topology.cores, "cores that the process may use"));
    profile_.set("processor", "package_count", stated(topology.packages, "sockets"));
    if (const auto lookup = machine::this_microarchitecture(); lookup.found) {
      for (const char* fact : {"separate_fp_add_units_count", "avx512_store_fma_slots_count"}) {
        const auto found = lookup.found->facts.find(fact);
        if (found == lookup.found->facts.end()) continue;
        Figure figure;
        figure.value = found->second.value;
        figure.status = machine::FigureStatus::published;
        figure.source = found->second.source;
        figure.conditions = lookup.found->name;
        profile_.set("issue", fact, figure);
      }
    }
    for (const auto& [group, level] :
         {std::pair{"l1", 1}, std::pair{"l2", 2}, std::pair{"l3", 3}}) {
      if (const auto bytes = topology.cache_bytes(level)) {
        profile_.set(group, "size_bytes",
                     stated(static_cast<double>(bytes), "one cache, as the system states it"));
        for (const machine::DataCache& cache : topology.caches) {
          if (cache.level != level || cache.instances < 1) continue;
          profile_.set(group, "instance_count",
                       stated(cache.instances, "caches that the allowed cores use"));
        }
      }
    }
    for (const Json& record : records) {
      if (record["method"] == "measure" && record["backend"] == "cpu" && record["status"] == "ok")
        add(record);
    }
  }

  MachineProfile finish() {
    if (taken_ == 0) throw CaseFailed("no measured ceiling to make a profile of");
    return std::move(profile_);
  }

 private:
  static Figure stated(double value, const std::string& conditions) {
    Figure figure;
    figure.value = value;
    figure.status = machine::FigureStatus::published;
    figure.source = "operating system";
    figure.conditions = conditions;
    return figure;
  }

  void add(const Json& record) {
    const Json& p = record["parameters"];
    const std::string quantity = p["quantity"];
    if (quantity == "clock") {
      set("clock", "measured_hz", measured(record, "clock_hz", "dependent adds on one core"));
    } else if (quantity == "bandwidth") {
      add_bandwidth(record, p);
    } else if (quantity == "latency") {
      if (p["chains"] == 1 && p["threads"] == 1 && p["working_set"] == 0) {
        set(p["level"], near_or_far(p, "latency_s"),
            measured(record, "latency_s",
                     fmt::format("one {} pointer chase", p["order"].get<std::string>())));
      }
    } else if (quantity == "flops") {
      add_peak(record, p);
    } else if (quantity == "launch") {
      if (p["threads"] == cores_) {
        set("launch", "kernel_s",
            measured(record, "launch_s",
                     fmt::format("start of a team of {} pinned threads", cores_)));
      }
    } else if (quantity == "concurrency" && p["level"] == "dram") {
      if (p["threads"] == 1) {
        set("concurrency", "core_outstanding_lines_count",
            measured(record, "kept_lines", "Little's law"));
      }
      if (p["threads"] == cores_) {
        set("concurrency", "saturation_lines_count",
            measured(record, "needed_lines", "Little's law, all cores"));
      }
    }
  }

  void add_bandwidth(const Json& record, const Json& p) {
    auto figure = figure_of_kind(p["kind"]);
    if (!figure || p["working_set"] != 0) return;
    if (p.value("huge_pages", std::string()) == "never") figure = "small_page_" + *figure;
    const std::string isa = p["isa"];
    const std::string conditions =
        fmt::format("{}, {} threads, {} a thread", isa, p["threads"].get<int>(),
                    readable("x_bytes", record["values"]["working_set_bytes"]).text());
    if (p["threads"] == 1) {
      set_best(p["level"], "core_" + *figure,
               measured(record, "bandwidth_bytes_per_s", conditions));
    }
    if (p["threads"] == cores_) {
      set_best(p["level"], near_or_far(p, *figure),
               measured(record, "bandwidth_bytes_per_s", conditions));
    }
  }

  // A ceiling is what the best instruction set reaches, which need not be the widest.
  void set_best(const std::string& group, const std::string& name, Figure figure) {
    const Figure* before = profile_.find(group, name);
    if (before && before->value >= figure.value) return;
    set(group, name, std::move(figure));
  }

  void add_peak(const Json& record, const Json& p) {
    const std::string precision = p["precision"];
    const std::string name = fmt::format("{}_{}_{}", precision, p["isa"].get<std::string>(),
                                         precision == "int8" ? "ops_per_s" : "flops_per_s");
    const std::string conditions = fmt::format(
        "at {}", readable("clock_hz", record["values"]["clock_hz"].get<double>()).text());
    if (p["threads"] == 1) set("peak", "core_" + name, measured(record, "flops_per_s", conditions));
    if (p["threads"] == cores_) set("peak", name, measured(record, "flops_per_s", conditions));
  }

  static std::string near_or_far(const Json& p, const std::string& name) {
    return p["memory"] == "far" ? "far_" + name : name;
  }

  void set(const std::string& group, const std::string& name, Figure figure) {
    profile_.set(group, name, std::move(figure));
    ++taken_;
  }

  MachineProfile profile_;
  int cores_ = 1;
  int taken_ = 0;
};

void say_lines_in_flight(const std::vector<Json>& records, std::vector<std::string>& lines) {
  for (const Json& record : records) {
    const Json& p = record["parameters"];
    // Emulator records carry no figures.
    if (record["status"] != "ok" || record["method"] != "measure" ||
        p["quantity"] != "concurrency" || !record["values"].contains("needed_lines")) {
      continue;
    }
    const Json& values = record["values"];
    const bool gpu = is_gpu_measurement(record);
    const std::string where =
        gpu ? record["text"].value("device", std::string("GPU"))
            : fmt::format("{} thread{}", p["threads"].get<int>(), p["threads"] == 1 ? "" : "s");
    lines.push_back(fmt::format(
        "{} at {}: {} of latency and {} need {:.0f} lines in flight; a {} keeps {:.0f}",
        p["level"].get<std::string>(), where, readable("latency_s", values["latency_s"]).text(),
        readable("bandwidth_bytes_per_s", values["bandwidth_bytes_per_s"]).text(),
        values["needed_lines"].get<double>(), gpu ? "multiprocessor" : "core",
        values["kept_lines"].get<double>()));
  }
}

}  // namespace

Figure measured_figure(const Json& record, const std::string& value_name,
                       const std::string& conditions) {
  Figure figure;
  figure.value = record["values"][value_name].get<double>();
  figure.status = machine::FigureStatus::measured;
  figure.source = fmt::format("hpclab roofline ceilings, run {}", record["run"].get<std::string>());
  figure.conditions = conditions;
  if (const auto intervals = record.find("interval95");
      intervals != record.end() && intervals->contains(value_name)) {
    figure.interval95 = {(*intervals)[value_name][0].get<double>(),
                         (*intervals)[value_name][1].get<double>()};
  }
  return figure;
}

std::optional<std::string> figure_of_kind(const std::string& kind) {
  if (kind == "read" || kind == "write" || kind == "copy" || kind == "triad" || kind == "update") {
    return kind + "_bytes_per_s";
  }
  if (kind.ends_with("-nontemporal")) {
    return "nontemporal_" + kind.substr(0, kind.find('-')) + "_bytes_per_s";
  }
  return std::nullopt;
}

MachineProfile profile_from_records(const std::vector<Json>& records) {
  const bool on_gpu = std::any_of(records.begin(), records.end(), is_gpu_measurement);
  return on_gpu ? gpu_profile_from_records(records) : ProfileMaker(records).finish();
}

std::vector<std::string> conclude(const RunSummary& summary) {
  std::vector<std::string> lines;
  say_lines_in_flight(summary.records, lines);
  bool saved = false;
  for (const auto& [output, path] : summary.outputs) {
    if (output == "gpu-benches") {
      for (std::string& line : compare_with_gpu_benches(summary.records, path))
        lines.push_back(std::move(line));
    }
    if (output != "save-machine") continue;
    lines.push_back(machine::update_profile(path, profile_from_records(summary.records)));
    saved = true;
  }
  if (saved) return lines;
  const bool measured =
      std::any_of(summary.records.begin(), summary.records.end(), [](const Json& record) {
        return record["method"] == "measure" && record["backend"] == "cpu" &&
               record["status"] == "ok";
      });
  if (!summary.default_experiment || !summary.complete || !measured) return lines;
  try {
    lines.push_back("Saved profile: " +
                    machine::save_profile(profile_from_records(summary.records)).string());
  } catch (const UsageError& error) {
    lines.push_back(fmt::format("Profile not saved ({}); give --save-machine FILE", error.what()));
  }
  return lines;
}

}  // namespace hpclab::roofline::ceilings
