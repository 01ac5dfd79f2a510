// The run-time calls that reduce runs, group and expand, on the sim and, where there is one, on the GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/on_device.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::test {
namespace {

using runtime::buffer;
using words = std::vector<std::uint32_t>;
using longs = std::vector<std::int64_t>;

class grouped_calls_on : public on_device {
 protected:
  void expect_success(status s) { ASSERT_EQ(s, status::success) << device_->message(); }

  /// Sums of small whole numbers are exact in every type. Runs are few items long; of floats, some keys are zeros of
  /// both signs, which are equal, and NaNs, which are not.
  template <class Key, class T>
  void expect_reduced() {
    constexpr std::int64_t n = 5000;
    SCOPED_TRACE(std::string(name_of(scalar_type_of<Key>())) + ", " + std::string(name_of(scalar_type_of<T>())));
    random_source random(3);
    std::vector<Key> keys, unique;
    std::vector<T> values, sums;
    words lengths;
    longs starts;
    for (std::int64_t i = 0; i < n; ++i) {
      Key key = random() % 3 == 0 || keys.empty() ? static_cast<Key>(random() % 4) : keys.back();
      if constexpr (std::is_floating_point_v<Key>) {
        if (key == 0) key = random() % 2 == 0 ? -key : key;
        if (random() % 50 == 0) key = std::numeric_limits<Key>::quiet_NaN();
        if (random() % 50 == 0) key = std::numeric_limits<Key>::infinity();
      }
      if (keys.empty() || !(keys.back() == key)) {
        unique.push_back(key), sums.push_back(0), lengths.push_back(0), starts.push_back(i);
      }
      keys.push_back(key), values.push_back(static_cast<T>(random() % 5) - static_cast<T>(2));
      unique.back() = key, sums.back() += values.back(), ++lengths.back();
    }
    constexpr scalar_type key_type = scalar_type_of<Key>(), value_type = scalar_type_of<T>();
    const std::size_t runs = unique.size();
    const buffer in = upload(keys), values_in = upload(values), unique_out = upload(std::vector<Key>(runs)),
                 sums_out = upload(std::vector<T>(runs)), lengths_out = upload(words(runs)),
                 starts_out = upload(longs(runs)), count = upload(longs{-1});
    const buffer work(*device_, std::max(runtime::reduce_by_key_workspace_bytes(n, key_type, value_type),
                                         runtime::run_length_encode_workspace_bytes(n, key_type)));
    select_results results(count.as<std::int64_t>());
    results.capacity = static_cast<std::int64_t>(runs);
    results.indices = starts_out.as<std::int64_t>();
    expect_success(runtime::reduce_by_key(work.as_workspace(), in.data(), unique_out.data(), values_in.data(),
                                          sums_out.data(), results, n, key_type, value_type, device_->get_stream()));
    EXPECT_EQ(download<std::int64_t>(count), longs{static_cast<std::int64_t>(runs)});
    EXPECT_TRUE(same_items(download<T>(sums_out), sums));
    EXPECT_TRUE(same_items(download<std::int64_t>(starts_out), starts));
    expect_same_bits(download<Key>(unique_out), unique);
    ASSERT_EQ(device_->fill(unique_out.data(), 1, unique_out.bytes()), status::success);
    expect_success(runtime::run_length_encode(work.as_workspace(), in.data(), unique_out.data(),
                                              lengths_out.as<std::uint32_t>(), results, n, key_type,
                                              device_->get_stream()));
    EXPECT_TRUE(same_items(download<std::uint32_t>(lengths_out), lengths));
    expect_same_bits(download<Key>(unique_out), unique);
    expect_unique(keys, starts, lengths);
    expect_decoded(unique_out, lengths_out, unique, lengths);
  }

  /// The first of each run, in place, with the lengths of runs and the run of each item.
  template <class Key>
  void expect_unique(const std::vector<Key>& keys, const longs& starts, const words& lengths) {
    const auto n = static_cast<std::int64_t>(keys.size());
    constexpr scalar_type type = scalar_type_of<Key>();
    std::vector<Key> first;
    words of_run;
    for (std::size_t r = 0; r < starts.size(); ++r) {
      first.push_back(keys[static_cast<std::size_t>(starts[r])]);
      of_run.insert(of_run.end(), lengths[r], static_cast<std::uint32_t>(r));
    }
    const buffer items = upload(keys), counts = upload(longs(starts.size())), inverse = upload(words(keys.size())),
                 count = upload(longs{-1}), work(*device_, runtime::unique_workspace_bytes(n, type));
    unique_results results(count.as<std::int64_t>());
    results.counts = counts.as<std::int64_t>();
    results.inverse = inverse.as<std::uint32_t>();
    results.capacity = static_cast<std::int64_t>(starts.size());
    expect_success(
        runtime::unique(work.as_workspace(), items.data(), items.data(), results, n, type, device_->get_stream()));
    EXPECT_EQ(download<std::int64_t>(count), longs{static_cast<std::int64_t>(starts.size())});
    auto got = download<Key>(items);
    got.resize(first.size());
    expect_same_bits(got, first);
    EXPECT_TRUE(same_items(download<std::int64_t>(counts), longs(lengths.begin(), lengths.end())));
    EXPECT_TRUE(same_items(download<std::uint32_t>(inverse), of_run));
  }

