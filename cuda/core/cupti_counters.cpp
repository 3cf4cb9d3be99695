// hpclab: SPDX-License-Identifier: Apache-2.0
//
// The range profiler of CUPTI (13.0 guide, "Range Profiling API"): its host half configures and
// evaluates without a driver, its target half counts user ranges that are replayed once a pass.
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "cuda/core/counters.hpp"
#include "cuda/core/cuda_error.hpp"
#include "cuda/core/dynamic_library.hpp"

#include <algorithm>

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>

namespace hpclab::cuda {
namespace {

constexpr const char* permission_mend =
    "Load the nvidia module with NVreg_RestrictProfilingToAdminUsers=0, or run with the capability "
    "SYS_ADMIN";

/// CUPTI by symbol: the type of a function follows from its parameter structure.
class Cupti {
 public:
  explicit Cupti(const std::string& name) : shared_(name) {}

  bool loaded() const { return shared_.loaded(); }
  const std::string& reason() const { return shared_.reason(); }

  template <class Parameters>
  CUptiResult result(const char* symbol, Parameters& parameters) const {
    auto* function = shared_.find<CUptiResult(Parameters*)>(symbol);
    return function == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : function(&parameters);
  }

  template <class Parameters>
  void call(const char* symbol, Parameters& parameters) const {
    const CUptiResult code = result(symbol, parameters);
    if (code == CUPTI_SUCCESS) return;
    if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
        code == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
      throw NotAvailable("GPU counters: the driver keeps them from this user (ERR_NVGPUCTRPERM)",
                         permission_mend);
    }
    const char* text = nullptr;
    auto* name_of_code =
        shared_.find<CUptiResult(CUptiResult, const char**)>("cuptiGetResultString");
    if (name_of_code != nullptr) name_of_code(code, &text);
    throw CudaError(fmt::format("GPU counters: {} answers {} ({})", symbol, static_cast<int>(code),
                                text == nullptr ? "unknown" : text),
                    static_cast<int>(code));
  }

 private:
  DynamicLibrary shared_;
};

/// A parameter structure of CUPTI, empty but for its size: sizeof would count padding.
template <class Parameters>
Parameters sized(std::size_t bytes) {
  Parameters parameters{};
  parameters.structSize = bytes;
  return parameters;
}
#define HPCLAB_CUPTI_PARAMETERS(type) sized<type>(type##_STRUCT_SIZE)

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

/// The host object of one chip.
class Host {
 public:
  Host(const Cupti& cupti, const std::string& chip) : cupti_(cupti) {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip.c_str();
    cupti_.call("cuptiProfilerHostInitialize", p);
    object_ = p.pHostObject;
  }
  ~Host() {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params);
    p.pHostObject = object_;
    cupti_.result("cuptiProfilerHostDeinitialize", p);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  CUpti_Profiler_Host_Object* object() const { return object_; }

  std::vector<std::string> base_metrics(CUpti_MetricType type) const {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetBaseMetrics_Params);
    p.pHostObject = object_;
    p.metricType = type;
    cupti_.call("cuptiProfilerHostGetBaseMetrics", p);
    return {p.ppMetricNames, p.ppMetricNames + p.numMetrics};
  }

  std::vector<std::string> sub_metrics(const std::string& base, CUpti_MetricType type) const {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSubMetrics_Params);
    p.pHostObject = object_;
    p.metricType = type;
    p.pMetricName = base.c_str();
    cupti_.call("cuptiProfilerHostGetSubMetrics", p);
    return {p.ppSubMetrics, p.ppSubMetrics + p.numOfSubmetrics};
  }

 private:
  const Cupti& cupti_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

/// Says what is wrong with a metric that CUPTI refused; returns when nothing seems to be.
void explain_metric(const Host& host, const std::string& chip, const std::string& metric) {
  const std::size_t dot = std::min(metric.find('.'), metric.size());
  const std::string base = metric.substr(0, dot);
  std::vector<std::string> known;
  for (const CUpti_MetricType type :
       {CUPTI_METRIC_TYPE_COUNTER, CUPTI_METRIC_TYPE_RATIO, CUPTI_METRIC_TYPE_THROUGHPUT}) {
    const std::vector<std::string> names = host.base_metrics(type);
    if (std::find(names.begin(), names.end(), base) != names.end()) {
      std::vector<std::string> endings = host.sub_metrics(base, type);
      for (std::string& ending : endings) {
        if (!ending.starts_with('.')) ending.insert(0, ".");
      }
      const std::string given = metric.substr(dot);
      if (std::find(endings.begin(), endings.end(), given) != endings.end()) return;
      throw UsageError(fmt::format("GPU metric '{}': {} has no '{}'{}", metric, base, given,
                                   suggestion(given, endings)));
    }
    known.insert(known.end(), names.begin(), names.end());
  }
  throw UsageError(
      fmt::format("unknown GPU metric '{}' of {}{}", metric, chip, suggestion(base, known)));
}

