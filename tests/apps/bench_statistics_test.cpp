// Medians, bootstrap intervals, and interleaved samples.
#include "statistics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/seed.hpp"

namespace upsweep::test {
namespace {

using apps::interval;
using apps::paired_samples;

void expect_interval(const interval& got, double median, double low, double high) {
  EXPECT_DOUBLE_EQ(got.median, median);
  EXPECT_DOUBLE_EQ(got.low, low);
  EXPECT_DOUBLE_EQ(got.high, high);
}

/// Uniform in (0, 1).
double draw(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 12) + 0.5) / 4503599627370496.0;
}

/// The share of `trials` intervals of `make` in which `truth` lies.
template <class Make>
double coverage(int trials, double truth, Make make) {
  std::mt19937_64 random(seed());
  int covered = 0;
  for (int i = 0; i < trials; ++i) {
    const interval got = make(random);
    EXPECT_LE(got.low, got.median);
    EXPECT_LE(got.median, got.high);
    if (got.low <= truth && truth <= got.high) ++covered;
  }
  return static_cast<double>(covered) / trials;
}

TEST(bench_median, of_few_values) {
  EXPECT_EQ(apps::median(std::array{4.0}), 4);
  EXPECT_EQ(apps::median(std::array{4.0, 1.0}), 2.5);
  EXPECT_EQ(apps::median(std::array{9.0, -1.0, 3.0}), 3);
  EXPECT_EQ(apps::median(std::array{8.0, 1.0, 4.0, 2.0}), 3);
  EXPECT_EQ(apps::median(std::array{5.0, 5.0, 1.0, 5.0, 9.0, 9.0}), 5);
  EXPECT_THROW(apps::median({}), std::invalid_argument);
}

// The numbers come of another implementation of the same generator.
TEST(bench_bootstrap, has_the_same_interval_everywhere) {
  expect_interval(apps::bootstrap_median(std::array{23.0, 2.0, 19.0, 3.0, 17.0, 5.0, 13.0, 7.0, 11.0}), 11, 5, 19);
  expect_interval(apps::bootstrap_median(std::array{1.0, 1.5, 2.25, 2.75, 3.125, 4.5, 7.0, 8.25}), 2.9375, 1.5, 7);
  paired_samples samples;
  samples.add(1, 1.1, 1.3, 1);
  samples.add(1, 0.9, 1.2, 1);
  samples.add(1, 1.4, 1.05, 1);
  samples.add(1, 1, 1.25, 1);
  samples.add(1, 1.15, 1.35, 1);
  expect_interval(samples.speedup(), 1.175, 1.125, 1.225);
}

TEST(bench_bootstrap, of_equal_values_is_a_point) {
  expect_interval(apps::bootstrap_median(std::vector<double>(12, 0.25)), 0.25, 0.25, 0.25);
  expect_interval(apps::bootstrap_median(std::array{7.0}), 7, 7, 7);
  EXPECT_THROW(apps::bootstrap_median({}), std::invalid_argument);
}

TEST(bench_bootstrap, holds_the_true_median_19_times_of_20) {
  const double share = coverage(600, std::log(2.0), [](std::mt19937_64& random) {
    std::array<double, 20> values;
    for (double& value : values) value = -std::log(draw(random));
    return apps::bootstrap_median(values);
  });
  EXPECT_GE(share, 0.9) << "seed " << seed();
  EXPECT_LE(share, 0.99) << "seed " << seed();
}

TEST(bench_ratio, is_as_sure_as_both_medians_are) {
  expect_interval(apps::unpaired_ratio({3, 3, 3}, {2, 2, 2}), 1.5, 1.5, 1.5);
  expect_interval(apps::unpaired_ratio({3, 1.5, 12}, {2, 2, 2}), 1.5, 0.75, 6);
  expect_interval(apps::unpaired_ratio({3, 3, 3}, {2, 1, 8}), 1.5, 0.375, 3);
  const double both = std::exp(std::hypot(std::log(1.02), std::log(1.03)));
  expect_interval(apps::unpaired_ratio({3, 3 / 1.02, 3 * 1.02}, {2, 2 / 1.03, 2 * 1.03}), 1.5, 1.5 / both, 1.5 * both);
}

TEST(bench_bootstrap, holds_the_true_ratio_19_times_of_20) {
  const double share = coverage(600, 1.5, [](std::mt19937_64& random) {
    std::array<double, 15> over;
    std::array<double, 20> under;
    for (double& value : over) value = 3 + 0.3 * draw(random);
    for (double& value : under) value = 2 + 0.2 * draw(random);
    return apps::unpaired_ratio(apps::bootstrap_median(over), apps::bootstrap_median(under));
  });
  EXPECT_GE(share, 0.9) << "seed " << seed();
  EXPECT_LE(share, 0.99) << "seed " << seed();
}

