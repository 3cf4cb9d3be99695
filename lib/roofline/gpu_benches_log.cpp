// hpclab: SPDX-License-Identifier: Apache-2.0
#include "roofline/gpu_benches_log.hpp"

#include "formats/fields.hpp"

#include <vector>

namespace hpclab::roofline {
namespace {

// The words of a line, taken one after another.
class Words {
 public:
  explicit Words(std::string_view line) { formats::split_words(line, words_); }

  /// The next word as a number not below 0.
  bool number(double& value) {
    if (at_ == words_.size()) return false;
    const auto parsed = formats::number_in(words_[at_++]);
    if (!parsed || *parsed < 0) return false;
    value = *parsed;
    return true;
  }
  /// The next word is `word`, or begins with it ("GB/s:").
  bool unit(std::string_view word) {
    return at_ < words_.size() && words_[at_++].starts_with(word);
  }
  /// The next two words are a number and its unit.
  bool quantity(double& value, std::string_view unit_word) {
    return number(value) && unit(unit_word);
  }
  /// The next word ends so: "5ms", "0.3%".
  bool ends_with(std::string_view end) {
    return at_ < words_.size() && words_[at_++].ends_with(end);
  }
  bool at_end() const { return at_ == words_.size(); }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<CacheLogRow> cache_log_row(std::string_view line) {
  Words words(line);
  CacheLogRow row;
  double size = 0;
  double bandwidth = 0;
  if (!words.quantity(size, "kB")) return std::nullopt;
  // gpu-l2-cache prints the size of a block, then that of all; gpu-cache one size.
  Words after_second = words;
  row.of_a_multiprocessor = !after_second.quantity(size, "kB");
  if (!row.of_a_multiprocessor) words = after_second;
  if (!words.ends_with("ms") || !words.ends_with("%") || !words.quantity(bandwidth, "GB/s") ||
      size <= 0 || bandwidth <= 0) {
    return std::nullopt;
  }
  row.data_set_bytes = size * 1e3;
  row.bandwidth_bytes_per_s = bandwidth * 1e9;
  return row;
}

std::optional<RooflineLogRow> roofline_log_row(std::string_view line) {
  Words words(line);
  double device = 0;
  double blocks = 0;
  double iterations = 0;
  double intensity = 0;
  double bandwidth = 0;
  double rate = 0;
  double clock = 0;
  double power = 0;
  if (!words.number(device) || !words.quantity(blocks, "blocks") ||
      !words.quantity(iterations, "its") || !words.quantity(intensity, "Fl/B") ||
      !words.quantity(bandwidth, "GB/s") || !words.quantity(rate, "GF/s") ||
      !words.quantity(clock, "Mhz") || !words.quantity(power, "W") || device > 1e6) {
    return std::nullopt;
  }
  return RooflineLogRow{
      static_cast<int>(device), intensity, bandwidth * 1e9, rate * 1e9, clock * 1e6, power};
}

std::optional<StreamLogRow> stream_log_row(std::string_view line) {
  Words words(line);
  StreamLogRow row;
  double occupancy = 0;
  if (!words.number(row.block_threads) || !words.number(row.threads) ||
      !words.quantity(occupancy, "%") || !words.unit("|") || !words.unit("GB/s:")) {
    return std::nullopt;
  }
  for (double& bandwidth : row.bandwidths_bytes_per_s) {
    if (!words.number(bandwidth) || bandwidth <= 0) return std::nullopt;
    bandwidth *= 1e9;
  }
  if (!words.at_end()) return std::nullopt;
  return row;
}

std::optional<LatencyLogRow> latency_log_row(std::string_view line) {
  Words words(line);
  double iterations = 0;
  double clock = 0;
  double size = 0;
  double time = 0;
  double cycles = 0;
  if (!words.number(iterations) || !words.number(clock) || !words.number(size) ||
      !words.number(time) || !words.number(cycles) || !words.at_end() || clock <= 0 || size <= 0 ||
      time <= 0 || iterations < 1) {
    return std::nullopt;
  }
  return LatencyLogRow{clock * 1e6, size * 1e3, time * 1e-3 / iterations, cycles};
}

}  // namespace hpclab::roofline
