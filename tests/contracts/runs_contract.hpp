// What reduce_by_key and run_length_encode promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "contracts/unique_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/compact/run_length.cuh"
#include "upsweep/compact/unique.cuh"

namespace upsweep::test {

/// Runs of exactly `length` keys, the first and the last shorter.
inline std::vector<std::uint32_t> keys_in_equal_runs(std::size_t n, std::size_t length) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>((i + length / 2) / length) % 3;
  return keys;
}

/// Of keys that count up: fours are a run. Sets `*misused` where it is asked of others than neighbours, or a key and
/// itself.
struct same_fours {
  std::uint32_t* misused;
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t a, std::uint32_t b) const {
    if (b != a + 1 && b != a) *misused = 1;
    return a / 4 == b / 4;
  }
};

/// Of each run: where it begins, and its reduction.
template <class T>
struct reduced_runs {
  std::vector<std::int64_t> begin;
  std::vector<T> sum;
};
template <class T, class Value, class Same, class Op>
reduced_runs<T> runs_one_by_one(const std::vector<std::uint32_t>& keys, const std::vector<Value>& values, Same same,
                                Op op) {
  reduced_runs<T> runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || !same(keys[i - 1], keys[i])) {
      runs.begin.push_back(static_cast<std::int64_t>(i));
      runs.sum.push_back(static_cast<T>(values[i]));
    } else {
      runs.sum.back() = op(runs.sum.back(), static_cast<T>(values[i]));
    }
  }
  return runs;
}

/// What an array holds that held `before`, once `runs` are written over its first items.
template <class T>
std::vector<T> written_over(std::vector<T> before, const std::vector<T>& runs) {
  std::copy_n(runs.begin(), std::min(runs.size(), before.size()), before.begin());
  return before;
}

/// One call of arrays at odd addresses, or at those that bulk copies ask for, in a workspace of noise; keys of one run
/// are `same`.
template <class Policy, class T, class Stream, class Value, class Op, class Same = equal_to>
void expect_reduced_at(bool odd, test_device<Stream>& d, const std::vector<std::uint32_t>& keys,
                       const std::vector<Value>& values, Op op, Same same) {
  const std::size_t n = keys.size();
  const auto items = static_cast<std::int64_t>(n);
  const auto right = runs_one_by_one<T>(keys, values, same, op);
  guarded_array<std::uint32_t, Stream> keys_in(d, keys, odd ? 4 : 0), keys_out(d, n, 4);
  guarded_array<Value, Stream> values_in(d, values, odd ? alignof(Value) : 0);
  guarded_array<T, Stream> out(d, n, alignof(T));
  guarded_array<std::int64_t, Stream> count(d, 1);
  const auto keys_before = keys_out.items();
  const auto out_before = out.items();
  const std::size_t bytes = reduce_by_key_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(),
                                                                  out.data(), count.data(), items, op, same);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  ASSERT_EQ(static_cast<status>(reduce_by_key<Policy>(workspace{work.data(), bytes}, keys_in.data(), keys_out.data(),
                                                      values_in.data(), out.data(), count.data(), items, op, same,
                                                      d.stream())),
            status::success)
      << d.message();
  std::vector<std::uint32_t> last_keys;
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 1 == n || !same(keys[i], keys[i + 1])) last_keys.push_back(keys[i]);
  }
  EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(right.begin.size()));
  EXPECT_TRUE(same_items(keys_out.items(), written_over(keys_before, last_keys)));
  EXPECT_TRUE(same_items(out.items(), written_over(out_before, right.sum)));
  keys_in.expect_unchanged();
  values_in.expect_unchanged();
  work.expect_guards();
}
template <class Policy, class T, class Stream, class Value, class Op, class Same = equal_to>
void expect_reduced(test_device<Stream>& d, const std::vector<std::uint32_t>& keys, const std::vector<Value>& values,
                    Op op, Same same = {}) {
  for (const bool odd : {true, false}) expect_reduced_at<Policy, T>(odd, d, keys, values, op, same);
}