// Two ratios that always agree are one observation: an interval that took them for two would hold 5 of 6.
TEST(bench_pairs, of_one_group_count_once_in_the_interval) {
  const double share = coverage(600, 1.1, [](std::mt19937_64& random) {
    paired_samples samples;
    for (int i = 0; i < 31; ++i) {
      const double b = 1.05 + 0.1 * draw(random);
      samples.add(1, b, b, 1);
    }
    return samples.speedup();
  });
  EXPECT_GE(share, 0.9) << "seed " << seed();
  EXPECT_LE(share, 0.99) << "seed " << seed();
}

TEST(bench_pairs, find_a_constant_ratio_under_drift) {
  for (const double drift : {0.998, 1.0, 1.002}) {
    paired_samples samples;
    std::vector<double> a, b;
    double pace = 1;
    const auto next = [&] { return pace *= drift; };
    for (int i = 0; i < 20; ++i) {
      const double a1 = next();
      const double b1 = 1.25 * next();
      const double b2 = 1.25 * next();
      samples.add(a1, b1, b2, next());
    }
    EXPECT_EQ(samples.groups(), 20u);
    const interval ratio = samples.speedup();
    EXPECT_NEAR(ratio.median, 1.25, 1e-5) << drift;
    EXPECT_NEAR(ratio.low, 1.25, 1e-5) << drift;
    EXPECT_NEAR(ratio.high, 1.25, 1e-5) << drift;
    EXPECT_TRUE(samples.stable()) << drift;
  }
}

TEST(bench_pairs, put_b_over_a) {
  paired_samples samples;
  samples.add(2, 6, 10, 2.5);
  EXPECT_DOUBLE_EQ(samples.speedup().median, 3.5);
}

TEST(bench_noise, is_the_side_that_differs_more_from_itself) {
  paired_samples samples;
  samples.add(1.00, 4, 4.00, 1.02);
  samples.add(1.02, 4.04, 4, 1.00);
  samples.add(1.00, 4, 4.40, 9.00);  // has no neighbour
  EXPECT_DOUBLE_EQ(samples.noise(), 1.02);
  paired_samples other;
  other.add(1.0, 4, 3.8, 1.01);
  EXPECT_DOUBLE_EQ(other.noise(), 0.95);
}

TEST(bench_noise, takes_the_samples_as_the_speedup_does) {
  // Every second sample is slow: the speedup of equal sides is 1 all the same.
  paired_samples samples;
  for (int i = 0; i < 6; ++i) samples.add(1, 1.1, 1, 1.1);
  EXPECT_NEAR(samples.speedup().median, 1, 0.006);
  EXPECT_NEAR(samples.noise(), 1, 0.006);
}

TEST(bench_noise, of_equal_sides_is_near_1) {
  std::mt19937_64 random(seed());
  paired_samples samples;
  const auto time = [&] { return 1 + 0.02 * draw(random); };
  for (int i = 0; i < 200; ++i) {
    const double a1 = time(), b1 = time(), b2 = time(), a2 = time();
    samples.add(a1, b1, b2, a2);
  }
  EXPECT_NEAR(samples.noise(), 1, 0.005) << "seed " << seed();
  EXPECT_NEAR(samples.speedup().median, 1, 0.004) << "seed " << seed();
}

TEST(bench_stable, needs_five_groups) {
  paired_samples samples;
  for (int i = 0; i < 4; ++i) {
    samples.add(1, 2, 2, 1);
    EXPECT_FALSE(samples.stable());
  }
  samples.add(1, 2, 2, 1);
  EXPECT_TRUE(samples.stable());
}

// Half of the groups say 2 - spread and half 2 + spread: the interval is from the one to the other.
TEST(bench_stable, needs_an_interval_within_a_percent) {
  const auto stable_at = [](double spread) {
    paired_samples samples;
    for (int i = 0; i < 20; ++i) {
      const double b = i % 2 == 0 ? 2 - spread : 2 + spread;
      samples.add(1, b, b, 1);
    }
    return samples.stable();
  };
  EXPECT_TRUE(stable_at(0.019));
  EXPECT_FALSE(stable_at(0.021));
}

// Every group gives the same speedup, by sides that differ from themselves.
TEST(bench_stable, needs_noise_below_a_percent) {
  const auto stable_at = [](double noise) {
    paired_samples samples;
    for (int i = 0; i < 20; ++i) {
      const double first = i % 2 == 0 ? 1 : noise, second = i % 2 == 0 ? noise : 1;
      samples.add(first, 2 * first, 2 * second, second);
    }
    return samples.stable();
  };
  EXPECT_TRUE(stable_at(1.009));
  EXPECT_FALSE(stable_at(1.011));
}

}  // namespace
}  // namespace upsweep::test
