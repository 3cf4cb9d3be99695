// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/runner.hpp"

#include "core/clock.hpp"
#include "core/overflow.hpp"
#include "core/pairing.hpp"
#include "core/record.hpp"
#include "core/trace.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hpclab {
namespace {

// Values that the pairing adds need no declaration of their own.
bool is_declared(const Study& study, const std::string& name) {
  if (study.find_value(name)) return true;
  if (name == "error_ratio" || name == "simulation_error_ratio") return true;
  for (const char* prefix : {"predicted_", "simulated_"}) {
    if (name.starts_with(prefix) && study.find_value(name.substr(std::string_view(prefix).size())))
      return true;
  }
  return false;
}

void require_declared_values(const Study& study, const Result& result) {
  for (const auto& [name, value] : result.values().items()) {
    if (!is_declared(study, name)) {
      throw std::logic_error(fmt::format("{} returned the value '{}', which it does not declare",
                                         study.full_name(), name));
    }
  }
}

Context context_of(const Case& c, const RunOptions& options) {
  Context context;
  context.case_id = c.id;
  context.seed = c.seed;
  context.stop = options.stop;
  context.sampler = options.sampler;
  context.sampler.stop = options.stop;
  if (!c.stopping_rule.empty()) context.sampler.stopping_rule = c.stopping_rule;
  if (options.profile) context.sampler.stopping_rule = "count:1";
  if (c.machine) {
    context.machine_profile = c.machine->profile;
    context.machine_name = c.machine->name;
  }
  return context;
}

Result answer(const Case& c, Context& context) {
  static const trace::Name model_name("case/model");
  static const trace::Name simulate_name("case/simulate");
  static const trace::Name measure_name("case/measure");
  trace::set_case(c.id);
  switch (c.method) {
    case Method::model: {
      const trace::Range range(model_name, trace::Category::model);
      return c.study->model(c.parameters, context);
    }
    case Method::simulate: {
      const trace::Range range(simulate_name, trace::Category::simulate);
      return c.study->simulate(c.parameters, context);
    }
    case Method::measure: {
      const trace::Range range(measure_name, trace::Category::measure);
      return c.study->measure(c.parameters, *c.backend, context);
    }
  }
  return {};
}

// Measures with the profiler watching: one sample is no measurement, and the record says so.
Result profiled_answer(const Case& c, Context& context, const ProfilerHook& profiler) {
  bool opened = false;
  context.sampler.profiler = profiler;
  context.sampler.profiler.begin = [&] {
    opened = true;
    if (profiler.begin) profiler.begin();
  };
  Result result = answer(c, context);
  result.set_text("profiled", "true");
  if (!opened)
    result.add_note("the profiler saw no sample: this case is not measured by the sampler");
  return result;
}

// Runs one case; only Interrupted leaves this function.
Json run_case(const Case& c, const RunOptions& options, const PredictionBook* book) {
  Result result;
  if (c.skip_reason)
    return case_record(c, options.run_id, CaseStatus::skipped, result, *c.skip_reason);
  try {
    Context context = context_of(c, options);
    const bool profiled = options.profile && c.method == Method::measure;
    result = profiled ? profiled_answer(c, context, *options.profile) : answer(c, context);
    if (book) book->pair(c, result);
    require_declared_values(*c.study, result);
    Json record = case_record(c, options.run_id, CaseStatus::ok, result);
    if (profiled) record.erase("interval95");
    if (c.method == Method::measure) record["stopping_rule"] = context.sampler.stopping_rule;
    return options.whole_records ? record : fit_record(std::move(record), options.overflow_folder);
  } catch (const Interrupted&) {
    throw;
  } catch (const CaseSkipped& skipped) {
    return case_record(c, options.run_id, CaseStatus::skipped, Result(), skipped.what());
  } catch (const FigureMissing& missing) {
    const CaseStatus status = c.from_defaults ? CaseStatus::skipped : CaseStatus::failed;
    return case_record(c, options.run_id, status, Result(), missing.what());
  } catch (const NotAvailable& missing) {
    return case_record(c, options.run_id, CaseStatus::skipped, Result(), missing.what());
  } catch (const std::bad_alloc&) {
    return case_record(c, options.run_id, CaseStatus::failed, Result(), "not enough memory");
  } catch (const std::exception& error) {
    return case_record(c, options.run_id, CaseStatus::failed, Result(), error.what());
  }
}

class Run {
 public:
  Run(const std::vector<Case>& cases, const RunOptions& options)
      : cases_(cases), options_(options) {
    outcome_.records.resize(cases.size());
  }