/// One call of unique, with n in device memory where the count goes.
template <class Policy, class Stream>
void expect_unique(test_device<Stream>& d, const std::vector<std::uint32_t>& keys, std::size_t capacity,
                   bool in_place) {
  const std::size_t n = keys.size(), bound = n + 5;
  const auto right = runs_one_by_one<std::int64_t>(keys, std::vector<std::int64_t>(n, 1), equal_to{}, std::plus<>{});
  std::vector<std::uint32_t> firsts, inverse;
  for (const std::int64_t i : right.begin) firsts.push_back(keys[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_head = i == 0 || keys[i - 1] != keys[i];
    inverse.push_back(i == 0 ? 0 : inverse.back() + (is_head ? 1 : 0));
  }
  std::vector<std::uint32_t> padded(keys);
  padded.resize(bound, 7);
  guarded_array<std::uint32_t, Stream> in(d, padded), apart(d, capacity, 4), which(d, bound, 4);
  guarded_array<std::int64_t, Stream> lengths(d, capacity), starts(d, capacity), wanted(d, 1);
  guarded_array<std::int64_t, Stream> count(d, std::vector{static_cast<std::int64_t>(n)});
  std::uint32_t* const out = in_place ? in.data() : apart.data();
  unique_results results(count.data());
  results.wanted = wanted.data();
  results.indices = starts.data();
  results.counts = lengths.data();
  results.inverse = which.data();
  results.capacity = static_cast<std::int64_t>(capacity);
  const device_count length{count.data(), static_cast<std::int64_t>(bound)};
  const std::size_t bytes = unique_workspace_bytes<Policy>(in.data(), out, results, length);
  guarded_array<unsigned char, Stream> work(d, bytes, 1);
  const auto apart_before = apart.items(), which_before = which.items();
  const auto lengths_before = lengths.items(), starts_before = starts.items();
  ASSERT_EQ(static_cast<status>(
                unique<Policy>(workspace{work.data(), bytes}, in.data(), out, results, length, equal_to{}, d.stream())),
            status::success)
      << d.message();
  const std::size_t kept = std::min(capacity, firsts.size());
  EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(kept));
  EXPECT_EQ(wanted.items()[0], static_cast<std::int64_t>(firsts.size()));
  EXPECT_TRUE(same_items(lengths.items(), written_over(lengths_before, right.sum)));
  EXPECT_TRUE(same_items(starts.items(), written_over(starts_before, right.begin)));
  EXPECT_TRUE(same_items(which.items(), written_over(which_before, inverse)));
  if (!in_place) {
    EXPECT_TRUE(same_items(apart.items(), written_over(apart_before, firsts)));
    in.expect_unchanged();
  } else {
    firsts.resize(kept);
    auto now = in.items();
    now.resize(kept);  // after them is what was there, or what moved
    EXPECT_TRUE(same_items(now, firsts));
  }
}

/// One call for the runs of more than one item, with n in device memory where their number goes; of keys at an odd
/// address, or at one that bulk copies ask for.
template <class Policy, class Stream>
void expect_non_trivial_at(bool odd, test_device<Stream>& d, const std::vector<std::uint32_t>& keys,
                           std::size_t capacity) {
  const std::size_t n = keys.size();
  std::vector<std::int64_t> begin;
  std::vector<std::uint32_t> length;
  const auto runs = runs_one_by_one<std::uint32_t>(keys, std::vector<std::uint32_t>(n, 1), equal_to{}, std::plus<>{});
  for (std::size_t i = 0; i < runs.begin.size(); ++i) {
    if (runs.sum[i] < 2) continue;
    begin.push_back(runs.begin[i]);
    length.push_back(runs.sum[i]);
  }
  guarded_array<std::uint32_t, Stream> in(d, keys, odd ? 4 : 0), lengths(d, capacity, 4);
  guarded_array<std::int64_t, Stream> starts(d, capacity), wanted(d, 1);
  guarded_array<std::int64_t, Stream> count(d, std::vector{static_cast<std::int64_t>(n)});
  select_results results(count.data());
  results.wanted = wanted.data();
  results.capacity = static_cast<std::int64_t>(capacity);
  const device_count items{count.data(), static_cast<std::int64_t>(n)};
  const std::size_t bytes =
      run_length_encode_non_trivial_workspace_bytes<Policy>(in.data(), starts.data(), lengths.data(), results, items);
  guarded_array<unsigned char, Stream> work(d, bytes, 1);
  const auto starts_before = starts.items();
  const auto lengths_before = lengths.items();
  ASSERT_EQ(static_cast<status>(run_length_encode_non_trivial<Policy>(workspace{work.data(), bytes}, in.data(),
                                                                      starts.data(), lengths.data(), results, items,
                                                                      equal_to{}, d.stream())),
            status::success)
      << d.message();
  EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(std::min(capacity, begin.size())));
  EXPECT_EQ(wanted.items()[0], static_cast<std::int64_t>(begin.size()));
  EXPECT_TRUE(same_items(starts.items(), written_over(starts_before, begin)));
  EXPECT_TRUE(same_items(lengths.items(), written_over(lengths_before, length)));
  in.expect_unchanged();
  work.expect_guards();
}
template <class Policy, class Stream>
void expect_non_trivial(test_device<Stream>& d, const std::vector<std::uint32_t>& keys, std::size_t capacity) {
  for (const bool odd : {true, false}) expect_non_trivial_at<Policy>(odd, d, keys, capacity);
}

