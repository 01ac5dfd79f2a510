// What group_by and group_by_index promise, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/group_by.cuh"

namespace upsweep::test {

/// The number in the item. It changes what it is given, as it may.
struct number_of_item {
  UPSWEEP_HOST_DEVICE std::int32_t operator()(std::int32_t& x) const {
    const std::int32_t number = x;
    x = 0;
    return number;
  }
};
struct number_at {
  const std::int32_t* number;
  UPSWEEP_HOST_DEVICE std::int32_t operator()(std::int64_t i) const { return number[i]; }
};

struct modulo_7 {
  UPSWEEP_HOST_DEVICE std::uint64_t operator()(std::int64_t x) const { return static_cast<std::uint64_t>(x % 7); }
};
/// No number for 0 and 1: what is below 0 is not rounded to 0.
struct less_than_half {
  UPSWEEP_HOST_DEVICE double operator()(std::int64_t x) const { return static_cast<double>(x) / 2 - 0.75; }
};

/// Numbers from `low` to below `high`.
inline std::vector<std::int32_t> random_numbers(std::int64_t n, std::int32_t low, std::int32_t high) {
  random_source random(static_cast<std::uint64_t>(n) * 31 + static_cast<std::uint64_t>(high));
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(n));
  for (auto& x : numbers) x = low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low)));
  return numbers;
}

/// How a call is made, beside its numbers.
struct group_form {
  std::int64_t multiple = 1;
  bool by_index = false, with_permutation = true, with_inverse = true;
  std::int64_t bound = -1;  ///< -1: n is a value
};

/// What a plain loop finds, over what was there.
template <class Index>
struct grouped {
  std::vector<std::int64_t> offsets{0};
  std::vector<Index> permutation, inverse;

  grouped(const std::vector<std::int32_t>& numbers, std::int64_t n, int groups, std::int64_t multiple) {
    inverse.assign(static_cast<std::size_t>(n), static_cast<Index>(-1));
    std::vector<std::vector<Index>> of(static_cast<std::size_t>(groups));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t g = numbers[static_cast<std::size_t>(i)];
      if (g >= 0 && g < groups) of[static_cast<std::size_t>(g)].push_back(static_cast<Index>(i));
    }
    for (const auto& indices : of) {
      for (const Index i : indices) {
        inverse[static_cast<std::size_t>(i)] = static_cast<Index>(permutation.size());
        permutation.push_back(i);
      }
      while (permutation.size() % static_cast<std::size_t>(multiple) != 0)
        permutation.push_back(static_cast<Index>(-1));
      offsets.push_back(static_cast<std::int64_t>(permutation.size()));
    }
  }
};

/// One call at odd addresses, in a workspace of noise.
template <class Policy, class Index = std::uint32_t, class Stream>
void expect_grouped(test_device<Stream>& d, const std::vector<std::int32_t>& numbers, int groups,
                    const group_form& form = {}, std::int64_t items = -1) {
  const bool counted = form.bound >= 0;
  const auto all = static_cast<std::int64_t>(numbers.size());
  const std::int64_t n = items < 0 ? all : items;
  SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(groups) + " groups, multiple of " +
               std::to_string(form.multiple));
  const grouped<Index> right(numbers, n, groups, form.multiple);
  guarded_array<std::int32_t, Stream> in(d, numbers, 4);
  group_places to;
  to.multiple = form.multiple;
  guarded_array<Index, Stream> permutation(d, static_cast<std::size_t>(to.room(all, groups)), sizeof(Index)),
      inverse(d, static_cast<std::size_t>(all), sizeof(Index));
  guarded_array<std::int64_t, Stream> offsets(d, static_cast<std::size_t>(groups) + 1, 8);
  const guarded_array<std::int64_t, Stream> length(d, std::vector<std::int64_t>{n});
  if (form.with_permutation) to.permutation = permutation.data();
  if (form.with_inverse) to.inverse = inverse.data();
  const std::vector<Index> permutation_before = permutation.items(), inverse_before = inverse.items();
  const std::int32_t* const from = in.data();
  const by_index at{number_at{from}};
  const std::size_t bytes =
      form.by_index ? group_by_index_workspace_bytes<Policy>(to, offsets.data(), all, groups, at)
                    : group_by_workspace_bytes<Policy>(from, to, offsets.data(), all, groups, number_of_item{});
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  const workspace w{work.data(), bytes};
  const device_count in_memory{length.data(), all};
  const auto answer =
      form.by_index
          ? (counted ? group_by_index<Policy>(w, to, offsets.data(), in_memory, groups, at, d.stream())
                     : group_by_index<Policy>(w, to, offsets.data(), n, groups, at, d.stream()))
          : (counted ? group_by<Policy>(w, from, to, offsets.data(), in_memory, groups, number_of_item{}, d.stream())
                     : group_by<Policy>(w, from, to, offsets.data(), n, groups, number_of_item{}, d.stream()));
  ASSERT_EQ(static_cast<status>(answer), status::success) << d.message();
  const auto over = [](std::vector<Index> before, const std::vector<Index>& with) {
    std::copy(with.begin(), with.end(), before.begin());
    return before;
  };
  EXPECT_TRUE(same_items(offsets.items(), right.offsets));
  EXPECT_TRUE(same_items(permutation.items(),
                         form.with_permutation ? over(permutation_before, right.permutation) : permutation_before));
  EXPECT_TRUE(same_items(inverse.items(), form.with_inverse ? over(inverse_before, right.inverse) : inverse_before));
  in.expect_unchanged();
  work.expect_guards();
}

