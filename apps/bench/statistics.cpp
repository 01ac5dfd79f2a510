#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>

namespace upsweep::apps {
namespace {

constexpr int resamples = 1000;
constexpr int resamples_of_a_glance = 200;

// The engine's numbers are prescribed by the standard, those of the standard distributions are not.
using random_engine = std::mt19937;

/// `values` has its elements reordered.
double median_of(std::vector<double>& values) {
  if (values.empty()) throw std::invalid_argument("the median of no values");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// The medians of random selections of as many groups of `group` neighbours as `values` has, with repetition.
class resampler {
 public:
  resampler(std::span<const double> values, std::size_t group) : values_(values), group_(group) {}

  double median(random_engine& random) {
    const std::uint64_t groups = values_.size() / group_;
    drawn_.clear();
    for (std::uint64_t i = 0; i < groups; ++i) {
      const std::size_t first = static_cast<std::size_t>(random() * groups >> 32) * group_;
      drawn_.insert(drawn_.end(), &values_[first], &values_[first] + group_);
    }
    return median_of(drawn_);
  }

 private:
  std::span<const double> values_;
  std::size_t group_;
  std::vector<double> drawn_;
};

/// The median, and the interval that holds the middle 95 % of those of `count` selections.
interval bootstrap(std::span<const double> values, std::size_t group, int count) {
  const double estimate = median(values);
  resampler sampler(values, group);
  random_engine random(1);
  std::vector<double> drawn(static_cast<std::size_t>(count));
  for (double& value : drawn) value = sampler.median(random);
  std::sort(drawn.begin(), drawn.end());
  const auto tail = static_cast<std::size_t>(count / 40);
  return {estimate, drawn[tail], drawn[drawn.size() - 1 - tail]};
}

}  // namespace

double median(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_of(copy);
}

interval bootstrap_median(std::span<const double> values) {
  return bootstrap(values, 1, resamples);
}

timing timing_of_samples(std::string name, std::span<const double> samples_ms) {
  std::vector<double> rounded;
  for (const double ms : samples_ms) rounded.push_back(std::round(ms * 1e6) / 1e6);
  timing side;
  side.name = std::move(name);
  side.samples = std::ssize(rounded);
  if (!rounded.empty()) side.ms = bootstrap_median(rounded);
  return side;
}

interval unpaired_ratio(const interval& over, const interval& under) {
  const double ratio = over.median / under.median;
  const double down = std::hypot(std::log(over.median / over.low), std::log(under.high / under.median));
  const double up = std::hypot(std::log(over.high / over.median), std::log(under.median / under.low));
  return {ratio, ratio * std::exp(-down), ratio * std::exp(up)};
}

void paired_samples::add(double a1, double b1, double b2, double a2) {
  ratios_.push_back(b1 / a1);
  ratios_.push_back(b2 / a2);
  const bool swapped = between_a_.size() % 2 == 1;
  between_a_.push_back(swapped ? a1 / a2 : a2 / a1);
  between_b_.push_back(swapped ? b1 / b2 : b2 / b1);
}

interval paired_samples::speedup() const {
  return bootstrap(ratios_, 2, resamples);
}

double paired_samples::noise() const {
  // As many ratios of each way round.
  const std::size_t even = groups() == 1 ? 1 : groups() / 2 * 2;
  const double a = median(std::span(between_a_).first(even));
  const double b = median(std::span(between_b_).first(even));
  return std::abs(a - 1) > std::abs(b - 1) ? a : b;
}

bool paired_samples::stable() const {
  if (groups() < 5) return false;
  const interval ratio = bootstrap(ratios_, 2, resamples_of_a_glance);
  return ratio.high - ratio.low < 0.02 * ratio.median && std::abs(noise() - 1) < 0.01;
}

}  // namespace upsweep::apps
