// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/sizing.hpp"

#include "core/error.hpp"
#include "kvcache/overhead.hpp"
#include "kvcache/overhead_constants.hpp"
#include "kvcache/rank_weights.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache {
namespace {

// The model's layers, then those of what drafts: a model of its own, or the model's predictor.
std::vector<Layer> cached_layers(const ModelDescription& model, const ModelDescription* draft,
                                 const Deployment& d) {
  std::vector<Layer> layers = model.layers;
  const auto append = [&](const std::vector<Layer>& more) {
    const auto base = static_cast<std::int64_t>(layers.size());
    for (Layer layer : more) {
      if (layer.shares_cache_of) *layer.shares_cache_of += base;
      layers.push_back(std::move(layer));
    }
  };
  if (draft) append(draft->layers);
  if (d.predict_tokens) {
    if (model.prediction_layers.empty()) {
      throw CaseFailed(fmt::format("{} has no layers that predict further tokens", model.name));
    }
    append(model.prediction_layers);
  }
  return layers;
}

// Everything of one stage that is not cache.
struct StageAccount {
  RankWeights weights;
  Estimate draft_weights;
  Stage stage;
};

class Sizer {
 public:
  Sizer(const ModelDescription& model, const ModelDescription* draft, const GpuMemory& gpu,
        const Deployment& deployment)
      : model_(model), draft_(draft), gpu_(gpu), d_(resolve(deployment, model, gpu)) {}

  Sizing run() {
    sizing_.deployment = d_;
    sizing_.pool.notes.clear();
    cache_ = cache_specification(cached_layers(model_, draft_, d_), cache_options(d_));
    if (d_.engine == Engine::llama_cpp) {
      llama_cpp();
    } else if (d_.available_bytes > 0) {
      sizing_.available = Estimate::exact(static_cast<double>(d_.available_bytes), "given");
      sizing_.account.push_back({"available for the cache", sizing_.available, true});
    } else if (gpu_.total_bytes == 0) {
      throw CaseFailed("give gpu= (or available_bytes=, which an engine's log states)");
    } else if (d_.engine == Engine::vllm) {
      vllm_account();
    } else if (d_.engine == Engine::sglang) {
      sglang_account();
    } else {
      tensorrt_llm_account();
    }
    if (d_.engine != Engine::llama_cpp) {
      sizing_.pool = pool_of(sizing_.available.value);
      sizing_.pool_low = pool_of(sizing_.available.low);
      sizing_.pool_high = pool_of(sizing_.available.high);
      close_account();
    }
    for (const std::string& part : model_.left_out) {
      sizing_.pool.notes.push_back(part + " not counted: give weights= for the checkpoint's bytes");
    }
    if (cache_.copies > 1) {
      sizing_.pool.notes.push_back(fmt::format(
          "{} ranks keep the same keys and values: data parallelism would not", cache_.copies));
    }
    return std::move(sizing_);
  }

 private:
  // The stage with the most weights: it has the least room.
  void load_weights() {
    std::int64_t first = 0;
    const auto counts =
        stage_layers(static_cast<std::int64_t>(model_.layers.size()), d_.pipeline_parallel);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const StageRange range{first, counts[i], i == 0, i + 1 == counts.size()};
      StageAccount account;
      account.weights = rank_weights(model_, d_, range);
      account.stage = {first, counts[i], 0};
      if (range.last) account.draft_weights = draft_weights();
      if (range.last) account.stage.layers += std::int64_t{1} << 32;  // and whatever drafts
      stages_.push_back(account);
      first += counts[i];
    }
    fullest_ =
        static_cast<std::size_t>(std::max_element(stages_.begin(), stages_.end(),
                                                  [](const StageAccount& a, const StageAccount& b) {
                                                    return bytes_of(a) < bytes_of(b);
                                                  }) -
                                 stages_.begin());
    const StageAccount& full = stages_[fullest_];
    sizing_.weight_bytes = bytes_of(full);
    add("weights", full.weights.weights, true);
    if (full.weights.rotation_bytes > 0) {
      add("table of rotations", Estimate::exact(full.weights.rotation_bytes, "config"), true);
    }
    if (full.weights.derived_bytes > 0) {
      add("absorbed projections", Estimate::exact(full.weights.derived_bytes, "config"), true);
    }
    if (full.draft_weights.value > 0) add("drafter's weights", full.draft_weights, true);
  }

