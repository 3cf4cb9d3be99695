// hpclab: SPDX-License-Identifier: Apache-2.0
#include "kvcache/decode/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpclab::kvcache::decode {

std::vector<double> reference_attention(const float* query, int key_dim, int value_dim,
                                        std::int64_t tokens, double scale, const Element& key,
                                        const Element& value) {
  std::vector<double> weights(static_cast<std::size_t>(tokens));
  for (std::int64_t t = 0; t < tokens; ++t) {
    double score = 0;
    for (int d = 0; d < key_dim; ++d) score += static_cast<double>(query[d]) * key(t, d);
    weights[static_cast<std::size_t>(t)] = scale * score;
  }
  const double highest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - highest);
  std::vector<double> result(static_cast<std::size_t>(value_dim), 0);
  for (std::int64_t t = 0; t < tokens; ++t) {
    for (int d = 0; d < value_dim; ++d) {
      result[static_cast<std::size_t>(d)] +=
          weights[static_cast<std::size_t>(t)] / total * value(t, d);
    }
  }
  return result;
}

double worse_error(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
}

double error_ratio(const float* result, const std::vector<double>& reference) {
  double difference = 0, magnitude = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    difference = worse_error(difference, std::abs(static_cast<double>(result[i]) - reference[i]));
    magnitude = std::max(magnitude, std::abs(reference[i]));
  }
  return difference / magnitude;
}

}  // namespace hpclab::kvcache::decode
