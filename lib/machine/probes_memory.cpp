// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Memory, huge pages, storage.
#include "machine/memory.hpp"
#include "machine/probe_groups.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace hpclab::machine {
namespace {

double gib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 0x1p30;
}

std::uint64_t row_bytes(const std::map<std::string, std::string>& rows, const std::string& key) {
  const auto found = rows.find(key);
  return found == rows.end() ? 0 : std::strtoull(found->second.c_str(), nullptr, 10) * 1024;
}

Finding look_at_memory(const SystemRoot& root) {
  const auto rows = root.table("/proc/meminfo");
  const std::uint64_t total = row_bytes(rows, "MemTotal");
  const std::uint64_t available = available_memory_bytes(root);
  const std::uint64_t swapped = row_bytes(rows, "SwapTotal") - row_bytes(rows, "SwapFree");
  Finding finding;
  finding.facts = {
      {"total_bytes", total}, {"available_bytes", available}, {"swapped_bytes", swapped}};
  finding.finding =
      fmt::format("{:.1f} GiB, {:.1f} GiB available to this process", gib(total), gib(available));
  if (available < total / 10) {
    finding.status = FindingStatus::warning;
    finding.meaning =
        "little memory is left; large arrays will be refused or make the machine swap";
    finding.mend = "end other programs, or raise the memory limit of the job";
  } else if (swapped > total / 100) {
    finding.status = FindingStatus::note;
    finding.meaning =
        fmt::format("{:.1f} GiB are swapped out: memory was short before", gib(swapped));
  }
  return finding;
}

/// The word in brackets of "always [madvise] never".
std::string chosen(const std::string& choices) {
  const auto open = choices.find('['), close = choices.find(']');
  if (open == std::string::npos || close == std::string::npos) return choices;
  return choices.substr(open + 1, close - open - 1);
}

Finding look_at_huge_pages(const SystemRoot& root) {
  const auto enabled = root.text("/sys/kernel/mm/transparent_hugepage/enabled");
  const auto defrag = root.text("/sys/kernel/mm/transparent_hugepage/defrag");
  const std::string reserved = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages";
  const std::int64_t pages = root.integer(reserved).value_or(0);
  const std::string mode = enabled ? chosen(*enabled) : "not built into the kernel";
  Finding finding;
  finding.facts = {{"transparent", enabled ? Json(mode) : Json(nullptr)},
                   {"defrag", defrag ? Json(chosen(*defrag)) : Json(nullptr)},
                   {"reserved_2mib_pages", pages}};
  finding.finding = fmt::format("transparent huge pages: {}; {} reserved 2 MiB pages", mode, pages);
  if (!enabled || mode == "never") {
    finding.status = FindingStatus::warning;
    finding.meaning =
        "4 KiB pages only: TLB misses lower bandwidth and raise latency of large arrays";
    finding.mend = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)";
  } else if (mode == "madvise") {
    finding.meaning = "measurements that ask for huge pages get them, others do not";
  }
  return finding;
}

Finding look_at_storage(const ProbeInputs& inputs) {
  Finding finding;
  struct statvfs here {};
  std::uint64_t free_bytes = 0;
  if (statvfs(".", &here) == 0) free_bytes = here.f_bavail * here.f_frsize;
  const bool folder_writable = access(".", W_OK) == 0;
  const auto home = inputs.variable("HOME");
  const bool home_writable = home && access(home->c_str(), W_OK) == 0;
  finding.facts = {{"free_bytes", free_bytes},
                   {"working_folder_writable", folder_writable},
                   {"home_writable", home_writable}};
  finding.finding = fmt::format("{:.1f} GiB free in the working folder; home {}", gib(free_bytes),
                                home_writable ? "writable" : "not writable");
  if (!folder_writable || free_bytes < (std::uint64_t{1} << 28)) {
    finding.status = FindingStatus::warning;
    finding.meaning = "records may not fit or cannot be written here";
    finding.mend = "give --out a path with space";
  } else if (!home_writable) {
    finding.status = FindingStatus::note;
    finding.meaning = "a measured machine profile cannot be saved in the usual place";
    finding.mend = "set XDG_DATA_HOME to a writable folder";
  }
  return finding;
}

}  // namespace

std::vector<Probe> memory_probes(const ProbeInputs& inputs) {
  const SystemRoot root = inputs.root;
  return {{"memory", "memory", true, [=] { return look_at_memory(root); }},
          {"huge-pages", "memory", true, [=] { return look_at_huge_pages(root); }},
          {"storage", "memory", false, [=] { return look_at_storage(inputs); }}};
}

}  // namespace hpclab::machine