template <class Policy, class Stream>
void add_runs_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr auto tile = static_cast<std::size_t>(Policy::template tile_items<std::uint32_t, std::uint32_t>);

  add("sums_of_runs_of_every_length", [](device& d) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{33}, tile - 1, tile,
                                tile + 1, 2 * tile, 2 * tile + 1, 5 * tile + 7}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{8}, tile, std::size_t{1000}}) {
        SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(length));
        expect_reduced<Policy, std::uint32_t>(d, keys_in_equal_runs(n, length), random_items<std::uint32_t>(n), plus{});
      }
      expect_reduced<Policy, std::uint32_t>(d, std::vector<std::uint32_t>(n, 7), random_items<std::uint32_t>(n),
                                            plus{});
    }
  });
  add("sums_of_every_number_of_items", [](device& d) {
    // Of large tiles some.
    const std::size_t most = tile > 512 ? 40 : 2 * tile + 1;
    for (std::size_t n = 0; n <= most; n += n < 40 || tile <= 64 ? 1 : 13) {
      SCOPED_TRACE(n);
      expect_reduced<Policy, std::uint32_t>(d, keys_in_runs(n, 3), random_items<std::uint32_t>(n), plus{});
    }
  });
  add("runs_begin_at_the_borders_of_tiles", [](device& d) {
    for (const std::size_t at : {tile - 1, tile, tile + 1}) {
      std::vector<std::uint32_t> keys(3 * tile, 1);
      for (std::size_t i = at; i < keys.size(); ++i) keys[i] = 2;
      for (std::size_t i = 2 * tile; i < keys.size(); ++i) keys[i] = 3;
      expect_reduced<Policy, std::uint32_t>(d, keys, random_items<std::uint32_t>(keys.size()), plus{});
    }
  });
  add("values_are_taken_in_order_and_each_once", [](device& d) {
    for (const std::uint64_t length : {1, 5, 700}) {
      const std::size_t n = 4 * tile + 5;
      const auto keys = keys_in_runs(n, length);
      std::vector<affine> maps = random_items<affine>(n);
      expect_reduced<Policy, affine>(d, keys, maps, compose{});
      using span = span_of<std::uint32_t>;
      std::vector<span> spans(n);
      for (std::size_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::uint32_t>(i + 1);
        spans[i] = {at, at};
      }
      guarded_array<std::uint32_t, Stream> misused(d, std::vector<std::uint32_t>{0});
      std::uint32_t of_oracle = 0;
      const auto right = runs_one_by_one<span>(keys, spans, equal_to{}, join<std::uint32_t>{&of_oracle});
      guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, n);
      guarded_array<span, Stream> in(d, spans), out(d, n);
      guarded_array<std::int64_t, Stream> count(d, 1);
      const join<std::uint32_t> op{misused.data()};
      const auto before = out.items();
      const std::size_t bytes = reduce_by_key_workspace_bytes<Policy>(
          keys_in.data(), keys_out.data(), in.data(), out.data(), count.data(), static_cast<std::int64_t>(n), op);
      guarded_array<unsigned char, Stream> work(d, bytes, 3);
      ASSERT_EQ(static_cast<status>(reduce_by_key<Policy>(workspace{work.data(), bytes}, keys_in.data(),
                                                          keys_out.data(), in.data(), out.data(), count.data(),
                                                          static_cast<std::int64_t>(n), op, equal_to{}, d.stream())),
                status::success)
          << d.message();
      EXPECT_TRUE(same_items(out.items(), written_over(before, right.sum)));
      EXPECT_EQ(misused.items()[0], 0u);
    }
  });
  add("wide_values", [](device& d) {
    const std::size_t n = 3 * tile + 1;
    std::vector<four_maps> values(n);
    random_source random(n);
    for (four_maps& v : values) {
      for (auto& m : v.map) m = {random() | 1, random()};
    }
    expect_reduced<Policy, four_maps>(d, keys_in_runs(n, 20), values, compose_four{});
    expect_reduced<Policy, double>(d, keys_in_runs(n, 20), random_items<double>(n), plus{});
  });
  add("sums_follow_a_wider_output", [](device& d) {
    const std::size_t n = 2 * tile + 9;
    expect_reduced<Policy, std::uint64_t>(d, keys_in_runs(n, 50), random_items<std::uint32_t>(n), plus{});
    expect_reduced<Policy, int>(d, keys_in_runs(n, 50), random_items<std::uint8_t>(n), plus{});
  });
  add("the_last_of_keys_that_are_equal_is_written", [](device& d) {
    const std::size_t n = 2 * tile + 9;
    expect_reduced<Policy, std::uint32_t>(d, keys_in_runs(n, 2), random_items<std::uint32_t>(n), plus{}, same_tens{});
  });
  add("equality_is_asked_of_keys_that_are_there", [](device& d) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{33}, tile, 2 * tile + 5}) {
      std::vector<std::uint32_t> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(7 + i);
      guarded_array<std::uint32_t, Stream> misused(d, std::vector<std::uint32_t>{0});
      std::uint32_t of_oracle = 0;
      const std::vector<std::uint32_t> values(n, 1);
      const auto right = runs_one_by_one<std::uint32_t>(keys, values, same_fours{&of_oracle}, plus{});
      guarded_array<std::uint32_t, Stream> in(d, keys), ones(d, values), keys_out(d, n), out(d, n), count(d, 1);
      const same_fours same{misused.data()};
      const auto before = out.items();
      const std::size_t bytes =
          reduce_by_key_workspace_bytes<Policy>(in.data(), keys_out.data(), ones.data(), out.data(), count.data(),
                                                static_cast<std::int64_t>(n), plus{}, same);
      guarded_array<unsigned char, Stream> work(d, bytes);
      ASSERT_EQ(static_cast<status>(reduce_by_key<Policy>(workspace{work.data(), bytes}, in.data(), keys_out.data(),
                                                          ones.data(), out.data(), count.data(),
                                                          static_cast<std::int64_t>(n), plus{}, same, d.stream())),
                status::success)
          << d.message();
      EXPECT_TRUE(same_items(out.items(), written_over(before, right.sum)));
      EXPECT_EQ(misused.items()[0], 0u);
    }
  });
  add("lengths_and_starts_under_a_capacity_and_n_on_the_device", [](device& d) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, tile, 3 * tile + 2}) {
      for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}, tile / 2, 4 * tile}) {
        SCOPED_TRACE(std::to_string(n) + " items, room for " + std::to_string(capacity));
        const auto keys = keys_in_runs(4 * tile, 2);
        const std::vector<std::uint32_t> used(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
        const auto right =
            runs_one_by_one<std::int64_t>(used, std::vector<std::int64_t>(n, 1), equal_to{}, std::plus<>{});
        std::vector<std::uint32_t> values;
        for (const std::int64_t i : right.begin) values.push_back(keys[static_cast<std::size_t>(i)]);
        const auto room = std::min(capacity, right.sum.size());
        guarded_array<std::uint32_t, Stream> in(d, keys), out(d, capacity);
        guarded_array<std::int64_t, Stream> lengths(d, capacity), starts(d, capacity), wanted(d, 1);
        guarded_array<std::int64_t, Stream> count(d, std::vector{static_cast<std::int64_t>(n)});
        select_results results(count.data());  // the number of runs goes where n lies
        results.wanted = wanted.data();
        results.indices = starts.data();
        results.capacity = static_cast<std::int64_t>(capacity);
        const device_count length{count.data(), static_cast<std::int64_t>(keys.size())};
        const std::size_t bytes =
            run_length_encode_workspace_bytes<Policy>(in.data(), out.data(), lengths.data(), results, length);
        guarded_array<unsigned char, Stream> work(d, bytes, 1);
        const auto out_before = out.items();
        const auto lengths_before = lengths.items();
        const auto starts_before = starts.items();
        ASSERT_EQ(
            static_cast<status>(run_length_encode<Policy>(workspace{work.data(), bytes}, in.data(), out.data(),
                                                          lengths.data(), results, length, equal_to{}, d.stream())),
            status::success)
            << d.message();
        EXPECT_EQ(count.items()[0], static_cast<std::int64_t>(room));
        EXPECT_EQ(wanted.items()[0], static_cast<std::int64_t>(right.sum.size()));
        EXPECT_TRUE(same_items(lengths.items(), written_over(lengths_before, right.sum)));
        EXPECT_TRUE(same_items(starts.items(), written_over(starts_before, right.begin)));
        EXPECT_TRUE(same_items(out.items(), written_over(out_before, values)));
      }
    }
  });
  add("unique_with_counts_and_the_inverse", [](device& d) {
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, 3 * tile + 2}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{40}, 2 * tile}) {
        for (const std::size_t capacity : {4 * tile, n / (2 * length)}) {
          SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(length));
          expect_unique<Policy>(d, keys_in_equal_runs(n, length), capacity, false);
          expect_unique<Policy>(d, keys_in_equal_runs(n, length), capacity, true);
        }
      }
    }
  });
  add("unique_in_place_with_few_equal_neighbours", [](device& d) {
    // Items move by a few places, or by none: those before tiles are written over early.
    for (const std::size_t at : {std::size_t{1}, tile / 2, tile, 2 * tile - 1}) {
      std::vector<std::uint32_t> keys(3 * tile + 3);
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i < at ? i : i - 1);
      expect_unique<Policy>(d, keys, keys.size(), true);
    }
  });
  add("starts_and_lengths_of_runs_of_more_than_one", [](device& d) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{33}, tile, 3 * tile + 2}) {
      for (const std::uint64_t length : {1, 2, 5, 100}) {
        SCOPED_TRACE(std::to_string(n) + " items in runs of about " + std::to_string(length));
        expect_non_trivial<Policy>(d, keys_in_runs(n, length), 2 * n + 1);
        expect_non_trivial<Policy>(d, keys_in_equal_runs(n, length), n / 8);
      }
      std::vector<std::uint32_t> distinct(n);
      for (std::size_t i = 0; i < n; ++i) distinct[i] = static_cast<std::uint32_t>(i);
      expect_non_trivial<Policy>(d, distinct, n);
      if (n > 0) distinct[n - 1] = distinct[n / 2];
      expect_non_trivial<Policy>(d, distinct, n);
    }
    for (const std::size_t at : {tile - 1, tile, tile + 1}) {  // pairs at the border of tiles
      std::vector<std::uint32_t> keys(2 * tile + 1);
      for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i < at ? i : i - 1);
      expect_non_trivial<Policy>(d, keys, keys.size());
    }
  });
  add("keys_and_values_of_iterators", [](device& d) {
    const std::size_t n = 2 * tile + 3, runs = (n + 2) / 3;
    const auto items = static_cast<std::int64_t>(n);
    const steps keys{3, 2, items};
    guarded_array<std::int64_t, Stream> keys_out(d, runs), count(d, 1);
    guarded_array<std::uint8_t, Stream> sums(d, runs);
    const std::size_t bytes = reduce_by_key_workspace_bytes<Policy>(keys, keys_out.data(), squares{},
                                                                    low_bytes{sums.data()}, count.data(), items);
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(reduce_by_key<Policy>(workspace{work.data(), bytes}, keys, keys_out.data(), squares{},
                                                        low_bytes{sums.data()}, count.data(), items, plus{}, equal_to{},
                                                        d.stream())),
              status::success)
        << d.message();
    std::vector<std::int64_t> right_keys(runs);
    std::vector<std::uint8_t> right_sums(runs);
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      right_keys[i / 3] = keys[at];
      right_sums[i / 3] = static_cast<std::uint8_t>(right_sums[i / 3] + squares{}[at]);
    }
    EXPECT_TRUE(same_items(keys_out.items(), right_keys));
    EXPECT_TRUE(same_items(sums.items(), right_sums));
  });
  add("wrong_arguments_are_refused_and_nothing_is_touched", [](device& d) {
    guarded_array<std::uint32_t, Stream> in(d, 100), out(d, 100), lengths(d, 100);
    guarded_array<std::uint32_t, Stream> count(d, 1);
    const std::size_t bytes =
        run_length_encode_workspace_bytes<Policy>(in.data(), out.data(), lengths.data(), count.data(), 100);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::uint32_t* from, std::uint32_t* to, std::uint32_t* to_lengths, std::uint32_t* number,
                          std::int64_t n, std::size_t lent) {
      return static_cast<status>(run_length_encode<Policy>(workspace{work.data(), lent}, from, to, to_lengths, number,
                                                           n, equal_to{}, d.stream()));
    };
    auto *const a = in.data(), *const b = out.data(), *const c = lengths.data(), *const k = count.data();
    EXPECT_EQ(call(a, b, c, k, -1, bytes), status::invalid_value);
    EXPECT_EQ(call(nullptr, b, c, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, nullptr, c, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, nullptr, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, c, nullptr, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, a, c, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, a + 50, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, b, k, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, c, a, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, c, k, 100, bytes - 1), status::invalid_value);
    const auto unique_call = [&](std::uint32_t* to, std::uint32_t* to_lengths, std::uint32_t* inverse,
                                 std::int64_t fewer) {
      unique_results results(k);
      results.counts = to_lengths;
      results.inverse = inverse;
      const std::size_t needed = unique_workspace_bytes<Policy>(a, to, results, 100);
      guarded_array<unsigned char, Stream> own(d, needed);
      const workspace lent{own.data(), needed - static_cast<std::size_t>(fewer)};
      const auto s = static_cast<status>(unique<Policy>(lent, a, to, results, 100, equal_to{}, d.stream()));
      own.expect_unchanged();
      return s;
    };
    EXPECT_EQ(unique_call(nullptr, c, nullptr, 0), status::invalid_value);
    EXPECT_EQ(unique_call(a + 1, c, nullptr, 0), status::invalid_value);
    EXPECT_EQ(unique_call(b, a + 50, nullptr, 0), status::invalid_value);
    EXPECT_EQ(unique_call(b, nullptr, a, 0), status::invalid_value);
    EXPECT_EQ(unique_call(a, nullptr, a, 0), status::invalid_value);
    EXPECT_EQ(unique_call(b, c, c, 0), status::invalid_value);
    EXPECT_EQ(unique_call(b, c, nullptr, 1), status::invalid_value);
    for (auto* array : {&in, &out, &lengths, &count}) array->expect_unchanged();
    work.expect_unchanged();
  });
}