  /// The items again, all but some of the last.
  template <class Key>
  void expect_decoded(const buffer& values, const buffer& lengths_in, const std::vector<Key>& unique,
                      const words& lengths) {
    std::vector<Key> expected;
    for (std::size_t r = 0; r < unique.size(); ++r) expected.insert(expected.end(), lengths[r], unique[r]);
    const auto all = static_cast<std::int64_t>(expected.size());
    expected.resize(expected.size() - 3);
    const buffer out = upload(std::vector<Key>(expected.size())), totals = upload(longs(2));
    expand_results results(totals.as<std::int64_t>());
    results.wanted = totals.as<std::int64_t>() + 1;
    results.capacity = all - 3;
    const auto runs = static_cast<std::int64_t>(unique.size());
    const buffer work(*device_, runtime::expand_workspace_bytes(runs, results));
    expect_success(runtime::run_length_decode(work.as_workspace(), values.data(), lengths_in.as<std::uint32_t>(),
                                              out.data(), results, runs, scalar_type_of<Key>(), device_->get_stream()));
    EXPECT_EQ(download<std::int64_t>(totals), (longs{all - 3, all}));
    expect_same_bits(download<Key>(out), expected);
  }
  template <class Key>
  static void expect_same_bits(const std::vector<Key>& got, const std::vector<Key>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(Key)), 0);
  }
};

TEST_P(grouped_calls_on, runs_of_every_type_are_reduced_and_counted) {
  expect_reduced<std::uint32_t, std::uint32_t>();
  expect_reduced<std::int32_t, float>();
  expect_reduced<float, std::int64_t>();
  expect_reduced<float, double>();
  expect_reduced<std::uint64_t, std::int32_t>();
  expect_reduced<std::int64_t, float>();
  expect_reduced<double, std::uint64_t>();
  expect_reduced<double, double>();
}

TEST_P(grouped_calls_on, groups_are_counted_and_placed) {
  constexpr int groups = 300;
  constexpr std::int64_t n = 9000;
  const runtime::stream s = device_->get_stream();
  words group_of = random_items<std::uint32_t>(n, 1);
  for (std::uint32_t& g : group_of) g = g % 20 == 0 ? ~g : g % groups;  // some have a number that is too large
  group_places to;
  to.multiple = 4;
  const auto room = static_cast<std::size_t>(to.room(n, groups));
  longs counts(groups), offsets = {0};
  words places(room, ~0u);
  longs inverse(n, -1);
  for (int g = 0; g < groups; ++g) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (group_of[static_cast<std::size_t>(i)] != static_cast<std::uint32_t>(g)) continue;
      inverse[static_cast<std::size_t>(i)] = offsets.back() + counts[g];
      places[static_cast<std::size_t>(offsets.back() + counts[g]++)] = static_cast<std::uint32_t>(i);
    }
    offsets.push_back(offsets.back() + (counts[g] + 3) / 4 * 4);
  }
  const buffer in = upload(group_of), counts_out = upload(longs(groups, 7)), narrow_out = upload(words(groups, 7)),
               offsets_out = upload(longs(groups + 1)), places_out = upload(words(room, 7)),
               inverse_out = upload(longs(n));
  const auto* const numbers = in.as<std::uint32_t>();
  expect_success(runtime::histogram(numbers, counts_out.as<std::int64_t>(), n, groups, s));
  expect_success(runtime::histogram(numbers, narrow_out.as<std::uint32_t>(), n, groups, s));
  EXPECT_EQ(download<std::int64_t>(counts_out), counts);
  EXPECT_EQ(download<std::uint32_t>(narrow_out), words(counts.begin(), counts.end()));
  const buffer work(*device_, runtime::group_by_workspace_bytes(n, groups, to.multiple));
  to.permutation = places_out.as<std::uint32_t>();
  to.inverse = inverse_out.as<std::int64_t>();
  expect_success(runtime::group_by(work.as_workspace(), numbers, to, offsets_out.as<std::int64_t>(), n, groups, s));
  EXPECT_EQ(download<std::int64_t>(offsets_out), offsets);
  EXPECT_TRUE(same_items(download<std::int64_t>(inverse_out), inverse));
  words got = download<std::uint32_t>(places_out);
  got.resize(static_cast<std::size_t>(offsets.back()));
  places.resize(got.size());
  EXPECT_TRUE(same_items(got, places));
}

