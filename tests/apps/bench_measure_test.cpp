// Which samples are taken, in which order, which of them count, by a timer with known answers; and what they come to.
#include "measure.hpp"

#include <cctype>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "statistics.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::bench_row;
using apps::call_sample;
using apps::contender;
using apps::interval;
using apps::paired_samples;
using apps::timing_mode;

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

void expect_interval(const interval& got, double median, double low, double high) {
  EXPECT_DOUBLE_EQ(got.median, median);
  EXPECT_DOUBLE_EQ(got.low, low);
  EXPECT_DOUBLE_EQ(got.high, high);
}

class measurement : public testing::Test {
 protected:
  /// Writes a contender's name in upper case for each sample of it.
  class timer final : public apps::call_timer {
   public:
    explicit timer(measurement& test) : test_(test) {}
    status time(const contender& c, bool flush_l2, call_sample& sample) override {
      test_.log += static_cast<char>(std::toupper(c.name[0]));
      test_.flushes += flush_l2;
      sample = test_.answer(c, test_.timed++);
      return status::success;
    }
    status capture(const contender& c, int calls, std::optional<contender>& graph) override {
      graph = contender{.name = "graph of " + c.name, .call = c.call, .calls = calls};
      return status::success;
    }

   private:
    measurement& test_;
  };

  /// Writes its name for each call.
  contender writing(const std::string& name) {
    return {.name = name, .call = [this, name] {
              log += name;
              return status::success;
            }};
  }
  apps::measurer measurer(int min_samples, double max_seconds) {
    return {device, {true, min_samples, max_seconds}, std::make_unique<timer>(*this)};
  }
  /// A row of "a" against "b".
  bench_row compared(int min_samples, double max_seconds, timing_mode mode = timing_mode::cold) {
    bench_row row;
    row.mode = mode;
    const contender b = writing("b");
    measurer(min_samples, max_seconds).compare(writing("a"), &b, row);
    return row;
  }
  static void expect_all(const apps::timing& side, int samples, double ms) {
    EXPECT_EQ(side.samples, samples);
    expect_interval(side.ms, ms, ms, ms);
  }

  apps::device_session device{"sim"};
  std::string log;
  int timed = 0, flushes = 0;
  /// What the sample of that number says. By default "a" takes 2 ms and all others 3.
  std::function<call_sample(const contender&, int)> answer = [](const contender& c, int) {
    return call_sample{c.name == "a" ? 2.0 : 3.0, 2000};
  };
};

TEST_F(measurement, goes_a_b_b_a_with_a_call_before_each_change_of_side) {
  const bench_row row = compared(1, 60);
  EXPECT_EQ(log, "aAbBBaAAbBBaAAbBBaAAbBBaAAbBBaA");
  EXPECT_EQ(flushes, timed) << "in cold mode";
  EXPECT_EQ(row.subject.name, "a");
  expect_all(row.subject, 10, 2);
  EXPECT_EQ(row.reference_timing->name, "b");
  expect_all(*row.reference_timing, 10, 3);
  expect_interval(*row.speedup, 1.5, 1.5, 1.5);
  EXPECT_EQ(row.noise, 1.0);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.discarded, 0);
  EXPECT_EQ(row.subject.clock_mhz, 2000);
}

TEST_F(measurement, pairs_neighbours_so_that_drift_cancels) {
  answer = [](const contender& c, int i) { return call_sample{(c.name == "a" ? 2.0 : 3.0) * (1 + i / 4), 0}; };
  const bench_row row = compared(39, 60, timing_mode::warm);
  EXPECT_EQ(flushes, 0);
  EXPECT_EQ(row.subject.samples, 40);
  EXPECT_EQ(row.reference_timing->samples, 40);
  EXPECT_EQ(row.speedup->median, 1.5);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.subject.clock_mhz, 0) << "no clock was told";
}

