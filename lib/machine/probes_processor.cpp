// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Processor, caches, NUMA nodes, simultaneous multithreading, address randomisation.
#include "machine/cpu_features.hpp"
#include "machine/probe_groups.hpp"
#include "machine/topology.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

namespace hpclab::machine {
namespace {

/// The topology is read once for all probes of a registry, and only when one of them looks.
class LazyTopology {
 public:
  const Topology& get() {
    std::call_once(once_, [&] { topology_ = discover_topology(); });
    return topology_;
  }

 private:
  std::once_flag once_;
  Topology topology_;
};

std::string size_text(std::uint64_t bytes) {
  if (bytes >= 10 * (std::uint64_t{1} << 20)) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= (std::uint64_t{1} << 20) && bytes % (1u << 20) == 0) {
    return fmt::format("{} MiB", bytes >> 20);
  }
  return fmt::format("{} KiB", bytes >> 10);
}

Json instruction_set_names() {
  const InstructionSets& sets = instruction_sets();
  Json names = Json::array();
  const std::pair<bool, const char*> all[] = {{sets.avx2, "avx2"},
                                              {sets.fma, "fma"},
                                              {sets.avx512f, "avx512f"},
                                              {sets.avx512dq, "avx512dq"},
                                              {sets.avx512bw, "avx512bw"},
                                              {sets.avx512vl, "avx512vl"},
                                              {sets.avx_vnni, "avx_vnni"},
                                              {sets.avx512_vnni, "avx512_vnni"},
                                              {sets.avx512_bf16, "avx512_bf16"},
                                              {sets.avx512_fp16, "avx512_fp16"},
                                              {sets.amx_tile, "amx_tile"},
                                              {sets.amx_int8, "amx_int8"},
                                              {sets.amx_bf16, "amx_bf16"}};
  for (const auto& [present, name] : all) {
    if (present) names.push_back(name);
  }
  return names;
}

Finding look_at_cpu(const SystemRoot& root, const Topology& topology) {
  const CpuIdentity& id = cpu_identity();
  const auto rows = root.table("/proc/cpuinfo");
  const auto microcode = rows.find("microcode");
  Finding finding;
  finding.facts = {{"vendor", id.vendor},
                   {"model_name", id.brand},
                   {"family", id.family},
                   {"model", id.model},
                   {"stepping", id.stepping},
                   {"microcode", microcode == rows.end() ? "" : microcode->second},
                   {"packages", topology.packages},
                   {"cores", topology.cores},
                   {"processing_units", topology.processing_units.size()},
                   {"machine_processing_units", topology.machine_units},
                   {"code_path", widest_instruction_set()},
                   {"instruction_sets", instruction_set_names()}};
  finding.finding =
      fmt::format("{}, family {} model {}, {} cores, {} processing units allowed of {}",
                  id.brand.empty() ? id.vendor : id.brand, id.family, id.model, topology.cores,
                  topology.processing_units.size(), topology.machine_units);
  if (!can_run_avx512()) {
    finding.status = FindingStatus::note;
    finding.meaning =
        fmt::format("no AVX-512: kernels run their {} code", widest_instruction_set());
  }
  return finding;
}

Finding look_at_caches(const Topology& topology) {
  Finding finding;
  Json levels = Json::array();
  std::string text;
  for (const DataCache& cache : topology.caches) {
    levels.push_back({{"level", cache.level},
                      {"size_bytes", cache.size_bytes},
                      {"line_bytes", cache.line_bytes},
                      {"instances", cache.instances},
                      {"shared_by", cache.shared_by}});
    text += fmt::format("{}L{} {} x {}", text.empty() ? "" : ", ", cache.level, cache.instances,
                        size_text(cache.size_bytes));
  }
  finding.facts = {{"levels", levels}, {"last_level_bytes", topology.last_level_bytes()}};
  finding.finding = text.empty() ? "no cache is shown by the system" : text;
  if (topology.cache_bytes(3) == 0) {
    finding.status = FindingStatus::warning;
    finding.meaning = "the last-level cache is hidden, so arrays may be too small to leave it";
    finding.mend = "give array sizes explicitly, at least 4 times the real last-level cache";
  } else {
    finding.meaning = fmt::format("DRAM bandwidth needs arrays of at least {} each",
                                  size_text(4 * topology.last_level_bytes()));
  }
  return finding;
}

Finding look_at_numa(const Topology& topology) {
  Finding finding;
  Json nodes = Json::array();
  for (const NumaNode& node : topology.numa_nodes) {
    nodes.push_back({{"node", node.os_index},
                     {"memory_bytes", node.memory_bytes},
                     {"processing_units", node.processing_units.size()}});
  }
  finding.facts = {{"nodes", nodes}};
  finding.finding = fmt::format("{} NUMA node{}", nodes.size(), nodes.size() == 1 ? "" : "s");
  if (nodes.size() > 1) {
    finding.status = FindingStatus::note;
    finding.meaning = "memory of another node is slower; measurements pin threads and place memory";
  }
  return finding;
}

Finding look_at_smt(const SystemRoot& root) {
  Finding finding;
  const auto active = root.integer("/sys/devices/system/cpu/smt/active");
  if (!active) {
    finding.finding = "not shown by the system";
    finding.facts = {{"active", nullptr}};
    return finding;
  }
  finding.facts = {{"active", *active == 1}};
  finding.finding = *active == 1 ? "on: cores run two hardware threads" : "off";
  if (*active == 1) {
    finding.status = FindingStatus::note;
    finding.meaning =
        "another program on the second thread halves a core; hpclab pins one thread a "
        "core first";
  }
  return finding;
}

Finding look_at_aslr(const SystemRoot& root) {
  Finding finding;
  const auto mode = root.integer("/proc/sys/kernel/randomize_va_space");
  finding.facts = {{"randomize_va_space", mode ? Json(*mode) : Json(nullptr)}};
  finding.finding = !mode ? "not shown by the system" : *mode == 0 ? "off" : "on";
  if (mode && *mode != 0) {
    finding.status = FindingStatus::note;
    finding.meaning =
        "addresses differ from process to process, and some times with them; compare "
        "medians of several processes";
    finding.mend = "setarch -R hpclab ... switches it off for one process";
  }
  return finding;
}

}  // namespace

std::vector<Probe> processor_probes(const ProbeInputs& inputs) {
  const auto topology = std::make_shared<LazyTopology>();
  const SystemRoot root = inputs.root;
  return {{"cpu", "processor", true, [=] { return look_at_cpu(root, topology->get()); }},
          {"caches", "processor", true, [=] { return look_at_caches(topology->get()); }},
          {"numa", "processor", true, [=] { return look_at_numa(topology->get()); }},
          {"smt", "processor", true, [=] { return look_at_smt(root); }},
          {"aslr", "processor", false, [=] { return look_at_aslr(root); }}};
}

}  // namespace hpclab::machine