TEST_P(grouped_calls_on, items_are_expanded_up_to_a_capacity) {
  constexpr std::int64_t n = 3000, capacity = 20'000;
  words counts = random_items<std::uint32_t>(n, 1), items;
  for (std::uint32_t& c : counts) c = c % 20;
  longs offsets = {0};
  for (std::uint32_t i = 0; i < n; ++i) {
    items.insert(items.end(), counts[i], i);
    offsets.push_back(static_cast<std::int64_t>(items.size()));
  }
  ASSERT_GT(offsets.back(), capacity);
  const buffer in = upload(counts), narrow = upload(words(capacity)), wide = upload(longs(capacity)),
               totals = upload(longs(2)), offsets_out = upload(longs(n + 1));
  expand_results results(totals.as<std::int64_t>());
  results.wanted = totals.as<std::int64_t>() + 1;
  results.capacity = capacity;
  items.resize(capacity);
  const buffer work(*device_, runtime::expand_workspace_bytes(n, results));
  const auto expand = [&](const integer_array& out) {
    return runtime::expand(work.as_workspace(), in.as<std::uint32_t>(), out, results, n, device_->get_stream());
  };
  expect_success(expand(narrow.as<std::uint32_t>()));
  EXPECT_TRUE(same_items(download<std::uint32_t>(narrow), items));
  EXPECT_EQ(download<std::int64_t>(totals), (longs{capacity, offsets.back()}));
  results.offsets = offsets_out.as<std::int64_t>();
  expect_success(expand(wide.as<std::int64_t>()));
  EXPECT_TRUE(same_items(download<std::int64_t>(wide), longs(items.begin(), items.end())));
  EXPECT_TRUE(same_items(download<std::int64_t>(offsets_out), offsets));
}

TEST_P(grouped_calls_on, what_cannot_be_is_refused) {
  const runtime::stream s = device_->get_stream();
  const buffer in = upload(words(100, 1)), out = upload(words(300, 2)), work = upload(words(1 << 16));
  const workspace w = work.as_workspace();
  auto* const to = out.as<std::uint32_t>();
  auto* const odd = reinterpret_cast<std::int64_t*>(out.as<unsigned char>() + 4);
  const auto* const from = in.as<std::uint32_t>();
  using enum scalar_type;
  const auto reduce = [&](const void* keys, void* sums, scalar_type key, scalar_type value) {
    return runtime::reduce_by_key(w, keys, to, from, sums, to + 299, 50, key, value, s);
  };
  EXPECT_EQ(reduce(from, to + 100, u16, u32), status::not_supported);
  EXPECT_EQ(reduce(from, to + 100, u32, bf16), status::not_supported);
  EXPECT_EQ(reduce(nullptr, to + 100, u32, u32), status::invalid_value);
  EXPECT_EQ(reduce(from, odd, u32, f64), status::invalid_value);
  EXPECT_EQ(runtime::run_length_encode(w, from, to, {}, to + 299, 50, f32, s), status::invalid_value);
  EXPECT_EQ(runtime::unique(w, from, to, to + 299, 50, u16, s), status::not_supported);
  EXPECT_EQ(runtime::unique(w, from, odd, to + 299, 20, f64, s), status::invalid_value);
  EXPECT_EQ(runtime::unique({}, from, to, to + 299, 50, u32, s), status::invalid_value);
  EXPECT_EQ(runtime::run_length_decode(w, from, from, odd, to + 299, 50, u64, s), status::invalid_value);
  EXPECT_EQ(runtime::run_length_decode(w, from, nullptr, to, to + 299, 50, u32, s), status::invalid_value);
  EXPECT_EQ(runtime::group_by(w, from, to, odd, 100, 10, s), status::invalid_value);
  EXPECT_EQ(runtime::group_by(w, from, odd, reinterpret_cast<std::int64_t*>(to + 250), 20, 10, s),
            status::invalid_value);
  EXPECT_EQ(runtime::histogram(from, {}, 100, 10, s), status::invalid_value);
  EXPECT_EQ(runtime::histogram(from, to, 100, 1 << 17, s), status::invalid_value);
  EXPECT_EQ(runtime::expand(w, from, {}, to + 299, 100, s), status::invalid_value);
  EXPECT_EQ(runtime::expand({}, from, to, to + 299, 100, s), status::invalid_value);
  EXPECT_TRUE(same_items(download<std::uint32_t>(out), words(300, 2)));
  EXPECT_EQ(runtime::expand({}, nullptr, {}, to, 0, s), status::success);
  EXPECT_EQ(download<std::uint32_t>(out)[0], 0u);
}

INSTANTIATE_TEST_SUITE_P(devices, grouped_calls_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
