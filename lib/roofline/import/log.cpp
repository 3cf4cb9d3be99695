// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/import/log.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "roofline/import/readers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hpclab::roofline::import {
namespace {

// Solver logs print pages of set-up before the first line that tells what they are.
constexpr std::uint64_t most_recognition_lines = 200'000;
constexpr std::size_t kept_logs = 8;

const LogFormat& recognised(formats::LineReader& lines) {
  std::string_view line;
  while (lines.line_number() < most_recognition_lines && lines.next(line)) {
    for (const LogFormat& format : log_formats()) {
      if (format.has_line(line)) return format;
    }
  }
  if (lines.line_number() == 0)
    throw UsageError(fmt::format("{}: the file is empty", lines.name()));
  throw UsageError(
      fmt::format("{}: none of its first {} lines is of a known log format; known are\n{}",
                  lines.name(), lines.line_number(), known_formats()));
}

const LogFormat& format_of(formats::LineReader& recognition, const std::string& name) {
  if (name == "auto") return recognised(recognition);
  std::vector<std::string> names;
  for (const LogFormat& format : log_formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  throw UsageError(fmt::format("unknown log format '{}'{}", name, suggestion(name, names)));
}

void make_names_unique(std::vector<Point>& points) {
  std::map<std::string, int> seen;
  for (Point& point : points) {
    const std::string name = point.name;
    for (int count = ++seen[name]; count > 1; count = ++seen[name]) {
      point.name = fmt::format("{} #{}", name, count);
      if (++seen[point.name] == 1) break;
    }
  }
}

// Numbers that are finite as printed can leave the range of doubles when multiplied.
void require_finite(const Point& point) {
  const auto check = [&point](double value, std::string_view what) {
    if (std::isfinite(value)) return;
    throw UsageError(fmt::format("{}: '{}' has {} of {}; its numbers are too large or too small",
                                 point.where, point.name, what, value));
  };
  check(point.time_s.value, "a time");
  check(point.time_s.half_unit, "a time");
  check(point.flops, "operations");
  check(point.dof, "unknowns");
  check(point.latency_s, "a latency");
  check(point.working_set_bytes, "a working set");
  check(point.working_set_a_thread_bytes, "a working set");
  for (const auto& [level, bytes] : point.bytes) check(bytes, "bytes of " + level);
  for (const auto& [figure, value] : point.figures) check(value, figure);
  for (const auto& [name, value] : point.further_values) check(value, name);
  for (const Check& printed : point.checks) {
    check(printed.printed.value, printed.name);
    check(printed.low, printed.name);
    check(printed.high, printed.name);
  }
}

struct Kept {
  std::filesystem::path path;
  std::filesystem::file_time_type changed;
  std::uintmax_t bytes = 0;
  std::string format;
  Launches launches = Launches::together;
  std::shared_ptr<const Log> log;
};

}  // namespace

const std::vector<LogFormat>& log_formats() {
  static const std::vector<LogFormat> formats{
      {"ncu", "Nsight Compute, ncu --csv (--page raw, or --metrics ...)", "gpu", is_ncu_line,
       read_ncu},
      {"rocprof-roofline", "ceilings measured by rocprof-compute (omniperf), roofline.csv", "gpu",
       is_rocprof_roofline_line, read_rocprof_roofline},
      {"rocprof",
       "counters of AMD GPUs: rocprofv3 counter_collection.csv, rocprof-compute "
       "pmc_perf.csv, rocprof results.csv",
       "gpu", is_rocprof_line, read_rocprof},
      {"likwid-bench", "likwid-bench, printed text", "cpu", is_likwid_bench_line,
       read_likwid_bench},
      {"likwid-perfctr",
       "likwid-perfctr with flops or memory groups (MEM_DP, ...), text or CSV (-O)", "cpu",
       is_likwid_perfctr_line, read_likwid_perfctr},
      {"babelstream", "BabelStream, printed text or --csv", "", is_babelstream_line,
       read_babelstream},
      {"nekrs", "nekRS, Ax: and benchmark lines with GDOF/s= GB/s= GFLOPS/s=", "", is_nekrs_line,
       read_nekrs},
      {"hipbone", "hipBone, its two result lines", "", is_hipbone_line, read_hipbone},
      {"dealii", "deal.II CEED tables: p q n_element n_dofs time/it ...", "cpu", is_dealii_line,
       read_dealii},
      {"carm", "CARM tool, roofline and applications CSV", "cpu", is_carm_line, read_carm},
      {"gpu-benches",
       "RRZE gpu-benches: gpu-stream, gpu-l2-cache, gpu-cache, gpu-latency, "
       "gpu-roofline",
       "gpu", is_gpu_benches_line, read_gpu_benches},
  };
  return formats;
}

std::string known_formats() {
  std::string text;
  for (const LogFormat& format : log_formats()) {
    text += fmt::format("{}  {:<16} {}", text.empty() ? "" : "\n", format.name, format.description);
  }
  return text;
}

Log read_log(formats::LineReader& recognition, formats::LineReader& lines,
             const std::string& format, Launches launches) {
  const LogFormat& chosen = format_of(recognition, format);
  Log log{chosen.name, chosen.read(lines, launches)};
  if (log.points.empty()) {
    throw UsageError(fmt::format("{}: no result of {} in it ({})", lines.name(), chosen.name,
                                 chosen.description));
  }
  make_names_unique(log.points);
  for (Point& point : log.points) {
    require_finite(point);
    if (point.machine_kind.empty()) point.machine_kind = chosen.machine_kind;
  }
  return log;
}

std::shared_ptr<const Log> read_log(const std::filesystem::path& path, const std::string& format,
                                    Launches launches) {
  static std::mutex mutex;
  static std::vector<Kept> kept;
  std::error_code none;
  Kept key{path,
           std::filesystem::last_write_time(path, none),
           std::filesystem::file_size(path, none),
           format,
           launches,
           nullptr};
  const std::lock_guard lock(mutex);
  const auto found = std::find_if(kept.begin(), kept.end(), [&](const Kept& k) {
    return k.path == key.path && k.changed == key.changed && k.bytes == key.bytes &&
           k.format == key.format && k.launches == key.launches;
  });
  if (found != kept.end()) return found->log;
  formats::LineReader recognition(path);
  formats::LineReader lines(path);
  key.log = std::make_shared<const Log>(read_log(recognition, lines, format, launches));
  if (kept.size() == kept_logs) kept.erase(kept.begin());
  kept.push_back(key);
  return key.log;
}

}  // namespace hpclab::roofline::import
