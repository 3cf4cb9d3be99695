// hpclab: SPDX-License-Identifier: Apache-2.0
#include "heartbeat/pause_law.hpp"

#include "core/error.hpp"
#include "core/random_stream.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

namespace hpclab::heartbeat {
namespace {

double normal_tail(double z) {
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

// The z with P(Z > z) = u, 0 < u < 1.
double normal_upper_quantile(double u) {
  return std::numbers::sqrt2 * boost::math::erfc_inv(2 * u);
}

// Draws of 53 bits reach 1, where the normal quantile is infinite.
constexpr double below_one = 1 - 0x1p-53;

void require_positive(double value, const char* what) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw UsageError(fmt::format("{} is {}, it has to be positive and finite", what, value));
  }
}

class Exponential final : public PauseLaw {
 public:
  explicit Exponential(double mean) : mean_(mean) {}
  double survival(double x) const override { return std::exp(-x / mean_); }
  double density(double x) const override { return std::exp(-x / mean_) / mean_; }
  double tail_mean(double x) const override { return mean_ * std::exp(-x / mean_); }
  double survival_integral(double a, double b) const override {
    return -mean_ * std::exp(-a / mean_) * std::expm1(-(b - a) / mean_);
  }
  double tail_mean_integral(double a, double b) const override {
    return mean_ * survival_integral(a, b);
  }
  double draw(double u) const override { return -mean_ * std::log(u); }
  std::string description() const override {
    return fmt::format("exponential, mean {:g} s", mean_);
  }

 private:
  double mean_;
};

class Pareto final : public PauseLaw {
 public:
  Pareto(double minimum, double shape) : minimum_(minimum), shape_(shape) {}
  double survival(double x) const override {
    return x <= minimum_ ? 1 : std::pow(minimum_ / x, shape_);
  }
  double density(double x) const override {
    return x < minimum_ ? 0 : shape_ / x * std::pow(minimum_ / x, shape_);
  }
  double tail_mean(double x) const override {
    if (x <= minimum_) return minimum_ * shape_ / (shape_ - 1) - x;
    return x / (shape_ - 1) * std::pow(minimum_ / x, shape_);
  }
  std::vector<double> kinks() const override { return {minimum_}; }
  double draw(double u) const override { return minimum_ * std::pow(u, -1 / shape_); }
  std::string description() const override {
    return fmt::format("Pareto, from {:g} s on, shape {:g}", minimum_, shape_);
  }

 private:
  double minimum_;
  double shape_;
};

class Lognormal final : public PauseLaw {
 public:
  Lognormal(double median, double sigma) : log_median_(std::log(median)), sigma_(sigma) {}
  double survival(double x) const override { return x <= 0 ? 1 : normal_tail(z(x)); }
  double density(double x) const override {
    return x <= 0 ? 0 : normal_density(z(x)) / (x * sigma_);
  }
  double tail_mean(double x) const override {
    const double mean = std::exp(log_median_ + 0.5 * sigma_ * sigma_);
    return x <= 0 ? mean : std::max(mean * normal_tail(z(x) - sigma_) - x * normal_tail(z(x)), 0.0);
  }
  double draw(double u) const override {
    return std::exp(log_median_ + sigma_ * normal_upper_quantile(std::min(u, below_one)));
  }
  std::string description() const override {
    return fmt::format("lognormal, median {:g} s, sigma {:g}", std::exp(log_median_), sigma_);
  }

 private:
  double z(double x) const { return (std::log(x) - log_median_) / sigma_; }
  double log_median_;
  double sigma_;
};

class Normal final : public PauseLaw {
 public:
  Normal(double mean, double deviation) : mean_(mean), deviation_(deviation) {}
  double survival(double x) const override { return normal_tail(z(x)); }
  double density(double x) const override { return normal_density(z(x)) / deviation_; }
  double tail_mean(double x) const override {
    const double at = z(x);
    return std::max(deviation_ * normal_density(at) - (x - mean_) * normal_tail(at), 0.0);
  }
  std::vector<double> kinks() const override {
    return {std::max(mean_ - 5 * deviation_, 0.0), mean_, mean_ + 5 * deviation_};
  }
  double draw(double u) const override {
    return std::max(mean_ + deviation_ * normal_upper_quantile(std::min(u, below_one)), 0.0);
  }
  std::string description() const override {
    return fmt::format("normal, mean {:g} s, deviation {:g} s", mean_, deviation_);
  }

 private:
  double z(double x) const { return (x - mean_) / deviation_; }
  double mean_;
  double deviation_;
};

class Mixed final : public PauseLaw {
 public:
  Mixed(PauseLawPtr first, PauseLawPtr second, double share)
      : first_(std::move(first)), second_(std::move(second)), share_(share) {}
  double survival(double x) const override { return mix(&PauseLaw::survival, x); }
  double density(double x) const override { return mix(&PauseLaw::density, x); }
  double tail_mean(double x) const override { return mix(&PauseLaw::tail_mean, x); }
  double survival_integral(double a, double b) const override {
    return (1 - share_) * first_->survival_integral(a, b) +
           share_ * second_->survival_integral(a, b);
  }
  double tail_mean_integral(double a, double b) const override {
    return (1 - share_) * first_->tail_mean_integral(a, b) +
           share_ * second_->tail_mean_integral(a, b);
  }
  std::vector<double> kinks() const override {
    std::vector<double> all = first_->kinks();
    for (const double kink : second_->kinks()) all.push_back(kink);
    return all;
  }
  double draw(double u) const override {
    // The same uniform chooses the part and, stretched to (0, 1], the pause in it.
    if (u <= share_) return second_->draw(u / share_);
    return first_->draw(std::min((u - share_) / (1 - share_), 1.0));
  }
  std::string description() const override {
    return fmt::format("{:g} % {}; {:g} % {}", 100 * (1 - share_), first_->description(),
                       100 * share_, second_->description());
  }

