// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Hardware counters of a GPU by the range profiler of CUPTI, which is loaded at run time. What a
// set of metrics costs (its number of passes) is computed on any machine; counting needs a device
// and permission. Names of metrics: documentation of Nsight Compute, "Metrics Decoder".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpclab::cuda {

struct MetricSet {
  std::string name;
  std::string meaning;
  std::vector<std::string> metrics;
};

/// dram, l2, shared, flops and roofline (what a roofline needs at once).
const std::vector<MetricSet>& metric_sets();
/// UsageError with the nearest name.
const MetricSet& find_metric_set(std::string_view name);

/// Values of the metrics by name, for one run of the counted work.
using CounterValues = std::map<std::string, double>;

/// Floating-point operations by the counters of `values`: additions and multiplications count
/// one, fused multiply-adds two, for each thread that was not predicated off. An instruction on
/// packed halves counts once in the counters and twice here. Metrics that are absent count nothing.
double flops_of(const CounterValues& values);
/// Bytes to and from device memory: dram__bytes_read + dram__bytes_write.
double dram_bytes_of(const CounterValues& values);

/// The counters of one chip for one list of metrics.
class CounterConfiguration {
 public:
  virtual ~CounterConfiguration() = default;
  virtual const std::vector<std::string>& metrics() const = 0;
  /// How often the work must run until each metric was counted.
  virtual std::size_t passes() const = 0;
  /// Runs `work` once a pass on the current device context, and synchronises it. `work` must do
  /// the same each time. Throws NotAvailable when the driver refuses the counters, CudaError else.
  virtual CounterValues count(const std::function<void()>& work) const = 0;
};

class Counters {
 public:
  virtual ~Counters() = default;
  /// Chips that this CUPTI knows: "GH100" (H100, H200), "GA100" (A100), ...
  virtual std::vector<std::string> chips() const = 0;
  /// Chip of a device; needs a driver. Throws NotAvailable without.
  virtual std::string chip_of_device(int ordinal) const = 0;
  /// UsageError with the nearest name for an unknown chip or metric. Needs no driver.
  virtual std::unique_ptr<CounterConfiguration> configure(
      const std::string& chip, const std::vector<std::string>& metrics) const = 0;
};

/// Loads CUPTI: `library` or, when empty, the one of the toolkit this program was built with.
/// Throws NotAvailable with reason and mend when it is absent or the program was built without.
std::unique_ptr<Counters> load_counters(const std::string& library = {});

enum class CounterCondition { available, no_library, no_driver, no_permission };

struct CounterState {
  CounterCondition condition = CounterCondition::no_library;
  std::string reason;  ///< one sentence; empty when available
  std::string mend;
  std::size_t chips = 0;  ///< known to the library
};

/// `driver_parameters` is the text of /proc/driver/nvidia/params: RmProfilingAdminOnly 1 keeps
/// counters from users without CAP_SYS_ADMIN (`is_administrator`), error ERR_NVGPUCTRPERM.
bool counters_permitted(std::string_view driver_parameters, bool is_administrator);

/// Whether this machine and user can count, and if not, why. Starts no device context.
CounterState query_counter_state();

}  // namespace hpclab::cuda
