// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/ceilings/gpu_profile.hpp"

#include "core/error.hpp"
#include "roofline/ceilings/host_profile.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab::roofline::ceilings {
namespace {

using machine::Figure;
using machine::MachineProfile;

Figure stated(double value, const std::string& conditions) {
  Figure figure;
  figure.value = value;
  figure.status = machine::FigureStatus::published;
  figure.source = "NVIDIA driver";
  figure.conditions = conditions;
  return figure;
}

class GpuProfileMaker {
 public:
  explicit GpuProfileMaker(const std::vector<Json>& records) {
    profile_.kind = machine::MachineKind::gpu;
    for (const Json& record : records) {
      if (!is_gpu_measurement(record)) continue;
      set_device(record);
      add(record, record["parameters"]);
    }
  }

  MachineProfile finish() {
    if (taken_ == 0) throw CaseFailed("no ceiling measured on a GPU to make a profile of");
    return std::move(profile_);
  }

 private:
  void set_device(const Json& record) {
    const std::string device = record["text"].value("device", std::string());
    if (device.empty() || !profile_.name.empty()) return;
    profile_.name = gpu_profile_name(device);
    profile_.description = device + ", measured on this host";
    const Json& row = record["tables"]["device"]["rows"][0];
    const auto state = [&](const char* group, const char* name, std::size_t column) {
      const double value = row[column].get<double>();
      if (value > 0) profile_.set(group, name, stated(value, "as the driver states it"));
    };
    state("processor", "sm_count", 0);
    state("l2", "size_bytes", 1);
    state("memory", "size_bytes", 2);
    state("clock", "boost_hz", 3);
  }

  void add(const Json& record, const Json& p) {
    const std::string quantity = p["quantity"];
    const std::string conditions = conditions_of(record);
    if (quantity == "bandwidth") {
      const std::string kind = p["kind"];
      const bool named = kind == "read" || kind == "write" || kind == "copy" || kind == "triad";
      if (!named || p.value("working_set", 0.0) != 0 || p.value("conflict", 1) != 1) return;
      set(p["level"], kind + "_bytes_per_s", record, "bandwidth_bytes_per_s", conditions);
    } else if (quantity == "flops") {
      const std::string precision = p["precision"];
      set("peak",
          fmt::format("{}_{}_{}", precision, p["unit"].get<std::string>(),
                      precision == "int8" ? "ops_per_s" : "flops_per_s"),
          record, "flops_per_s", conditions);
    } else if (quantity == "latency" && p["chains"] == 1 && p.value("working_set", 0.0) == 0) {
      set(p["level"], "latency_s", record, "latency_s", "one pointer chase; " + conditions);
    } else if (quantity == "launch") {
      set("launch", p["launch_by"] == "graph" ? "graph_kernel_s" : "kernel_s", record, "launch_s",
          conditions);
    } else if (quantity == "link" && p["direction"] != "both") {
      std::string direction = p["direction"];
      std::replace(direction.begin(), direction.end(), '-', '_');
      set("link", fmt::format("{}_{}_bytes_per_s", p["host_memory"].get<std::string>(), direction),
          record, "bandwidth_bytes_per_s", conditions);
    } else if (quantity == "clock") {
      set("clock", "measured_hz", record, "clock_hz", "under fp32 multiply-adds");
    } else if (quantity == "concurrency" && p["level"] == "dram") {
      Figure figure = measured_figure(record, "needed_lines", "Little's law");
      figure.value *= 64;
      profile_.set("concurrency", "saturation_bytes", std::move(figure));
      ++taken_;
    }
  }

  static std::string conditions_of(const Json& record) {
    std::string text = record["text"].value("shape", std::string());
    if (const auto clock = record["values"].find("clock_hz"); clock != record["values"].end()) {
      text += fmt::format("{}{:.0f} MHz", text.empty() ? "" : "; ", clock->get<double>() * 1e-6);
    }
    return text;
  }

  void set(const std::string& group, const std::string& name, const Json& record,
           const std::string& value_name, const std::string& conditions) {
    profile_.set(group, name, measured_figure(record, value_name, conditions));
    ++taken_;
  }

  MachineProfile profile_;
  int taken_ = 0;
};

}  // namespace

bool is_gpu_measurement(const Json& record) {
  return record["method"] == "measure" && record["backend"] == "cuda" && record["status"] == "ok";
}

std::string gpu_profile_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter)) {
      name += static_cast<char>(std::tolower(letter));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "gpu" : name;
}

MachineProfile gpu_profile_from_records(const std::vector<Json>& records) {
  return GpuProfileMaker(records).finish();
}

}  // namespace hpclab::roofline::ceilings