  RunOutcome run() {
    const double start = now_s();
    std::size_t predictions = 0;
    while (predictions < cases_.size() && cases_[predictions].method != Method::measure)
      ++predictions;
    run_predictions(predictions);
    for (std::size_t i = predictions; i < cases_.size() && !outcome_.interrupted; ++i) {
      if (take_if_finished(i)) continue;
      try {
        options_.stop.throw_if_requested();
        finish(i, run_case(cases_[i], options_, &book_));
      } catch (const Interrupted&) {
        outcome_.interrupted = true;
      }
    }
    std::erase_if(outcome_.records, [](const Json& record) { return record.is_null(); });
    outcome_.seconds = now_s() - start;
    return std::move(outcome_);
  }

 private:
  bool take_if_finished(std::size_t i) {
    const auto found = options_.finished.find(cases_[i].id);
    if (found == options_.finished.end()) return false;
    outcome_.records[i] = found->second;
    ++outcome_.already_finished;
    book_.add(cases_[i], found->second);
    report_progress();
    return true;
  }

  void finish(std::size_t i, Json record) {
    options_.take_record(record);
    const auto& status = record["status"].get_ref<const std::string&>();
    ++(status == "ok" ? outcome_.ok : status == "failed" ? outcome_.failed : outcome_.skipped);
    book_.add(cases_[i], record);
    outcome_.records[i] = std::move(record);
    report_progress();
  }

  void report_progress() {
    ++done_;
    if (options_.progress) options_.progress(done_, cases_.size());
  }

  // Threads take the next case; records leave in case order, each as soon as all before it have.
  void run_predictions(std::size_t count) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < count; ++i) {
      if (!take_if_finished(i)) open.push_back(i);
    }
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stopped{false};
    std::mutex mutex;
    std::unordered_map<std::size_t, Json> waiting;
    std::size_t written = 0;
    std::exception_ptr failure;
    const auto work = [&] {
      for (;;) {
        const std::size_t k = next++;
        if (k >= open.size() || stopped) return;
        try {
          options_.stop.throw_if_requested();
          Json record = run_case(cases_[open[k]], options_, nullptr);
          const std::scoped_lock lock(mutex);
          waiting.emplace(k, std::move(record));
          for (auto ready = waiting.find(written); ready != waiting.end() && !failure;
               ready = waiting.find(written)) {
            finish(open[written], std::move(ready->second));
            waiting.erase(ready);
            ++written;
          }
        } catch (const Interrupted&) {
          stopped = true;
          const std::scoped_lock lock(mutex);
          outcome_.interrupted = true;
        } catch (...) {
          stopped = true;
          const std::scoped_lock lock(mutex);
          if (!failure) failure = std::current_exception();
        }
      }
    };
    std::vector<std::jthread> helpers;
    for (std::uint64_t j = 1; j < std::min<std::uint64_t>(options_.jobs, open.size()); ++j)
      helpers.emplace_back(work);
    work();
    helpers.clear();
    if (failure) std::rethrow_exception(failure);
    // Interrupted: cases that ended after a gap are whole too, so nothing that was computed is
    // lost.
    std::vector<std::size_t> rest;
    for (const auto& [k, record] : waiting) rest.push_back(k);
    std::sort(rest.begin(), rest.end());
    for (std::size_t k : rest) finish(open[k], std::move(waiting[k]));
  }

  const std::vector<Case>& cases_;
  const RunOptions& options_;
  RunOutcome outcome_;
  PredictionBook book_;
  std::size_t done_ = 0;
};

}  // namespace

RunOutcome run_cases(const std::vector<Case>& cases, const RunOptions& options) {
  return Run(cases, options).run();
}

}  // namespace hpclab
