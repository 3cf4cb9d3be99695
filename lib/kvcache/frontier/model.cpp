// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/frontier/model.hpp"

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "kvcache/frontier/measured_rows.hpp"
#include "kvcache/frontier/step_time.hpp"
#include "kvcache/gpu_memory.hpp"
#include "kvcache/sizing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace hpclab::kvcache::frontier {
namespace {

using Parts = std::vector<std::pair<const char*, double>>;

Parts parts_of(const StepTime& time) {
  return {{"reading weights", time.weights_memory_s},
          {"arithmetic of weights", time.weights_compute_s},
          {"attention", time.attention_s},
          {"exchanges between ranks", time.exchange_s},
          {"starts of kernels", time.launch_s},
          {"prompts of other requests", time.prompts_s}};
}

void set_parts(Result& result, const StepTime& time) {
  Table table{{"part", "time", "share"}, {"", "s", "ratio"}, {}};
  const Parts parts = parts_of(time);
  for (const auto& [name, seconds] : parts) {
    table.rows.push_back({name, seconds, seconds / time.total_s()});
  }
  result.set_table("parts", table);
  const auto largest = std::max_element(
      parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  result.set_text("bound", largest->first);
}

GpuRates at_bandwidth(GpuRates rates, double bytes_per_s) {
  rates.bytes_per_s = bytes_per_s;
  return rates;
}

// Output tokens a second of all requests: each generates one a step; where prompts count, a request
// also waits for its own.
double tokens_per_s(const StepModel& model, const Load& load, double step_s) {
  if (load.output <= 0) return load.batch / step_s;
  const double prompt = std::max(1.0, load.context - load.output / 2);
  const double request_s = model.prompt_s(prompt) + (load.output - 1) * step_s;
  return load.batch * load.output / request_s;
}

void set_gap(Result& result, const Parameters& p, const StepModel& model, const Load& load,
             double gain) {
  const double alone_s = model.step({1, load.context, load.output}).total_s();
  const double together_s = model.step(load).total_s();
  const double implied_s = implied_request_s(alone_s, together_s, load.batch, p.observed_gain);
  result.set_value("implied_request_s", implied_s);
  result.set_text(
      "gap",
      fmt::format("{:.4g} instead of {:.3g} times: {:.3g} ms a request and step outside of "
                  "the roofline (scheduling, sampling, detokenising{}), {:.0f} % of the step",
                  p.observed_gain, gain, 1e3 * implied_s,
                  p.output > 0 ? "" : ", prompts of other requests",
                  100 * load.batch * implied_s / (together_s + load.batch * implied_s)));
}

Result step_result(const Parameters& p, const ModelDescription& description,
                   const machine::MachineProfile& profile) {
  const GpuMemory gpu = gpu_memory(profile);
  const std::int64_t longest = p.context + (p.output + 1) / 2;
  const Sizing sizing = size_deployment(description, nullptr, gpu, deployment_of(p, longest));
  const GpuRates rates = gpu_rates(profile);
  const StepModel model(description, sizing.deployment, rates, p);
  const double limit = std::floor(sizing.pool.concurrency) * static_cast<double>(p.dp);
  Load load;
  load.batch = std::min(static_cast<double>(p.batch), limit);
  load.context = static_cast<double>(p.context);
  load.output = static_cast<double>(p.output);
  const StepTime time = model.step(load);
  const double all = tokens_per_s(model, load, time.total_s());
  const Load single{1, load.context, load.output};
  const double gain = all / tokens_per_s(model, single, model.step(single).total_s());

  Result result;
  const auto at = [&](double bytes_per_s) {
    const StepModel other(description, sizing.deployment, at_bandwidth(rates, bytes_per_s), p);
    return other.step(load).total_s();
  };
  result.set_value("time_s", time.total_s(), at(rates.high_bytes_per_s), at(rates.low_bytes_per_s));
  result.set_value("tokens_per_s", all);
  result.set_value("request_tokens_per_s", all / static_cast<double>(p.batch));
  result.set_value("gain_ratio", gain);
  result.set_value("ridge_batch", model.ridge_batch());
  result.set_value("concurrency", limit);
  result.set_value("kv_bytes", std::ceil(load.batch / static_cast<double>(p.dp)) *
                                   static_cast<double>(model.cache().sequence_bytes(p.context)));
  result.set_value("kv_use_ratio", *result.value("kv_bytes") / sizing.pool.kv_bytes);
  result.set_value("weights_bytes", sizing.weight_bytes);
  result.set_work("weight_bytes", time.weight_bytes);
  result.set_work("cache_bytes", time.cache_bytes);
  result.set_work("flops", time.flops);
  set_parts(result, time);
  if (static_cast<double>(p.batch) > limit) {
    result.set_text("bound", "memory: requests wait");
    result.add_note(
        fmt::format("{} requests of {} tokens do not fit: {:.0f} are served at once, "
                    "the others wait",
                    p.batch, longest, limit));
  }
  if (p.observed_gain > 0) set_gap(result, p, model, load, gain);
  result.set_text("model", fmt::format("{} on {}", description.name, profile.name));
  result.set_text("cache", description.cache_kind());
  for (const std::string& note : rates.notes) result.add_note(note);
  return result;
}

Result check_result(const Parameters& p, const ModelDescription& description,
                    const machine::MachineProfile& profile) {
  if (p.measured.empty()) throw CaseFailed("quantity=check needs measured=FILE");
  const std::vector<MeasuredRow> rows = read_measured_rows(formats::LineReader(p.measured), p.rows);
  const GpuMemory gpu = gpu_memory(profile);
  const StepModel model(description, resolve(deployment_of(p, 0), description, gpu),
                        gpu_rates(profile), p);
  Table table{{"input", "output", "requests", "measured", "predicted", "error", "largest_part"},
              {"tokens", "tokens", "", "s", "s", "ratio", ""},
              {}};
  std::vector<double> errors, distances, decode_only;
  for (const MeasuredRow& row : rows) {
    const auto output = static_cast<double>(row.output_tokens);
    const StepTime time = model.step({static_cast<double>(row.concurrency),
                                      static_cast<double>(row.input_tokens) + output / 2, output});
    const double error = time.total_s() / row.tpot_s - 1;
    errors.push_back(error);
    distances.push_back(std::abs(error));
    decode_only.push_back(std::abs((time.total_s() - time.prompts_s) / row.tpot_s - 1));
    const Parts parts = parts_of(time);
    const auto largest =
        std::max_element(parts.begin(), parts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    table.rows.push_back({row.input_tokens, row.output_tokens, row.concurrency, row.tpot_s,
                          time.total_s(), error, largest->first});
  }
  Result result;
  result.set_value("tpot_error_median_ratio", median(distances));
  result.set_value("tpot_bias_median_ratio", median(errors));
  result.set_value("decode_only_error_median_ratio", median(decode_only));
  result.set_value("rows_count", static_cast<double>(rows.size()));
  result.set_table("rows", table);
  result.set_text("model", fmt::format("{} on {}", description.name, profile.name));
  for (const std::string& note : gpu_rates(profile).notes) result.add_note(note);
  return result;
}

}  // namespace

double implied_request_s(double alone_s, double together_s, double batch, double gain) {
  const double numerator = batch * alone_s - gain * together_s;
  if (batch <= 1 || gain <= 1 || numerator < 0) {
    throw CaseFailed(fmt::format(
        "observed_gain = {:.4g} explains nothing at {:.0f} requests: the roofline gains {:.4g} "
        "times, and what it leaves out can only gain less than that and more than once",
        gain, batch, batch * alone_s / together_s));
  }
  return numerator / (batch * (gain - 1));
}

Result model(const Parameters& p, Context&) {
  const ModelDescription description = model_of(p);
  const machine::MachineProfile profile = machine::read_profile(p.gpu);
  return p.quantity == Quantity::step ? step_result(p, description, profile)
                                      : check_result(p, description, profile);
}

}  // namespace hpclab::kvcache::frontier
