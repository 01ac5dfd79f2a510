// Medians, their confidence, and the comparison of two sides whose samples were interleaved.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "record.hpp"

namespace upsweep::apps {

/// The middle of the sorted values, or the mean of the two in the middle. O(n). None: std::invalid_argument.
double median(std::span<const double> values);

/// The median and its 95 % confidence interval, by the percentile bootstrap of 1000 resamples. The same values give the
/// same interval on every machine. O(1000 n). None: std::invalid_argument.
interval bootstrap_median(std::span<const double> values);

/// What a side took, of its samples rounded to the nanosecond, which is the finest that a clock's can mean.
timing timing_of_samples(std::string name, std::span<const double> samples_ms);

/// One median over another, of samples that were not interleaved: both are off by as much as their intervals are wide,
/// each by itself, so that of the ratio's logarithm the squares of what they are off by add up.
interval unpaired_ratio(const interval& over, const interval& under);

/// Times of two sides A and B, taken in groups A B B A, so that what drifts from sample to sample falls on both alike.
class paired_samples {
 public:
  /// The next group: four times in the order in which they were taken, all more than 0.
  void add(double a1, double b1, double b2, double a2);

  std::size_t groups() const { return between_a_.size(); }

  /// B's time over A's: the median of the ratios of neighbours, b1 / a1 and b2 / a2. The bootstrap draws whole groups,
  /// as what disturbs one pair of a group disturbs the other. At least one group, else std::invalid_argument.
  interval speedup() const;

  /// What `speedup` gives where both sides are the same: A's samples of two neighbouring groups, A A and A A, are taken
  /// as A B B A, and so are B's; of the two medians, the one further from 1. At least one group, else
  /// std::invalid_argument.
  double noise() const;

  /// At least 5 groups, so 10 samples a side; a confidence interval of the speedup narrower than 2 % of it (+-1 %); and
  /// noise below 1 %. Takes 200 resamples, as it is asked after each group.
  bool stable() const;

 private:
  std::vector<double> ratios_;     ///< two a group
  std::vector<double> between_a_;  ///< one a group, the second over the first or, in every other group, the inverse
  std::vector<double> between_b_;
};

}  // namespace upsweep::apps
