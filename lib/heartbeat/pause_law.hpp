// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Distributions of pause lengths, as far as the cost of a timeout needs them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace hpclab {
class RandomStream;
}

namespace hpclab::heartbeat {

class PauseLaw {
 public:
  virtual ~PauseLaw() = default;
  /// P(pause > x), for x >= 0.
  virtual double survival(double x) const = 0;
  /// Density at x; 0 for a law of single values.
  virtual double density(double x) const = 0;
  /// E max(pause - x, 0).
  virtual double tail_mean(double x) const = 0;
  /// The pause that is exceeded with probability u, 0 < u <= 1: of a uniform u, a drawn one.
  virtual double draw(double u) const = 0;
  double sample(RandomStream& random) const;
  double mean() const { return tail_mean(0); }
  /// Integrals of survival and tail_mean from a to b >= a >= 0, by adaptive quadrature unless the
  /// law knows better.
  virtual double survival_integral(double a, double b) const { return tail_mean(a) - tail_mean(b); }
  virtual double tail_mean_integral(double a, double b) const;
  /// Where the law is not smooth.
  virtual std::vector<double> kinks() const { return {}; }
  /// The ascending pauses of an empirical law; null for others.
  virtual const std::vector<double>* values() const { return nullptr; }
  /// "exponential, mean 50 ms".
  virtual std::string description() const = 0;
};

using PauseLawPtr = std::shared_ptr<const PauseLaw>;

/// All throw UsageError for parameters that are not positive and finite.
PauseLawPtr exponential_pauses(double mean_s);
/// P(pause > x) = (minimum / x)^shape; the shape is above 1, else the mean is infinite.
PauseLawPtr pareto_pauses(double minimum_s, double shape);
PauseLawPtr lognormal_pauses(double median_s, double sigma);
/// The normal distribution, cut at 0 (the deviation is at most a third of the mean).
PauseLawPtr normal_pauses(double mean_s, double deviation_s);
/// A pause is one of `second` with probability `share`.
PauseLawPtr mixed_pauses(PauseLawPtr first, PauseLawPtr second, double share);
/// Each of the values with equal probability; at least one, finite, none negative.
PauseLawPtr empirical_pauses(std::vector<double> seconds);

}  // namespace hpclab::heartbeat