/// Functions of the driver that counting needs beside CUPTI.
class Driver {
 public:
  Driver() : shared_("libcuda.so.1") {}

  CUcontext context() const {
    CUcontext current = nullptr;
    auto* get = shared_.find<CUresult(CUcontext*)>("cuCtxGetCurrent");
    if (get == nullptr || get(&current) != CUDA_SUCCESS || current == nullptr) {
      throw NotAvailable("GPU counters: this thread has no device context",
                         "Open a device before counting");
    }
    return current;
  }
  void synchronise() const {
    auto* wait = shared_.find<CUresult()>("cuCtxSynchronize");
    const CUresult code = wait == nullptr ? CUDA_ERROR_NOT_FOUND : wait();
    if (code != CUDA_SUCCESS) {
      throw CudaError(fmt::format("GPU counters: cuCtxSynchronize answers {}", int{code}), code);
    }
  }

 private:
  DynamicLibrary shared_;
};

void initialise_target(const Cupti& cupti) {
  auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params);
  cupti.call("cuptiProfilerInitialize", p);
}

/// The target half, enabled on a context from construction to destruction.
class RangeProfiler {
 public:
  RangeProfiler(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params);
    p.ctx = context;
    cupti_.call("cuptiRangeProfilerEnable", p);
    object_ = p.pRangeProfilerObject;
  }
  ~RangeProfiler() {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params);
    p.pRangeProfilerObject = object_;
    cupti_.result("cuptiRangeProfilerDisable", p);
  }
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Room for the counters of one range.
  std::vector<std::uint8_t> counter_data(const std::vector<std::string>& metrics) const {
    std::vector<const char*> names = pointers_to(metrics);
    auto size = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    cupti_.call("cuptiRangeProfilerGetCounterDataSize", size);
    std::vector<std::uint8_t> data(size.counterDataSize);
    auto clear = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    clear.pRangeProfilerObject = object_;
    clear.counterDataSize = data.size();
    clear.pCounterData = data.data();
    cupti_.call("cuptiRangeProfilerCounterDataImageInitialize", clear);
    return data;
  }

  void configure(const std::vector<std::uint8_t>& image, std::vector<std::uint8_t>& data) const {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params);
    p.pRangeProfilerObject = object_;
    p.configSize = image.size();
    p.pConfig = image.data();
    p.counterDataImageSize = data.size();
    p.pCounterDataImage = data.data();
    p.range = CUPTI_UserRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = 1;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.passIndex = 0;
    p.targetNestingLevel = 1;
    cupti_.call("cuptiRangeProfilerSetConfig", p);
  }

  /// One pass; true when it was the last.
  bool pass(const std::function<void()>& work, const Driver& driver) const {
    auto start = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params);
    start.pRangeProfilerObject = object_;
    cupti_.call("cuptiRangeProfilerStart", start);
    auto push = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_PushRange_Params);
    push.pRangeProfilerObject = object_;
    push.pRangeName = "hpclab";
    cupti_.call("cuptiRangeProfilerPushRange", push);
    work();
    driver.synchronise();
    auto pop = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_PopRange_Params);
    pop.pRangeProfilerObject = object_;
    cupti_.call("cuptiRangeProfilerPopRange", pop);
    auto stop = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params);
    stop.pRangeProfilerObject = object_;
    cupti_.call("cuptiRangeProfilerStop", stop);
    return stop.isAllPassSubmitted != 0;
  }

  void decode() const {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params);
    p.pRangeProfilerObject = object_;
    cupti_.call("cuptiRangeProfilerDecodeData", p);
    if (p.numOfRangeDropped != 0)
      throw CudaError("GPU counters: CUPTI dropped the counted range", CUPTI_ERROR_UNKNOWN);
  }

 private:
  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