  static double bytes_of(const StageAccount& stage) {
    return stage.weights.total() + stage.draft_weights.value;
  }

  Estimate draft_weights() const {
    if (draft_) {
      const StageRange all{0, static_cast<std::int64_t>(draft_->layers.size()), true, true};
      return rank_weights(*draft_, d_, all).weights;
    }
    if (d_.predict_tokens) {
      return Estimate::between(predictor_weight_bytes(model_, d_), 0.9, 1.1, "config");
    }
    return Estimate::exact(0, "config");
  }

  Estimate total() const { return {gpu_.total_bytes, gpu_.low_bytes, gpu_.high_bytes, "driver"}; }

  void add(const std::string& name, Estimate bytes, bool in_budget) {
    sizing_.account.push_back({name, std::move(bytes), in_budget});
  }

  // Budget minus every item that was added to it; uncertainties are taken as independent.
  void set_available(const Estimate& budget) {
    Estimate left = budget;
    double below = std::pow(budget.value - budget.low, 2);
    double above = std::pow(budget.high - budget.value, 2);
    for (std::size_t i = first_item_; i < sizing_.account.size(); ++i) {
      const AccountItem& item = sizing_.account[i];
      if (!item.in_budget) continue;
      left.value -= item.bytes.value;
      below += std::pow(item.bytes.high - item.bytes.value, 2);
      above += std::pow(item.bytes.value - item.bytes.low, 2);
    }
    left.low = left.value - std::sqrt(below);
    left.high = left.value + std::sqrt(above);
    left.how = "what is left";
    sizing_.available = left;
  }

  Estimate budget_of_total() {
    add("GPU total", total(), false);
    const Estimate all = total();
    const Estimate budget{all.value * d_.memory_fraction, all.low * d_.memory_fraction,
                          all.high * d_.memory_fraction, "driver"};
    add(fmt::format("x {:.4g}", d_.memory_fraction), budget, false);
    first_item_ = sizing_.account.size();
    return budget;
  }

  void vllm_account() {
    const Estimate budget = budget_of_total();
    load_weights();
    const Overhead overhead(model_, d_, gpu_);
    add("activation peak", overhead.activation_peak(), true);
    add("libraries", overhead.libraries(), true);
    const Estimate graphs = overhead.graphs();
    if (graphs.value > 0) add("captured graphs", graphs, overhead.graphs_in_budget());
    set_available(budget);
    if (d_.version >= vllm_snapshots_memory) {
      add("driver's context", context_memory(), false);
    }
  }

  // A fraction of the total is for weights and cache; what is in use before counts against it.
  void sglang_account() {
    const Estimate budget = budget_of_total();
    load_weights();
    add("driver's context and libraries", Estimate::between(1.0 * gib, 0.5, 2.0, "estimate"), true);
    set_available(budget);
  }

  // A fraction of what is free after loading.
  void tensorrt_llm_account() {
    add("GPU total", total(), false);
    first_item_ = sizing_.account.size();
    load_weights();
    add("runtime and activations", Estimate::between(1.5 * gib, 0.5, 2.5, "estimate"), true);
    set_available(total());
  }

  void llama_cpp() {
    sizing_.pool = llama_cpp_pool(cache_, d_);
    for (const PoolPart& part : sizing_.pool.parts) {
      add("cache: " + part.name, Estimate::exact(part.bytes, "config"), true);
    }
    if (model_.stated_weight_bytes) {
      add("weights", Estimate::exact(static_cast<double>(*model_.stated_weight_bytes), "header"),
          true);
    }
    if (gpu_.total_bytes > 0) add("GPU total", total(), false);
    sizing_.available = Estimate::exact(sizing_.pool.kv_bytes, "config");
    sizing_.pool_low = sizing_.pool_high = sizing_.pool;
  }

  PoolSize pool_of(double available) const {
    switch (d_.engine) {
      case Engine::vllm:
        return vllm_pool(cache_, d_, stages_with(available));
      case Engine::sglang:
        return sglang_pool(cache_, d_, available);
      case Engine::tensorrt_llm:
        return tensorrt_llm_pool(cache_, d_, available);
      case Engine::llama_cpp:
        break;
    }
    return {};
  }