TEST_F(measurement, drops_the_group_of_a_throttled_sample) {
  // 1799 of 2000 MHz is throttled, 1800 is not; the dropped group's times would show.
  answer = [](const contender& c, int i) {
    if (i / 4 == 1) return call_sample{100.0 + i, i == 6 ? 1799.0 : 2000.0};
    return call_sample{c.name == "a" ? 2.0 : 3.0, i == 8 ? 1800.0 : 2000.0};
  };
  const bench_row row = compared(1, 60);
  EXPECT_EQ(timed, 24);
  EXPECT_EQ(row.discarded, 4);
  expect_all(row.subject, 10, 2);
  expect_all(*row.reference_timing, 10, 3);
}

TEST_F(measurement, of_a_clock_that_stays_low_takes_it_for_the_clock_there_is) {
  answer = [](const contender&, int i) { return call_sample{2, i == 0 ? 2000.0 : 1000.0}; };
  const bench_row row = compared(10, 0.002);
  EXPECT_EQ(row.subject.samples, 10);
  EXPECT_EQ(row.subject.clock_mhz, 1000);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.discarded, timed - 20) << "what came before is dropped and counted";
}

TEST_F(measurement, goes_on_while_the_ratio_is_not_stable_until_time_is_up) {
  int late = 0;
  answer = [&](const contender& c, int i) {
    if (i == 0) sleep_ms(late);
    return call_sample{c.name == "a" || i % 8 < 4 ? 2.0 : 3.0, 0};
  };
  EXPECT_GT(compared(1, 0.05).subject.samples, 10);
  timed = 0;
  late = 110;
  const bench_row row = compared(20, 0.1);
  EXPECT_EQ(row.subject.samples, 20) << "the least number is taken all the same";
  EXPECT_FALSE(row.stable);
}

TEST_F(measurement, picks_the_way_with_the_least_median) {
  // By its best sample it would be a, by its mean b.
  const std::vector<double> a = {1, 9, 9, 9, 1}, b = {7, 6, 7, 6, 7}, c = {5, 5, 90, 5, 90};
  answer = [&](const contender& way, int i) {
    const auto& times = way.name == "a" ? a : way.name == "b" ? b : c;
    return call_sample{times.at(static_cast<std::size_t>(i) / 3), 0};
  };
  EXPECT_EQ(measurer(1, 60).fastest({writing("a"), writing("b"), writing("c")}, timing_mode::cold).name, "c");
  EXPECT_EQ(log, "aAbBcCaAbBcCaAbBcCaAbBcCaAbBcC");
}

TEST_F(measurement, of_graphs_captures_many_calls_and_checks_them) {
  contender a = writing("a");
  a.check = [&](const std::function<status()>& call) { return std::string(status_name(call())); };
  a.bytes = 7;
  apps::measurer m = measurer(1, 60);
  const contender graph = m.in_mode(a, timing_mode::graph);
  EXPECT_EQ(graph.name, "graph of a");
  EXPECT_EQ(graph.calls, 50);
  EXPECT_EQ(graph.check([] { return status::invalid_value; }), "cudaErrorInvalidValue");
  EXPECT_EQ(graph.bytes, 7u);
  a.on_host = true;
  EXPECT_EQ(m.in_mode(a, timing_mode::graph).name, "a");
}

TEST(host_timer, leaves_out_the_preparation_and_divides_by_the_calls) {
  const auto timer = apps::make_host_timer();
  const auto lasting = [&](int ms) {
    return [ms] {
      sleep_ms(ms);
      return status::success;
    };
  };
  contender c{.name = "c", .call = lasting(20), .prepare = lasting(100)};
  call_sample sample;
  EXPECT_EQ(timer->time(c, true, sample), status::success);
  EXPECT_GE(sample.ms, 20);
  EXPECT_LT(sample.ms, 100);
  c.calls = 1000;
  EXPECT_EQ(timer->time(c, true, sample), status::success);
  EXPECT_LT(sample.ms, 20);
}