 private:
  double mix(double (PauseLaw::*part)(double) const, double x) const {
    return (1 - share_) * ((*first_).*part)(x) + share_ * ((*second_).*part)(x);
  }
  PauseLawPtr first_;
  PauseLawPtr second_;
  double share_;
};

class Empirical final : public PauseLaw {
 public:
  explicit Empirical(std::vector<double> values) : values_(std::move(values)) {
    std::sort(values_.begin(), values_.end());
    // Suffix sums from the small end of the tail would lose nothing either; these are exact enough:
    // n values add n rounding errors of 2^-53.
    sums_.resize(values_.size() + 1, 0);
    squares_.resize(values_.size() + 1, 0);
    for (std::size_t i = values_.size(); i-- > 0;) {
      sums_[i] = sums_[i + 1] + values_[i];
      squares_[i] = squares_[i + 1] + values_[i] * values_[i];
    }
  }
  double survival(double x) const override { return beyond(first_above(x)) / count(); }
  double density(double) const override { return 0; }
  double tail_mean(double x) const override {
    const std::size_t i = first_above(x);
    return (sums_[i] - x * beyond(i)) / count();
  }
  double tail_mean_integral(double a, double b) const override {
    // sum ((v - a)+^2 - (v - b)+^2) / 2
    return half_square(a) - half_square(b);
  }
  double draw(double u) const override {
    const auto i = static_cast<std::size_t>(u * count());
    return values_[values_.size() - 1 - std::min(i, values_.size() - 1)];
  }
  const std::vector<double>* values() const override { return &values_; }
  std::string description() const override {
    return fmt::format("empirical, {} pauses, mean {:.4g} s, longest {:.4g} s", values_.size(),
                       mean(), values_.back());
  }

 private:
  std::size_t first_above(double x) const {
    return static_cast<std::size_t>(std::upper_bound(values_.begin(), values_.end(), x) -
                                    values_.begin());
  }
  double count() const { return static_cast<double>(values_.size()); }
  double beyond(std::size_t i) const { return static_cast<double>(values_.size() - i); }
  double half_square(double x) const {
    const std::size_t i = first_above(x);
    return std::max(squares_[i] - 2 * x * sums_[i] + x * x * beyond(i), 0.0) / (2 * count());
  }
  std::vector<double> values_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

}  // namespace

double PauseLaw::sample(RandomStream& random) const {
  return draw(1 - random.uniform());
}

double PauseLaw::tail_mean_integral(double a, double b) const {
  std::vector<double> ends{a};
  for (const double kink : kinks()) {
    if (kink > a && kink < b) ends.push_back(kink);
  }
  ends.push_back(b);
  std::sort(ends.begin(), ends.end());
  double sum = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    sum += boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
        [this](double x) { return tail_mean(x); }, ends[i], ends[i + 1], 10, 1e-10);
  }
  return sum;
}

PauseLawPtr exponential_pauses(double mean_s) {
  require_positive(mean_s, "the mean pause");
  return std::make_shared<Exponential>(mean_s);
}

PauseLawPtr pareto_pauses(double minimum_s, double shape) {
  require_positive(minimum_s, "the shortest pause");
  if (!(shape > 1) || !std::isfinite(shape)) {
    throw UsageError(fmt::format(
        "the shape of Pareto pauses is {}: only above 1 have they a mean, and a cost", shape));
  }
  return std::make_shared<Pareto>(minimum_s, shape);
}

PauseLawPtr lognormal_pauses(double median_s, double sigma) {
  require_positive(median_s, "the median pause");
  require_positive(sigma, "sigma of lognormal pauses");
  return std::make_shared<Lognormal>(median_s, sigma);
}

PauseLawPtr normal_pauses(double mean_s, double deviation_s) {
  require_positive(mean_s, "the mean pause");
  require_positive(deviation_s, "the deviation of pauses");
  if (deviation_s > mean_s / 3) {
    throw UsageError(fmt::format(
        "pauses of mean {:g} s and deviation {:g} s would often be negative; the deviation is at "
        "most a third of the mean",
        mean_s, deviation_s));
  }
  return std::make_shared<Normal>(mean_s, deviation_s);
}

PauseLawPtr mixed_pauses(PauseLawPtr first, PauseLawPtr second, double share) {
  if (!(share >= 0 && share <= 1)) throw UsageError("a share lies between 0 and 1");
  return std::make_shared<Mixed>(std::move(first), std::move(second), share);
}

PauseLawPtr empirical_pauses(std::vector<double> seconds) {
  if (seconds.empty()) throw UsageError("there is no pause to learn from");
  for (const double value : seconds) {
    if (!(value >= 0) || !std::isfinite(value)) {
      throw UsageError(fmt::format("a pause of {} s is none", value));
    }
  }
  return std::make_shared<Empirical>(std::move(seconds));
}

}  // namespace hpclab::heartbeat
