// Which samples are taken, in which order, and which of them count: by a timer with known answers.
#include "measure.hpp"

#include <cctype>
#include <chrono>
#include <thread>

#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::bench_row;
using apps::call_sample;
using apps::contender;
using apps::timing_mode;

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
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
      return test_.outcome;
    }
    status capture(const contender& c, int calls, std::optional<contender>& graph) override {
      if (test_.has_graphs) graph = contender{.name = "graph of " + c.name, .call = c.call, .calls = calls};
      return test_.outcome;
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
  void expect_failure(const std::function<void()>& work, const std::string& words) {
    try {
      work();
      ADD_FAILURE() << "expected: " << words;
    } catch (const apps::failure& error) {
      EXPECT_EQ(error.code(), apps::exit_code::device);
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  }

  static void expect_all(const apps::timing& side, int samples, double ms) {
    EXPECT_EQ(side.samples, samples);
    EXPECT_EQ(side.ms.low, ms);
    EXPECT_EQ(side.ms.median, ms);
    EXPECT_EQ(side.ms.high, ms);
  }

  apps::device_session device{"sim"};
  std::string log;
  int timed = 0, flushes = 0;
  bool has_graphs = true;
  status outcome = status::success;
  /// What the sample of that number says. By default "a" takes 2 ms and all others 3.
  std::function<call_sample(const contender&, int)> answer = [](const contender& c, int) {
    return call_sample{c.name == "a" ? 2.0 : 3.0, 2000};
  };
};

TEST_F(measurement, goes_a_b_b_a_with_a_call_before_each_change_of_side) {
  const bench_row row = compared(1, 60);
  EXPECT_EQ(log, "aAbBBaA" + repeated("AbBBaA", 4));
  EXPECT_EQ(row.subject.name, "a");
  expect_all(row.subject, 10, 2);
  EXPECT_EQ(row.reference_timing->name, "b");
  expect_all(*row.reference_timing, 10, 3);
}

TEST_F(measurement, of_a_constant_ratio_gives_it_without_noise) {
  const bench_row row = compared(1, 60);
  EXPECT_EQ(row.speedup->median, 1.5);
  EXPECT_EQ(row.speedup->low, 1.5);
  EXPECT_EQ(row.speedup->high, 1.5);
  EXPECT_EQ(row.noise, 1.0);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.discarded, 0);
  EXPECT_EQ(row.subject.clock_mhz, 2000);
}

TEST_F(measurement, pairs_neighbours_so_that_drift_cancels) {
  answer = [](const contender& c, int i) { return call_sample{(c.name == "a" ? 2.0 : 3.0) * (1 + i / 4), 0}; };
  const bench_row row = compared(40, 60);
  EXPECT_EQ(row.speedup->median, 1.5);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.subject.clock_mhz, 0) << "no clock was told";
}

TEST_F(measurement, of_a_subject_alone_has_no_ratio) {
  bench_row row;
  measurer(1, 60).compare(writing("a"), nullptr, row);
  EXPECT_EQ(log, "a" + repeated("A", 10));
  EXPECT_EQ(row.subject.samples, 10);
  EXPECT_TRUE(row.stable);
  EXPECT_FALSE(row.reference_timing || row.speedup || row.noise);
}

TEST_F(measurement, takes_the_least_number_of_samples_of_each_side) {
  const bench_row row = compared(31, 60);
  EXPECT_EQ(row.subject.samples, 32);
  EXPECT_EQ(row.reference_timing->samples, 32);
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
  EXPECT_TRUE(row.stable);
}

TEST_F(measurement, of_a_clock_that_stays_low_takes_it_for_the_clock_there_is) {
  answer = [](const contender&, int i) { return call_sample{2, i == 0 ? 2000.0 : 1000.0}; };
  const bench_row row = compared(10, 0.002);
  EXPECT_EQ(row.subject.samples, 10);
  EXPECT_EQ(row.subject.clock_mhz, 1000);
  EXPECT_TRUE(row.stable);
  EXPECT_EQ(row.discarded, timed - 20) << "what came before is dropped and counted";
  EXPECT_GT(row.discarded, 0);
}

TEST_F(measurement, goes_on_while_the_ratio_is_not_stable) {
  answer = [](const contender& c, int i) { return call_sample{c.name == "a" || i % 8 < 4 ? 2.0 : 3.0, 0}; };
  const bench_row row = compared(1, 0.05);
  EXPECT_GT(row.subject.samples, 10);
  EXPECT_FALSE(row.stable);
}

TEST_F(measurement, that_is_late_ends_with_the_least_number_of_samples) {
  answer = [](const contender& c, int i) {
    if (i == 0) sleep_ms(110);
    return call_sample{c.name == "a" || i % 8 < 4 ? 2.0 : 3.0, 0};
  };
  const bench_row row = compared(20, 0.1);
  EXPECT_EQ(row.subject.samples, 20);
  EXPECT_FALSE(row.stable);
}

TEST_F(measurement, that_is_very_late_takes_the_least_number_of_samples_all_the_same) {
  answer = [](const contender&, int) {
    sleep_ms(1);
    return call_sample{2, 0};
  };
  EXPECT_EQ(compared(20, 0.0001).subject.samples, 20);
}