class Configuration : public CounterConfiguration {
 public:
  Configuration(std::shared_ptr<const Cupti> cupti, const std::string& chip,
                const std::vector<std::string>& metrics)
      : cupti_(std::move(cupti)), host_(*cupti_, chip), metrics_(metrics) {
    std::vector<const char*> names = pointers_to(metrics_);
    auto add = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
    add.pHostObject = host_.object();
    add.ppMetricNames = names.data();
    add.numMetrics = names.size();
    if (cupti_->result("cuptiProfilerHostConfigAddMetrics", add) != CUPTI_SUCCESS) {
      for (const std::string& metric : metrics_) explain_metric(host_, chip, metric);
      cupti_->call("cuptiProfilerHostConfigAddMetrics", add);
    }
    auto size = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params);
    size.pHostObject = host_.object();
    cupti_->call("cuptiProfilerHostGetConfigImageSize", size);
    image_.resize(size.configImageSize);
    auto image = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params);
    image.pHostObject = host_.object();
    image.configImageSize = image_.size();
    image.pConfigImage = image_.data();
    cupti_->call("cuptiProfilerHostGetConfigImage", image);
    auto passes = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params);
    passes.configImageSize = image_.size();
    passes.pConfigImage = image_.data();
    cupti_->call("cuptiProfilerHostGetNumOfPasses", passes);
    passes_ = passes.numOfPasses;
  }

  const std::vector<std::string>& metrics() const override { return metrics_; }
  std::size_t passes() const override { return passes_; }

  CounterValues count(const std::function<void()>& work) const override {
    const Driver driver;
    CUcontext context = driver.context();
    initialise_target(*cupti_);
    const RangeProfiler profiler(*cupti_, context);
    std::vector<std::uint8_t> data = profiler.counter_data(metrics_);
    profiler.configure(image_, data);
    bool finished = false;
    for (std::size_t pass = 0; !finished; ++pass) {
      if (pass == passes_)
        throw CudaError("GPU counters: CUPTI asks for more passes than it announced",
                        CUPTI_ERROR_UNKNOWN);
      finished = profiler.pass(work, driver);
    }
    profiler.decode();
    return evaluate(data);
  }

 private:
  CounterValues evaluate(const std::vector<std::uint8_t>& data) const {
    std::vector<const char*> names = pointers_to(metrics_);
    std::vector<double> numbers(names.size());
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    p.pHostObject = host_.object();
    p.pCounterDataImage = data.data();
    p.counterDataImageSize = data.size();
    p.rangeIndex = 0;
    p.ppMetricNames = names.data();
    p.numMetrics = names.size();
    p.pMetricValues = numbers.data();
    cupti_->call("cuptiProfilerHostEvaluateToGpuValues", p);
    CounterValues values;
    for (std::size_t i = 0; i < numbers.size(); ++i) values[metrics_[i]] = numbers[i];
    return values;
  }

  std::shared_ptr<const Cupti> cupti_;
  Host host_;
  std::vector<std::string> metrics_;
  std::vector<std::uint8_t> image_;
  std::size_t passes_ = 0;
};

class CuptiCounters : public Counters {
 public:
  explicit CuptiCounters(std::shared_ptr<const Cupti> cupti) : cupti_(std::move(cupti)) {}

  std::vector<std::string> chips() const override {
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips_Params);
    cupti_->call("cuptiProfilerHostGetSupportedChips", p);
    return {p.ppChipNames, p.ppChipNames + p.numChips};
  }

  std::string chip_of_device(int ordinal) const override {
    initialise_target(*cupti_);
    auto p = HPCLAB_CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params);
    p.deviceIndex = static_cast<std::size_t>(ordinal);
    cupti_->call("cuptiDeviceGetChipName", p);
    return p.pChipName;
  }

  std::unique_ptr<CounterConfiguration> configure(
      const std::string& chip, const std::vector<std::string>& metrics) const override {
    const std::vector<std::string> known = chips();
    if (std::find(known.begin(), known.end(), chip) == known.end())
      throw UsageError(fmt::format("unknown GPU chip '{}'{}", chip, suggestion(chip, known)));
    return std::make_unique<Configuration>(cupti_, chip, metrics);
  }

 private:
  std::shared_ptr<const Cupti> cupti_;
};

// The structures grow with CUPTI's major version: the library must be the one of the headers.
std::vector<std::string> default_libraries() {
  const std::string name = fmt::format("libcupti.so.{}", CUDA_VERSION / 1000);
  return {name, HPCLAB_CUPTI_FOLDER "/" + name};
}

std::shared_ptr<const Cupti> default_cupti(std::string& reason) {
  for (const std::string& name : default_libraries()) {
    auto cupti = std::make_shared<const Cupti>(name);
    if (cupti->loaded()) return cupti;
    if (reason.empty()) reason = cupti->reason();
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<Counters> load_counters(const std::string& library) {
  // CUPTI hooks into the driver and must not be unloaded before the process ends: the first handle
  // is kept for good.
  static std::string reason;
  static const auto* kept = new std::shared_ptr<const Cupti>(default_cupti(reason));
  std::shared_ptr<const Cupti> cupti = *kept;
  std::string why = reason;
  if (!library.empty()) {
    cupti = std::make_shared<const Cupti>(library);
    why = cupti->reason();
  }
  if (!cupti || !cupti->loaded()) {
    throw NotAvailable(fmt::format("GPU counters: {}", why),
                       "CUPTI comes with the CUDA toolkit; put its folder on LD_LIBRARY_PATH");
  }
  return std::make_unique<CuptiCounters>(std::move(cupti));
}

}  // namespace hpclab::cuda
