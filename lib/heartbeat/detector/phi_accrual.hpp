// hpclab: SPDX-License-Identifier: Apache-2.0
//
// Accrual detectors: the suspicion phi(t) = -log10 P(gap > t) grows with the silence (Hayashibara,
// Defago, Yared & Katayama, SRDS 2004); it fails a sender when phi reaches a threshold.
#pragma once

#include "heartbeat/detector/detector.hpp"

#include <cstddef>
#include <vector>

namespace hpclab::heartbeat {

/// The last `capacity` gaps with their mean and deviation; sums are integers, so that no error
/// accumulates however long it runs.
class GapWindow {
 public:
  explicit GapWindow(std::size_t capacity);
  void add(Nanoseconds gap);
  bool empty() const { return gaps_.empty(); }
  double mean_ns() const;
  double deviation_ns() const;  ///< of the population, as Akka has it

 private:
  std::size_t capacity_;
  std::size_t oldest_ = 0;
  std::vector<Nanoseconds> gaps_;
  __extension__ __int128 sum_ = 0;
  __extension__ __int128 square_sum_ = 0;
};

/// The tail of the normal distribution: the logistic approximation that Akka uses, or exact.
enum class NormalTail { logistic, exact };

/// phi of a gap that lies y standard deviations above the mean.
double normal_phi(double y, NormalTail tail);
/// The y at which phi reaches a threshold > 0.
double normal_phi_quantile(double threshold, NormalTail tail);

struct PhiOptions {
  double threshold = 8;
  std::size_t window = 1000;
  Nanoseconds minimum_deviation = 100'000'000;
  Nanoseconds acceptable_pause = 3'000'000'000;
  Nanoseconds first_estimate = 1'000'000'000;
  NormalTail tail = NormalTail::logistic;
};

/// Akka's accrual detector. The first heartbeat stands for two gaps, first_estimate +- a quarter of
/// it; a heartbeat that comes while the sender counts as failed is not added to the window.
class PhiAccrual final : public Detector {
 public:
  /// Throws std::invalid_argument for a threshold, window or first estimate that is not positive.
  explicit PhiAccrual(const PhiOptions& options);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  /// `never` before the first heartbeat: an unknown sender is trusted.
  Nanoseconds next_deadline() const override { return deadline_; }
  std::unique_ptr<Detector> clone() const override;

  double phi(Nanoseconds now) const;

 private:
  double deviation_ns() const;

  PhiOptions options_;
  GapWindow window_;
  double threshold_deviations_;
  bool started_ = false;
  Nanoseconds last_ = 0;
  Nanoseconds deadline_ = never;
};

struct CassandraOptions {
  double threshold = 8;  ///< of phi / ln 10; Cassandra accepts 5 to 16
  std::size_t window = 1000;
  Nanoseconds initial_gap = 2'000'000'000;  ///< stands in the window from the start
  Nanoseconds largest_gap = 2'000'000'000;  ///< longer gaps are no statistics of arrivals
};

/// Cassandra's form: gaps are taken as exponential, phi = t / mean, failed when phi / ln 10 exceeds
/// the threshold: after 18.42 mean gaps at 8.
class CassandraAccrual final : public Detector {
 public:
  explicit CassandraAccrual(const CassandraOptions& options);

  void on_heartbeat(const Heartbeat& beat) override;
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override { return deadline_; }
  std::unique_ptr<Detector> clone() const override;

 private:
  CassandraOptions options_;
  GapWindow window_;
  bool started_ = false;
  Nanoseconds last_ = 0;
  Nanoseconds deadline_ = never;
};

/// Observer health: an observer that was itself stopped for longer than `limit` believes no verdict
/// for as long again (Cassandra's rule, 5 s there). It learns of its own pauses from on_tick, which
/// has to be called every `tick`.
class LocalPauseGuard final : public Detector {
 public:
  LocalPauseGuard(std::unique_ptr<Detector> guarded, Nanoseconds tick, Nanoseconds limit);

  void on_heartbeat(const Heartbeat& beat) override { guarded_->on_heartbeat(beat); }
  Verdict on_tick(Nanoseconds now) override;
  Nanoseconds next_deadline() const override;
  Nanoseconds failure_deadline() const override { return guarded_->failure_deadline(); }
  std::unique_ptr<Detector> clone() const override;

 private:
  std::unique_ptr<Detector> guarded_;
  Nanoseconds tick_;
  Nanoseconds limit_;
  Nanoseconds last_tick_ = -1;
  Nanoseconds suppressed_until_ = 0;
};

}  // namespace hpclab::heartbeat