/// Does not depend on the policy of runs.
template <class Stream>
void add_decode_contract(const std::string& suite) {
  using device = test_device<Stream>;
  add_test<Stream>(suite, "runs_are_decoded_to_what_they_were_encoded_from", [](device& d) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{3000}}) {
      for (const std::size_t capacity : {n + 3, n / 3}) {
        const auto keys = keys_in_runs(n, 9);
        guarded_array<std::uint32_t, Stream> in(d, keys), values(d, n), lengths(d, n), out(d, capacity);
        guarded_array<std::int64_t, Stream> runs(d, 1), total(d, 1), wanted(d, 1);
        const auto items = static_cast<std::int64_t>(n);
        const std::size_t needed =
            run_length_encode_workspace_bytes(in.data(), values.data(), lengths.data(), runs.data(), items);
        expand_results results(total.data());
        results.wanted = wanted.data();
        results.capacity = static_cast<std::int64_t>(capacity);
        const device_count number{runs.data(), items};
        const std::size_t bytes =
            run_length_decode_workspace_bytes(values.data(), lengths.data(), out.data(), results, number);
        guarded_array<unsigned char, Stream> work(d, std::max(needed, bytes));
        const auto before = out.items();
        ASSERT_EQ(static_cast<status>(run_length_encode(workspace{work.data(), needed}, in.data(), values.data(),
                                                        lengths.data(), runs.data(), items, equal_to{}, d.stream())),
                  status::success);
        const auto decode = [&](const std::uint32_t* from, std::uint32_t* to) {
          return static_cast<status>(
              run_length_decode(workspace{work.data(), bytes}, from, lengths.data(), to, results, number, d.stream()));
        };
        ASSERT_EQ(decode(values.data(), out.data()), status::success);
        EXPECT_EQ(total.items()[0], static_cast<std::int64_t>(std::min(n, capacity)));
        EXPECT_EQ(wanted.items()[0], items);
        EXPECT_TRUE(same_items(out.items(), written_over(before, keys)));
        if (n <= 1) continue;
        EXPECT_EQ(decode(nullptr, out.data()), status::invalid_value);
        EXPECT_EQ(decode(values.data(), values.data() + 1), status::invalid_value);
      }
    }
  });
}

}  // namespace upsweep::test
