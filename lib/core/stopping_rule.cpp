// hpclab: SPDX-License-Identifier: Apache-2.0
#include "core/stopping_rule.hpp"

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "core/stopping_criteria.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hpclab {

void StoppingRule::add(double sample_s, double elapsed_s) {
  ++samples_;
  sum_s_ += sample_s;
  elapsed_s_ = elapsed_s;
  take(sample_s);
  if (done_) return;
  if (samples_ >= limits_.min_samples && sum_s_ >= limits_.min_time_s) cause_ = decide();
  if (cause_.empty() && limits_.time_limit_s > 0.0 && elapsed_s_ >= limits_.time_limit_s) {
    cause_ = "time-limit";
  }
  if (cause_.empty() && samples_ >= limits_.max_samples) cause_ = "samples-limit";
  done_ = !cause_.empty();
}

std::string StoppingRule::why() const {
  return fmt::format("{} after {} samples and {:.3g} s: {}", done_ ? cause_ : "not done", samples_,
                     elapsed_s_, state());
}

namespace {

constexpr std::array<std::string_view, 5> rule_names{"relative", "count", "time", "stdrel",
                                                     "entropy"};
constexpr std::array<std::string_view, 3> common_keys{"min", "time", "max"};
constexpr std::array<std::string_view, 4> entropy_keys{"min", "time", "max", "r2"};

[[noreturn]] void reject(std::string_view rule, const std::string& problem) {
  throw UsageError(fmt::format("stopping rule '{}': {}", rule, problem));
}

std::string suggest(std::string_view word, std::span<const std::string_view> valid) {
  return suggestion(word, std::vector<std::string>(valid.begin(), valid.end()));
}

/// A finite number at the front of `text` and the letters after it.
std::optional<std::pair<double, std::string_view>> number_and_unit(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  return std::pair(value, text.substr(static_cast<std::size_t>(end - text.data())));
}

double parse_share(std::string_view rule, std::string_view text) {
  const auto parsed = number_and_unit(text);
  if (parsed && (parsed->second == "%" || parsed->second.empty())) {
    const double share = parsed->second.empty() ? parsed->first : parsed->first / 100.0;
    if (share > 0.0 && share < 1.0) return share;
  }
  reject(rule, fmt::format("'{}' is no share between 0 and 100 %, such as 1% or 0.01", text));
}

std::optional<double> time_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}}};
  const auto parsed = number_and_unit(text);
  if (!parsed || parsed->first <= 0.0) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (parsed->second == unit) return parsed->first * factor;
  }
  return std::nullopt;
}

double parse_time(std::string_view rule, std::string_view text) {
  if (const auto time_s = time_of(text)) return *time_s;
  reject(rule, fmt::format("'{}' is no time above 0 with a unit, such as 500ms, 2s or 1m", text));
}

std::size_t parse_count(std::string_view rule, std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count == 0) {
    reject(rule, fmt::format("'{}' is no whole number above 0", text));
  }
  return count;
}

double parse_number(std::string_view rule, std::string_view text) {
  const auto parsed = number_and_unit(text);
  if (parsed && parsed->second.empty() && parsed->first >= 0.0) return parsed->first;
  reject(rule, fmt::format("'{}' is no number of at least 0", text));
}

struct Words {
  std::string_view name;
  std::string_view value;  // what follows the colon, up to the first comma; empty when absent
  std::vector<std::pair<std::string_view, std::string_view>> settings;
};

Words split(std::string_view text) {
  Words words;
  const std::size_t name_end = text.find_first_of(":,");
  words.name = text.substr(0, name_end);
  std::string_view rest = name_end == std::string_view::npos ? "" : text.substr(name_end + 1);
  bool first = true;
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      words.settings.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    } else if (first) {
      words.value = item;
    } else {
      reject(text, fmt::format("'{}' should read key=value", item));
    }
    first = false;
  }
  return words;
}

struct Settings {
  StoppingLimits limits;
  double min_r2 = 0.36;
};

Settings read_settings(std::string_view text, const Words& words) {
  const bool is_fixed = words.name == "count" || words.name == "time";
  const bool is_entropy = words.name == "entropy";
  Settings settings;
  if (!is_fixed) settings.limits = {10, 0.0, 10.0, settings.limits.max_samples};
  if (words.name == "stdrel") settings.limits.min_time_s = 0.5;
  for (const auto& [key, value] : words.settings) {
    if (key == "min") {
      if (const auto time_s = time_of(value)) {
        settings.limits.min_time_s = *time_s;
      } else {
        settings.limits.min_samples = parse_count(text, value);
      }
    } else if (key == "time") {
      settings.limits.time_limit_s = parse_time(text, value);
    } else if (key == "max") {
      settings.limits.max_samples = parse_count(text, value);
    } else if (key == "r2" && is_entropy) {
      settings.min_r2 = parse_number(text, value);
    } else {
      const std::span<const std::string_view> valid =
          is_entropy ? std::span<const std::string_view>(entropy_keys) : common_keys;
      reject(text, fmt::format("unknown key '{}'{}", key, suggest(key, valid)));
    }
  }
  if (settings.limits.min_samples > settings.limits.max_samples) {
    reject(text, "min is above max");
  }
  return settings;
}

}  // namespace

std::unique_ptr<StoppingRule> parse_stopping_rule(std::string_view text) {
  const Words words = split(text);
  const std::string_view name = words.name;
  const std::string_view value = words.value;
  const bool known = std::find(rule_names.begin(), rule_names.end(), name) != rule_names.end();
  if (!known) reject(text, fmt::format("unknown rule '{}'{}", name, suggest(name, rule_names)));
  Settings settings = read_settings(text, words);
  if (name == "count") {
    if (value.empty()) reject(text, "the number of samples is missing, as in count:50");
    const std::size_t count = parse_count(text, value);
    settings.limits.max_samples = std::max(settings.limits.max_samples, count);
    return std::make_unique<CountRule>(count, settings.limits);
  }
  if (name == "time") {
    if (value.empty()) reject(text, "the time is missing, as in time:2s");
    // A fixed time is a limit itself: the number of samples does not end it unless asked to.
    bool max_given = false;
    for (const auto& setting : words.settings) max_given = max_given || setting.first == "max";
    if (!max_given) settings.limits.max_samples = static_cast<std::size_t>(-1);
    return std::make_unique<TimeRule>(parse_time(text, value), settings.limits);
  }
  if (name == "relative") {
    return std::make_unique<RelativeIntervalRule>(value.empty() ? 0.01 : parse_share(text, value),
                                                  settings.limits);
  }
  if (name == "stdrel") {
    return std::make_unique<RelativeDeviationRule>(value.empty() ? 0.005 : parse_share(text, value),
                                                   settings.limits);
  }
  return std::make_unique<EntropyRule>(value.empty() ? 0.048 : parse_number(text, value),
                                       settings.min_r2, settings.limits);
}

}  // namespace hpclab
