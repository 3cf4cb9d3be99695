// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/overhead/fit.hpp"

#include "kvcache/overhead.hpp"
#include "kvcache/rank_weights.hpp"

#include <algorithm>
#include <cmath>

namespace hpclab::kvcache::overhead {
namespace {

constexpr EngineVersion leaner_graphs{0, 12, 0};
constexpr EngineVersion captures_while_profiling{0, 17, 0};
constexpr EngineVersion counts_consumed{0, 25, 0};
constexpr EngineVersion counts_stable_growth{0, 6, 5};

// What counting buffers says where no log says anything.
OverheadConstants counted() {
  OverheadConstants c;
  c.sampling_by_sorting = 9.5;     // 0.5 + 1 + (1 + 2) for the result and as much again + 2
  c.sampling_by_flashinfer = 1.5;  // 0.5 + 1
  c.graph_layer_bytes = 200e3;
  c.graph_layer_bytes_before_012 = 200e3;
  c.library_alone = 0;
  c.library_alone_rehearsed = 0.2 * gib;
  c.library_alone_consumed = 0.2 * gib;
  c.library_nvlink_pair = gib;
  c.library_nvlink_doubling = 0;
  c.library_pcie = 0.2 * gib;
  c.library_pcie_consumed = gib;
  c.delta_rule_elements = 8;
  return c;
}

class Collector {
 public:
  void add(const std::string& constant, const std::string& id, double value) {
    auto found = std::find_if(evidence_.begin(), evidence_.end(),
                              [&](const Evidence& e) { return e.constant == constant; });
    if (found == evidence_.end()) {
      evidence_.push_back({constant, {}, {}});
      found = evidence_.end() - 1;
    }
    found->ids.push_back(id);
    found->values.push_back(value);
  }
  void set(const std::string& constant, double& value) const {
    for (const Evidence& e : evidence_) {
      if (e.constant == constant) value = e.median();
    }
  }
  std::vector<Evidence> take() { return std::move(evidence_); }

 private:
  std::vector<Evidence> evidence_;
};

void collect_activation(const StartUpLog& log, Collector& collector) {
  const auto peak = log.bytes("activation");
  if (!peak) return;
  const Deployment& d = log.deployment;
  const OverheadConstants none;
  const Overhead overhead(log.model, d, log.gpu, none);
  // Where graphs are printed within the peak, what was estimated for them comes off.
  const double alone = *peak - log.bytes("graphs_in_peak").value_or(0);
  const bool delta = std::any_of(log.model.layers.begin(), log.model.layers.end(),
                                 [](const Layer& l) { return l.mixer == Mixer::recurrent_state; });
  if (overhead.sampling_bytes() > overhead.layer_bytes()) {
    const double units = (alone - overhead.hidden_bytes()) / overhead.logit_bytes();
    if (overhead.samples_by_sorting()) collector.add("sampling_by_sorting", log.id, units);
    if (overhead.samples_by_flashinfer()) collector.add("sampling_by_flashinfer", log.id, units);
  } else if (delta) {
    // Per convolved channel, beside a layer's input, residual and result.
    double channels = 0;
    for (const Layer& layer : log.model.layers) {
      if (layer.mixer == Mixer::recurrent_state) {
        channels = static_cast<double>(layer.recurrence.convolution_channels());
      }
    }
    const double per_token = alone / 2 / static_cast<double>(d.max_batched_tokens);
    collector.add("delta_rule_elements", log.id,
                  (per_token - static_cast<double>(3 * log.model.hidden)) *
                      static_cast<double>(d.tensor_parallel) / channels);
  }
}

void collect_libraries(const StartUpLog& log, Collector& collector) {
  const Deployment& d = log.deployment;
  auto bytes = log.bytes("libraries");
  if (const auto consumed = log.bytes("consumed"); consumed && log.bytes("weights")) {
    bytes = *consumed - *log.bytes("weights");
  }
  if (!bytes || d.version < counts_stable_growth) return;
  const bool consumed = d.version >= counts_consumed;
  const std::int64_t ranks = d.tensor_parallel;
  if (ranks == 1) {
    collector.add(consumed                                ? "library_alone_consumed"
                  : d.version >= captures_while_profiling ? "library_alone_rehearsed"
                                                          : "library_alone",
                  log.id, *bytes);
  } else if (log.gpu.fast_links) {
    if (ranks == 2) collector.add("library_nvlink_pair", log.id, *bytes);
    if (ranks == 4) collector.add("library_nvlink_four", log.id, *bytes);
  } else {
    collector.add(consumed ? "library_pcie_consumed" : "library_pcie", log.id, *bytes);
  }
}

void collect_graphs(const StartUpLog& log, Collector& collector) {
  const auto graphs = log.bytes("graphs");
  if (!graphs || log.deployment.graph_max_batch == 0) return;
  const Overhead overhead(log.model, log.deployment, log.gpu);
  const double nodes = std::max(0.0, *graphs - overhead.graph_buffer_bytes());
  collector.add(
      log.deployment.version < leaner_graphs ? "graph_layer_bytes_before_012" : "graph_layer_bytes",
      log.id, nodes / overhead.graph_layers());
}

}  // namespace

double Evidence::median() const {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

Fit fit_constants(const std::vector<StartUpLog>& logs, std::size_t without) {
  Collector collector;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (i == without || !logs[i].in_fit) continue;
    collect_activation(logs[i], collector);
    collect_libraries(logs[i], collector);
    collect_graphs(logs[i], collector);
  }
  Fit fit;
  fit.constants = counted();
  OverheadConstants& c = fit.constants;
  collector.set("sampling_by_sorting", c.sampling_by_sorting);
  collector.set("sampling_by_flashinfer", c.sampling_by_flashinfer);
  collector.set("graph_layer_bytes", c.graph_layer_bytes);
  c.graph_layer_bytes_before_012 = c.graph_layer_bytes;
  collector.set("graph_layer_bytes_before_012", c.graph_layer_bytes_before_012);
  collector.set("library_alone", c.library_alone);
  collector.set("library_alone_rehearsed", c.library_alone_rehearsed);
  collector.set("library_alone_consumed", c.library_alone_consumed);
  collector.set("library_nvlink_pair", c.library_nvlink_pair);
  double four = c.library_nvlink_pair + c.library_nvlink_doubling;
  collector.set("library_nvlink_four", four);
  c.library_nvlink_doubling = std::max(0.0, four - c.library_nvlink_pair);
  collector.set("library_pcie", c.library_pcie);
  collector.set("library_pcie_consumed", c.library_pcie_consumed);
  collector.set("delta_rule_elements", c.delta_rule_elements);
  fit.evidence = collector.take();
  return fit;
}

double predicted_available(const StartUpLog& log, const OverheadConstants& constants) {
  const Deployment& d = log.deployment;
  double weights = 0;
  if (const auto stated = log.bytes("weights_given")) {
    weights = *stated;
  } else {
    weights = rank_weights(log.model, d,
                           {0, static_cast<std::int64_t>(log.model.layers.size()), true, true})
                  .total();
  }
  return log.gpu.total_bytes * d.memory_fraction - weights -
         Overhead(log.model, d, log.gpu, constants).in_budget();
}

}  // namespace hpclab::kvcache::overhead