/// Uniform in (0, 1).
double draw(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 12) + 0.5) / 4503599627370496.0;
}

/// Expects that `truth` lies in 19 of 20 intervals of `make`, and that each holds its median.
template <class Make>
void expect_sure(double truth, Make make) {
  std::mt19937_64 random(seed());
  int covered = 0;
  for (int i = 0; i < 600; ++i) {
    const interval got = make(random);
    EXPECT_LE(got.low, got.median);
    EXPECT_LE(got.median, got.high);
    covered += got.low <= truth && truth <= got.high;
  }
  EXPECT_GE(covered, 540) << "seed " << seed();
  EXPECT_LE(covered, 594) << "seed " << seed();
}

// The numbers come of another implementation of the same generator.
TEST(bench_bootstrap, has_the_same_interval_everywhere) {
  expect_interval(apps::bootstrap_median(std::array{23.0, 2.0, 19.0, 3.0, 17.0, 5.0, 13.0, 7.0, 11.0}), 11, 5, 19);
  expect_interval(apps::bootstrap_median(std::array{7.0}), 7, 7, 7);
  paired_samples samples;
  samples.add(1, 1.1, 1.3, 1);
  samples.add(1, 0.9, 1.2, 1);
  samples.add(1, 1.4, 1.05, 1);
  samples.add(1, 1, 1.25, 1);
  samples.add(1, 1.15, 1.35, 1);
  expect_interval(samples.speedup(), 1.175, 1.125, 1.225);
}

TEST(bench_bootstrap, holds_the_truth_19_times_of_20) {
  expect_sure(1.5, [](std::mt19937_64& random) {
    std::array<double, 15> over;
    std::array<double, 20> under;
    for (double& value : over) value = 3 + 0.3 * draw(random);
    for (double& value : under) value = 2 + 0.2 * draw(random);
    return apps::unpaired_ratio(apps::bootstrap_median(over), apps::bootstrap_median(under));
  });
  // Two ratios that always agree are one observation: an interval that took them for two would hold 5 of 6.
  expect_sure(1.1, [](std::mt19937_64& random) {
    paired_samples samples;
    for (int i = 0; i < 31; ++i) {
      const double b = 1.05 + 0.1 * draw(random);
      samples.add(1, b, b, 1);
    }
    return samples.speedup();
  });
}

TEST(bench_ratio, is_as_sure_as_both_medians_are) {
  expect_interval(apps::unpaired_ratio({3, 3, 3}, {2, 1, 8}), 1.5, 0.375, 3);
  const double both = std::exp(std::hypot(std::log(1.02), std::log(1.03)));
  expect_interval(apps::unpaired_ratio({3, 3 / 1.02, 3 * 1.02}, {2, 2 / 1.03, 2 * 1.03}), 1.5, 1.5 / both, 1.5 * both);
}

// Half of the groups say 2 - spread and half 2 + spread: the interval is from the one to the other. Or all give the
// same speedup, by sides that differ from themselves.
TEST(bench_stable, needs_five_groups_an_interval_within_a_percent_and_noise_below_one) {
  const auto stable_at = [](int groups, double spread, double noise) {
    paired_samples samples;
    for (int i = 0; i < groups; ++i) {
      const double first = i % 2 == 0 ? 1 : noise, second = i % 2 == 0 ? noise : 1;
      const double ratio = i % 2 == 0 ? 2 - spread : 2 + spread;
      samples.add(first, ratio * first, ratio * second, second);
    }
    return samples.stable();
  };
  EXPECT_FALSE(stable_at(4, 0, 1));
  EXPECT_TRUE(stable_at(5, 0, 1));
  EXPECT_TRUE(stable_at(20, 0.019, 1));
  EXPECT_FALSE(stable_at(20, 0.021, 1));
  EXPECT_TRUE(stable_at(20, 0, 1.009));
  EXPECT_FALSE(stable_at(20, 0, 1.011));
}

}  // namespace
}  // namespace upsweep::test