  // `available` is that of the fullest stage; the others have more by what they do not hold.
  std::vector<Stage> stages_with(double available) const {
    std::vector<Stage> stages;
    if (stages_.empty()) {
      std::int64_t first = 0;
      for (std::int64_t layers :
           stage_layers(static_cast<std::int64_t>(model_.layers.size()), d_.pipeline_parallel)) {
        stages.push_back({first, layers, available});
        first += layers;
      }
      stages.back().layers += std::int64_t{1} << 32;
      return stages;
    }
    for (const StageAccount& account : stages_) {
      Stage stage = account.stage;
      stage.available_bytes = available + bytes_of(stages_[fullest_]) - bytes_of(account);
      stages.push_back(stage);
    }
    return stages;
  }

  void close_account() {
    const PoolSize& pool = sizing_.pool;
    add("KV cache",
        {pool.kv_bytes, sizing_.pool_low.kv_bytes, sizing_.pool_high.kv_bytes,
         sizing_.available.how == "given" ? "given" : "estimate"},
        true);
    if (pool.padding_bytes > 0) {
      add("of it padding", Estimate::exact(pool.padding_bytes, "rules"), false);
    }
    if (pool.unused_bytes > 0) {
      add("lost to whole blocks", Estimate::exact(pool.unused_bytes, "rules"), true);
    }
    if (d_.engine == Engine::vllm && pool.blocks > 0) {
      add("of it the null block",
          Estimate::exact(pool.kv_bytes / static_cast<double>(pool.blocks), "rules"), false);
    }
  }

  const ModelDescription& model_;
  const ModelDescription* draft_;
  const GpuMemory& gpu_;
  Deployment d_;
  CacheSpecification cache_;
  Sizing sizing_;
  std::vector<StageAccount> stages_;
  std::size_t fullest_ = 0;
  std::size_t first_item_ = 0;
};

double readable_gib(double bytes) {
  return bytes / gib;
}

// The smallest number of ranks that divides the model's heads and leaves room for a cache.
std::string smallest_fit(const ModelDescription& model, const ModelDescription* draft,
                         const GpuMemory& gpu, Deployment d) {
  for (d.tensor_parallel *= 2; d.tensor_parallel <= 64; d.tensor_parallel *= 2) {
    try {
      const Sizing sizing = size_unchecked(model, draft, gpu, d);
      if (sizing.pool.longest_request > 0 && sizing.available.value > 0) {
        return fmt::format("the smallest tp that fits is {}", d.tensor_parallel);
      }
    } catch (const CaseFailed&) {
      break;
    }
  }
  return "no tp up to 64 that divides its heads fits";
}

}  // namespace

CacheOptions cache_options(const Deployment& d) {
  CacheOptions options;
  options.key_format = *d.key_format;
  options.value_format = *d.value_format;
  options.tensor_parallel = d.tensor_parallel;
  if (d.engine == Engine::llama_cpp) {
    options.recurrent_format = ElementFormat::fp32;
    options.indexer = false;
  }
  return options;
}

Sizing size_unchecked(const ModelDescription& model, const ModelDescription* draft,
                      const GpuMemory& gpu, const Deployment& deployment) {
  return Sizer(model, draft, gpu, deployment).run();
}

Sizing size_deployment(const ModelDescription& model, const ModelDescription* draft,
                       const GpuMemory& gpu, const Deployment& deployment) {
  Sizing sizing = size_unchecked(model, draft, gpu, deployment);
  const Deployment& d = sizing.deployment;
  if (d.engine == Engine::llama_cpp) return sizing;
  if (sizing.available.value <= 0) {
    throw CaseFailed(
        fmt::format("{} does not fit: at tp = {} a {} lacks {:.2f} GiB before it has any cache; {}",
                    model.name, d.tensor_parallel, gpu.name, readable_gib(-sizing.available.value),
                    smallest_fit(model, draft, gpu, deployment)));
  }
  if (sizing.pool.longest_request < d.max_model_len) {
    throw CaseFailed(fmt::format(
        "max_model_len = {} cannot be served: {:.2f} GiB hold one request of at most {} tokens",
        d.max_model_len, readable_gib(sizing.available.value), sizing.pool.longest_request));
  }
  return sizing;
}

}  // namespace hpclab::kvcache