TEST_F(measurement, flushes_the_cache_in_cold_mode_alone) {
  compared(1, 60, timing_mode::cold);
  EXPECT_EQ(flushes, timed);
  flushes = 0;
  compared(1, 60, timing_mode::warm);
  compared(1, 60, timing_mode::graph);
  EXPECT_EQ(flushes, 0);
}

TEST_F(measurement, has_no_times_that_are_zero) {
  answer = [](const contender&, int) { return call_sample{0, 0}; };
  const bench_row row = compared(1, 60);
  EXPECT_EQ(row.subject.ms.median, 1e-6);
  EXPECT_EQ(row.speedup->median, 1);
}

TEST_F(measurement, of_loops_of_the_cpu_goes_by_the_clock_of_the_host) {
  contender serial = writing("s");
  serial.on_host = true;
  bench_row row;
  measurer(1, 0).compare(writing("a"), &serial, row);
  EXPECT_EQ(log, "aAssaA");
  EXPECT_EQ(row.reference_timing->samples, 2);
}

TEST_F(measurement, prepares_before_each_call) {
  std::string calls;
  const contender c{.name = "c",
                    .call =
                        [&] {
                          calls += 'c';
                          return status::success;
                        },
                    .prepare =
                        [&] {
                          calls += 'p';
                          return status::success;
                        }};
  apps::measurer m(device, {true, 1, 0}, apps::timer_for(device));
  bench_row row;
  m.compare(c, nullptr, row);
  EXPECT_EQ(calls, "pcpc") << "once to warm up and one sample";
  EXPECT_EQ(m.flushed_bytes(), 0u);
}

TEST_F(measurement, picks_the_way_with_the_least_median) {
  // By its best sample it would be a, by its mean b.
  const std::vector<double> a = {1, 9, 9, 9, 1}, b = {7, 6, 7, 6, 7}, c = {5, 5, 90, 5, 90};
  answer = [&](const contender& way, int i) {
    const auto& times = way.name == "a" ? a : way.name == "b" ? b : c;
    return call_sample{times.at(static_cast<std::size_t>(i) / 3), 0};
  };
  EXPECT_EQ(measurer(1, 60).fastest({writing("a"), writing("b"), writing("c")}, timing_mode::cold).name, "c");
  EXPECT_EQ(log, repeated("aAbBcC", 5));
}

TEST_F(measurement, does_not_time_the_only_way) {
  EXPECT_EQ(measurer(1, 60).fastest({writing("a")}, timing_mode::cold).name, "a");
  EXPECT_EQ(log, "");
}

TEST_F(measurement, of_graphs_captures_many_calls_and_checks_them) {
  contender a = writing("a");
  int made = 0;
  a.check = [&](const std::function<status()>& call) {
    made = static_cast<int>(call());
    return std::string("of the call");
  };
  a.bytes = 7;
  apps::measurer m = measurer(1, 60);
  const contender graph = m.in_mode(a, timing_mode::graph);
  EXPECT_EQ(graph.name, "graph of a");
  EXPECT_EQ(graph.calls, 50);
  EXPECT_EQ(graph.check([] { return status::invalid_value; }), "of the call");
  EXPECT_EQ(made, static_cast<int>(status::invalid_value));
  EXPECT_EQ(graph.bytes, 7u);
  EXPECT_EQ(m.in_mode(a, timing_mode::cold).name, "a");
  EXPECT_EQ(m.in_mode(a, timing_mode::warm).name, "a");
  a.on_host = true;
  EXPECT_EQ(m.in_mode(a, timing_mode::graph).name, "a");
  a.on_host = false;
  has_graphs = false;
  EXPECT_EQ(m.in_mode(a, timing_mode::graph).name, "a");
}

TEST_F(measurement, ends_when_a_call_fails) {
  outcome = status::launch_failure;
  expect_failure([&] { compared(1, 60); }, "a failed: cudaErrorLaunchFailure");
  expect_failure([&] { measurer(1, 60).in_mode(writing("a"), timing_mode::graph); }, "a failed: ");
  contender broken = writing("c");
  broken.prepare = [] { return status::invalid_value; };
  expect_failure([&] { measurer(1, 60).warm_up(broken); }, "c failed: ");
  EXPECT_EQ(log.find('c'), std::string::npos) << "what could not be prepared is not called";
}

TEST(host_timer, leaves_out_the_preparation_and_divides_by_the_calls) {
  const auto timer = apps::make_host_timer();
  contender c{.name = "c", .call = [] {
                sleep_ms(20);
                return status::success;
              }};
  call_sample sample;
  EXPECT_EQ(timer->time(c, true, sample), status::success);
  EXPECT_GE(sample.ms, 20);
  EXPECT_EQ(sample.clock_mhz, 0);
  c.calls = 1000;
  EXPECT_EQ(timer->time(c, true, sample), status::success);
  EXPECT_GE(sample.ms, 0.02);
  EXPECT_LT(sample.ms, 20);

  int calls = 0;
  contender prepared{.name = "p",
                     .call =
                         [&] {
                           ++calls;
                           return status::success;
                         },
                     .prepare =
                         [] {
                           sleep_ms(100);
                           return status::success;
                         }};
  EXPECT_EQ(timer->time(prepared, true, sample), status::success);
  EXPECT_LT(sample.ms, 100);
  prepared.prepare = [] { return status::invalid_value; };
  EXPECT_EQ(timer->time(prepared, true, sample), status::invalid_value);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace upsweep::test
