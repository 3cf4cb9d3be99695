// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "kvcache/account_text.hpp"
#include "kvcache/explain/explanation.hpp"
#include "kvcache/overhead_constants.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hpclab::kvcache::explain {
namespace {

Estimate sum(const Estimate& a, const Estimate& b) {
  return {a.value + b.value, a.low + b.low, a.high + b.high, a.how};
}

const Estimate* find(const Sizing& sizing, const std::string& name) {
  for (const AccountItem& item : sizing.account) {
    if (item.name == name) return &item.bytes;
  }
  return nullptr;
}

// Items of the budget, each beside its prediction; those without a figure of their own in the log
// are one item together, whose size is what the log leaves over.
class BudgetAccount {
 public:
  BudgetAccount(const LogFacts& facts, const Sizing& sizing, Explanation& explanation)
      : facts_(facts), sizing_(sizing), explanation_(explanation) {}

  void write(double total) {
    const Deployment& d = sizing_.deployment;
    const double budget = total * d.memory_fraction;
    explanation_.items.push_back({"GPU total", total, std::nullopt, 0, ""});
    explanation_.items.push_back(
        {fmt::format("x {:.4g}", d.memory_fraction), budget, std::nullopt, 0, ""});
    const Estimate weights = Estimate::exact(sizing_.weight_bytes, "config");
    Estimate weights_range = weights;
    if (const Estimate* stated = find(sizing_, "weights")) {
      weights_range.low += stated->low - stated->value;
      weights_range.high += stated->high - stated->value;
    }
    const Estimate libraries = *find(sizing_, "libraries");
    Estimate activation = *find(sizing_, "activation peak");
    const Estimate* graphs = find(sizing_, "captured graphs");
    const bool in_budget = graphs && graphs_in_budget();
    const LoggedBytes* consumed = facts_.size("consumed");
    const LoggedBytes* peak = facts_.size("activation");
    if (consumed) {
      take("weights and libraries", consumed, sum(weights_range, libraries));
      if (const LoggedBytes* loaded = facts_.size("weights"))
        aside("weights", loaded, weights_range);
    } else {
      take("weights", facts_.size("weights"), weights_range);
      take("libraries", facts_.size("libraries"), libraries);
    }
    if (in_budget && (!peak || consumed)) {
      // Later versions print the estimate of graphs within the peak.
      activation = sum(activation, *graphs);
      take("activation peak with graphs", peak, activation);
    } else {
      take("activation peak", peak, activation);
      if (in_budget) take("graphs left from profiling", nullptr, *graphs);
    }
    if (graphs && !in_budget) {
      aside("captured graphs (outside)", facts_.size("graphs_actual"), *graphs);
    } else if (graphs) {
      aside("captured graphs, of it",
            facts_.size("graphs_estimated") ? facts_.size("graphs_estimated")
                                            : facts_.size("graphs_actual"),
            *graphs);
    }
    close(budget);
  }

 private:
  // Part of what lessens the cache, in this version.
  bool graphs_in_budget() const {
    for (const AccountItem& item : sizing_.account) {
      if (item.name == "captured graphs") return item.in_budget;
    }
    return false;
  }

  void take(const std::string& name, const LoggedBytes* logged, const Estimate& expected) {
    if (logged) {
      add_item(explanation_, name, logged, expected);
      stated_ += logged->bytes;
    } else {
      unstated_ = sum(unstated_, expected);
      names_ += (names_.empty() ? "" : ", ") + name;
    }
  }

  // Shown beside its prediction, but part of another item or of no budget.
  void aside(const std::string& name, const LoggedBytes* logged, const Estimate& expected) {
    ExplainedItem item;
    item.name = name;
    item.expected = expected;
    if (logged) {
      item.logged = logged->bytes;
      item.comment = verdict_of(logged->bytes, expected);
    }
    explanation_.items.push_back(std::move(item));
  }

  void close(double budget) {
    const LoggedBytes* available = facts_.size("available");
    if (!available) return;
    if (names_.empty()) {
      const double rest = budget - stated_ - available->bytes;
      explanation_.items.push_back(
          {"rest", rest, Estimate::exact(0, "rules"), std::abs(rest), "no item of the log"});
      explanation_.residual_bytes += std::max(0.0, std::abs(rest) - 4 * available->rounding());
    } else {
      LoggedBytes rest = *available;
      rest.bytes = budget - stated_ - available->bytes;
      add_item(explanation_, names_, &rest, unstated_, "what the log leaves over");
    }
    explanation_.items.push_back({"available for the cache", available->bytes, sizing_.available, 0,
                                  verdict_of(available->bytes, sizing_.available)});
  }