template <class Policy, class Stream>
void add_group_by_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr std::int64_t tile = Policy::tile_items;

  add("keeps_the_order_within_groups_for_any_n", [](device& d) {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{33}, tile - 1, tile,
                                 tile + 1, 2 * tile + 70}) {
      for (const int groups : {1, 3, 256}) expect_grouped<Policy>(d, random_numbers(n, 0, groups), groups);
    }
  });
  add("every_number_of_items_up_to_two_tiles", [](device& d) {
    constexpr std::int64_t most = tile > 64 ? -1 : 2 * tile + 1;
    for (std::int64_t n = 0; n <= most; ++n) expect_grouped<Policy>(d, random_numbers(n, -1, 6), 5);
  });
  add("up_to_65536_groups_by_two_passes", [](device& d) {
    for (const int groups : {257, 4096, 65536}) {
      expect_grouped<Policy>(d, random_numbers(tile + 99, 0, groups), groups);
    }
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile, 2 * tile + 1}) {
      expect_grouped<Policy>(d, random_numbers(n, 0, 700), 700);
    }
  });
  add("tiles_look_back_over_groups_of_tiles_and_over_all", [](device& d) {
    for (const int groups : {20, 400}) {
      if (tile < 1000) expect_grouped<Policy>(d, random_numbers(40 * tile + 3, 0, groups + 1), groups);
      if (!std::is_same_v<Stream, sim_stream>) {
        expect_grouped<Policy>(d, random_numbers(1030 * tile, 0, groups + 1), groups);
      }
    }
  });
  add("numbers_outside_of_the_groups_are_left_out", [](device& d) {
    for (const int groups : {1, 5, 256, 300, 1000}) {
      expect_grouped<Policy>(d, random_numbers(tile + 500, -groups / 2 - 1, 2 * groups), groups);
      expect_grouped<Policy>(d, std::vector<std::int32_t>(300, -1), groups);
      expect_grouped<Policy>(d, std::vector<std::int32_t>(300, groups), groups);
    }
    expect_grouped<Policy>(d, {-2147483647 - 1, 2147483647, 65536, 65535, 131071, 1 << 17, 0}, 65536);
  });
  add("all_in_one_group", [](device& d) {
    for (const int groups : {3, 500}) {
      for (const std::int32_t g : {0, 1, groups - 1}) {
        expect_grouped<Policy>(d, std::vector<std::int32_t>(static_cast<std::size_t>(2 * tile + 3), g), groups);
      }
    }
  });
  add("groups_are_padded_to_a_multiple", [](device& d) {
    for (const int groups : {1, 6, 256, 700}) {
      for (const std::int64_t multiple : {2, 16, 100}) {
        expect_grouped<Policy>(d, random_numbers(tile + 60, -1, groups + 1), groups, {.multiple = multiple});
        expect_grouped<Policy>(d, random_numbers(7, 0, groups), groups, {.multiple = multiple});
      }
    }
    expect_grouped<Policy>(d, random_numbers(tile + 60, -1, 5001), 5000, {.multiple = 3});
    expect_grouped<Policy>(d, random_numbers(500, 0, 9), 9, {.multiple = 16, .with_inverse = false});
    expect_grouped<Policy>(d, random_numbers(500, 0, 9), 9, {.multiple = 16, .with_permutation = false});
  });
  add("the_permutation_or_its_inverse_alone", [](device& d) {
    for (const int groups : {20, 400}) {
      const auto numbers = random_numbers(tile + 5, -2, groups + 2);
      expect_grouped<Policy>(d, numbers, groups, {.with_inverse = false});
      expect_grouped<Policy>(d, numbers, groups, {.with_permutation = false});
    }
  });
  add("by_the_index_and_with_wide_indices", [](device& d) {
    for (const int groups : {20, 400}) {
      const auto numbers = random_numbers(tile + 5, -2, groups + 2);
      expect_grouped<Policy>(d, numbers, groups, {.by_index = true});
      expect_grouped<Policy, std::int64_t>(d, numbers, groups, {.multiple = 4, .by_index = true});
      expect_grouped<Policy, std::int32_t>(d, numbers, groups);
    }
  });
  add("n_in_device_memory", [](device& d) {
    constexpr std::int64_t bound = 2 * tile + 40;
    for (const int groups : {20, 400}) {
      const auto numbers = random_numbers(bound, 0, groups);
      for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, tile, tile + 5, bound}) {
        expect_grouped<Policy>(d, numbers, groups, {.multiple = 3, .by_index = n % 2 == 0, .bound = bound}, n);
      }
    }
  });
  add("items_through_an_iterator_and_numbers_of_any_type", [](device& d) {
    const auto each = [&]<class In, class Of>(In in, Of of, std::int64_t n, int groups,
                                              const std::vector<std::int32_t>& numbers) {
      guarded_array<std::uint32_t, Stream> permutation(d, static_cast<std::size_t>(n));
      guarded_array<std::int64_t, Stream> offsets(d, static_cast<std::size_t>(groups) + 1);
      const auto bytes = group_by_workspace_bytes<Policy>(in, permutation.data(), offsets.data(), n, groups, of);
      guarded_array<unsigned char, Stream> work(d, bytes);
      ASSERT_EQ(static_cast<status>(group_by<Policy>(workspace{work.data(), bytes}, in, permutation.data(),
                                                     offsets.data(), n, groups, of, d.stream())),
                status::success)
          << d.message();
      const grouped<std::uint32_t> right(numbers, n, groups, 1);
      EXPECT_EQ(offsets.items(), right.offsets);
      auto got = permutation.items();
      got.resize(right.permutation.size());
      EXPECT_TRUE(same_items(got, right.permutation));
    };
    std::vector<std::int32_t> of_steps, of_halves;
    constexpr steps in{10, 1, 60};
    for (std::int64_t i = 0; i < 500; ++i) {
      of_steps.push_back(static_cast<std::int32_t>(in[i] % 7));
      const double half = less_than_half{}(in[i]);
      of_halves.push_back(half < 0 ? -1 : static_cast<std::int32_t>(half));
    }
    each(in, modulo_7{}, 500, 7, of_steps);
    each(in, less_than_half{}, 500, 300, of_halves);
  });
  add("wrong_arguments_are_refused_and_nothing_is_touched", [](device& d) {
    guarded_array<std::int32_t, Stream> in(d, random_numbers(100, 0, 9)), order(d, 200), inverse(d, 100);
    guarded_array<std::int64_t, Stream> offsets(d, 10);
    const auto with = [&](std::int32_t* permutation, std::int32_t* places, std::int64_t multiple) {
      group_places p(permutation);
      p.inverse = places;
      p.multiple = multiple;
      return p;
    };
    std::int32_t *const a = in.data(), *const b = order.data(), *const c = inverse.data();
    const group_places good = with(b, c, 2);
    const std::size_t bytes = group_by_workspace_bytes<Policy>(a, good, offsets.data(), 100, 9, number_of_item{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::int32_t* from, const group_places& to, std::int64_t* begins, auto n, int groups,
                          std::size_t lent) {
      return static_cast<status>(
          group_by<Policy>(workspace{work.data(), lent}, from, to, begins, n, groups, number_of_item{}, d.stream()));
    };
    std::int64_t* const o = offsets.data();
    EXPECT_EQ(call(a, good, o, -1, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, o, 100, 0, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, o, 100, 65537, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, o, 100, 9, bytes - 1), status::invalid_value);
    EXPECT_EQ(call(nullptr, good, o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, nullptr, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(nullptr, nullptr, 1), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(b, c, 0), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(b, c, (std::int64_t{1} << 30) + 1), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(a + 99, c, 1), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(b, a, 1), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, with(b, b + 108, 2), o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, reinterpret_cast<std::int64_t*>(b), 100, 9, bytes), status::invalid_value);
    group_places odd = good;
    odd.inverse.integer_bytes = 2;
    EXPECT_EQ(call(a, odd, o, 100, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, o, device_count{o + 9, 100}, 9, bytes), status::invalid_value);
    EXPECT_EQ(call(a, good, o, device_count<std::int64_t>{nullptr, 100}, 9, bytes), status::invalid_value);
    for (auto* array : {&in, &order, &inverse}) array->expect_unchanged();
    offsets.expect_unchanged();
    work.expect_unchanged();
  });
  add("workspace_never_shrinks", [](device&) {
    const auto of = [](std::int64_t n, int groups, std::int64_t multiple) {
      return Policy::workspace_bytes(n, groups, multiple);
    };
    for (const int groups : {1, 256, 257, 65536}) {
      std::size_t before = 0;
      for (std::int64_t n = -1; n < 3 * tile; n += 97) {
        EXPECT_GE(of(n, groups, 1), before);
        EXPECT_GE(of(n, groups, 2), of(n, groups, 1));
        EXPECT_EQ(of(n, groups, 1) == 0, n <= 0);
        before = of(n, groups, 1);
      }
    }
    std::size_t before = 0;
    for (int groups = 1; groups < 1000; ++groups) {
      EXPECT_GE(of(5000, groups, 1), before) << groups;
      before = of(5000, groups, 1);
    }
  });
}

}  // namespace upsweep::test