  const LogFacts& facts_;
  const Sizing& sizing_;
  Explanation& explanation_;
  double stated_ = 0;
  Estimate unstated_;
  std::string names_;
};

// The pool that the rules make of the bytes that the log states, beside what it says it made.
void check_pool(const LogFacts& facts, const ModelDescription& model, const GpuMemory& gpu,
                Deployment d, Explanation& explanation) {
  const LoggedBytes* available =
      facts.least_available ? &*facts.least_available : facts.size("available");
  if (!available) return;
  d.available_bytes = static_cast<std::int64_t>(std::max(0.0, available->bytes));
  const Sizing pool = size_unchecked(model, nullptr, gpu, d);
  explanation.expected_tokens = static_cast<double>(pool.pool.tokens);
  const auto tokens = facts.number("tokens");
  const auto blocks = facts.number("blocks");
  if (blocks) {
    explanation.logged_tokens = *blocks * static_cast<double>(pool.pool.block_tokens);
    explanation.expected_tokens = static_cast<double>(pool.pool.blocks * pool.pool.block_tokens);
  }
  if (tokens) explanation.logged_tokens = *tokens;
  for (const PoolPart& part : pool.pool.parts) {
    explanation.notes.push_back(fmt::format(
        "group: {} layers of {}{}, {} blocks a request", part.layers, part.name,
        part.padding_layers > 0 ? fmt::format(" and {} of padding", part.padding_layers) : "",
        part.blocks_of_request));
  }
  for (const std::string& note : pool.pool.notes) explanation.notes.push_back(note);
  if (!explanation.logged_tokens || *explanation.expected_tokens == 0) return;
  const double share = *explanation.logged_tokens / *explanation.expected_tokens;
  const double per_token = pool.pool.kv_bytes / *explanation.expected_tokens;
  const double lost = (*explanation.expected_tokens - *explanation.logged_tokens) * per_token;
  const double rounding = available->rounding() + pool.pool.unused_bytes;
  if (lost > 2 * rounding) {
    explanation.notes.push_back(fmt::format(
        "{:.2f} GiB ({:.1f} %) less than the bytes on line {} hold: another rank has less, and the "
        "smallest one decides",
        lost / gib, 100 * (1 - share), available->line));
  } else if (-lost > 2 * rounding) {
    explanation.notes.push_back(fmt::format(
        "{:.2f} GiB more tokens than the bytes on line {} hold: another format of the cache, or "
        "another model",
        -lost / gib, available->line));
  }
  if (const auto confusion = unit_confusion(*available, *explanation.logged_tokens * per_token)) {
    explanation.notes.push_back(*confusion);
  }
  if (lost > 2 * rounding || -lost > 2 * rounding) {
    explanation.residual_bytes += std::abs(lost) - rounding;
  }
}

}  // namespace

Explanation explain_vllm(const LogFacts& facts, const ModelDescription& model, const GpuMemory& gpu,
                         const Deployment& d) {
  Explanation explanation;
  explanation.card_bytes = gpu.total_bytes;
  if (gpu.total_bytes > 0) {
    const Sizing sizing = size_unchecked(model, nullptr, gpu, d);
    BudgetAccount(facts, sizing, explanation).write(gpu.total_bytes);
    explanation.gains = flag_gains(model, nullptr, gpu, sizing);
  } else {
    if (!facts.size("available") && !facts.least_available) {
      throw CaseFailed(
          "the log states neither the GPU's memory nor the bytes for the cache; give "
          "gpu=");
    }
    explanation.notes.emplace_back(
        "the log does not state the GPU's memory: only the pool is checked; give gpu=");
  }
  check_pool(facts, model, gpu, d, explanation);
  if (facts.least_available && facts.most_available &&
      facts.most_available->bytes > facts.least_available->bytes) {
    explanation.notes.push_back(
        fmt::format("ranks have from {} to {} GiB: the smallest decides, {} GiB are lost on others",
                    gib_text(facts.least_available->bytes), gib_text(facts.most_available->bytes),
                    gib_text(facts.most_available->bytes - facts.least_available->bytes)));
  }
  return explanation;
}

}  // namespace hpclab::kvcache::explain
