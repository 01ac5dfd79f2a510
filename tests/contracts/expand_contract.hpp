// What expand promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/expand.cuh"

namespace upsweep::test {

/// Output j of item i, from which both can be read. Its call need not be const.
struct item_and_number {
  std::int64_t calls = 0;
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t i, std::int64_t j) {
    ++calls;
    return i * 1000003 + j;
  }
};

/// What a plain loop writes of items 0 to n - 1.
struct expanded {
  std::vector<std::int64_t> offsets{0}, out;
  std::int64_t wanted = 0;
};
template <class Counts>
expanded expanded_one_by_one(const Counts& counts, std::int64_t n, std::int64_t capacity) {
  expanded e;
  constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)();
  for (std::int64_t i = 0; i < n; ++i) {
    const auto count = counts[i];
    const std::uint64_t outputs = count > 0 ? static_cast<std::uint64_t>(count) : 0;
    const auto room = static_cast<std::uint64_t>(most - e.wanted);
    for (std::uint64_t j = 0; j < outputs && static_cast<std::int64_t>(e.out.size()) < capacity; ++j) {
      e.out.push_back(item_and_number{}(i, static_cast<std::int64_t>(j)));
    }
    e.wanted = outputs < room ? e.wanted + static_cast<std::int64_t>(outputs) : most;
    e.offsets.push_back(e.wanted);
  }
  return e;
}

/// How a call is made, beside its counts.
struct expand_form {
  std::int64_t capacity = -1;  ///< -1: none
  bool with_offsets = false;
  std::int64_t bound = -1;  ///< -1: n is a value
};

/// One call at odd addresses, in a workspace of noise. `counts` are n, or the bound, items of device memory, which read
/// as `oracle`.
template <class Policy, class Counts, class Oracle, class Stream>
void expect_expanded_from(test_device<Stream>& d, Counts counts, const Oracle& oracle, std::int64_t n,
                          const expand_form& form) {
  const bool limited = form.capacity >= 0, counted = form.bound >= 0;
  const expanded right =
      expanded_one_by_one(oracle, n, limited ? form.capacity : (std::numeric_limits<std::int64_t>::max)());
  const auto written = static_cast<std::int64_t>(right.out.size());
  const std::int64_t places = limited ? form.capacity : written, bound = counted ? form.bound : n;
  guarded_array<std::int64_t, Stream> out(d, static_cast<std::size_t>(places), 8),
      offsets(d, static_cast<std::size_t>(bound) + 1, 8), wanted(d, 1);
  guarded_array<std::uint32_t, Stream> total(d, 1, 4), draw(d, 1);
  const guarded_array<std::int64_t, Stream> length(d, std::vector<std::int64_t>{n});
  const std::vector<std::int64_t> out_before = out.items(), offsets_before = offsets.items();
  expand_results results(total.data());
  results.wanted = wanted.data();
  results.indirect.draw = draw.data();
  results.indirect.draw_each = 6;
  if (form.with_offsets) results.offsets = offsets.data();
  if (limited) results.capacity = form.capacity;
  const item_and_number of{};
  const std::size_t bytes = expand_workspace_bytes<Policy>(counts, out.data(), results, bound, of);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  const workspace w{work.data(), bytes};
  const auto answer =
      counted ? expand<Policy>(w, counts, out.data(), results, device_count{length.data(), bound}, of, d.stream())
              : expand<Policy>(w, counts, out.data(), results, n, of, d.stream());
  ASSERT_EQ(static_cast<status>(answer), status::success) << d.message();
  EXPECT_EQ(total.items()[0], static_cast<std::uint32_t>(written));
  EXPECT_EQ(draw.items()[0], static_cast<std::uint32_t>(6 * written));
  EXPECT_EQ(wanted.items()[0], right.wanted);
  const auto over = [](std::vector<std::int64_t> before, const std::vector<std::int64_t>& with) {
    std::copy(with.begin(), with.end(), before.begin());
    return before;
  };
  EXPECT_TRUE(same_items(out.items(), over(out_before, right.out)));
  if (form.with_offsets) {
    EXPECT_TRUE(same_items(offsets.items(), over(offsets_before, right.offsets)));
  } else {
    offsets.expect_unchanged();
  }
  work.expect_guards();
}

template <class Policy, class Count, class Stream>
void expect_expanded(test_device<Stream>& d, const std::vector<Count>& counts, const expand_form& form = {},
                     std::int64_t n = -1) {
  guarded_array<Count, Stream> in(d, counts, alignof(Count));
  const Count* const from = in.data();
  SCOPED_TRACE(std::to_string(counts.size()) + " counts, room for " + std::to_string(form.capacity));
  expect_expanded_from<Policy>(d, from, counts.data(), n < 0 ? static_cast<std::int64_t>(counts.size()) : n, form);
  in.expect_unchanged();
}

/// `share` of 16 are more than 0, and these below `most`.
inline std::vector<std::int32_t> random_counts(std::size_t n, std::uint64_t share, std::uint64_t most) {
  random_source random(n * 131 + share * 17 + most);
  std::vector<std::int32_t> counts(n);
  for (auto& c : counts) c = random.below(16) < share ? static_cast<std::int32_t>(random.below(most)) : 0;
  return counts;
}

template <class Policy, class Stream>
void add_expand_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  constexpr std::int64_t tile = Policy::tile_items;

  add("any_number_of_items_and_outputs", [](device& d) {
    for (const std::size_t n : {0, 1, 2, 31, 33, 257}) {
      for (const std::uint64_t share : {0, 3, 12, 16}) {
        for (const std::uint64_t most : {2, 5, 90}) expect_expanded<Policy>(d, random_counts(n, share, most));
      }
    }
  });
  add("items_begin_and_end_at_the_borders_of_tiles", [](device& d) {
    for (const std::int64_t first : {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile, 3 * tile + 1}) {
      for (const std::int64_t second : {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1}) {
        expect_expanded<Policy>(d, std::vector<std::int64_t>{first, second});
        expect_expanded<Policy>(d, std::vector<std::int64_t>{0, first, 0, 0, second, 1, 0});
      }
    }
  });
  add("every_number_of_items_up_to_two_tiles", [](device& d) {
    constexpr std::int64_t most = tile > 32 ? -1 : 2 * tile + 1;
    for (std::int64_t n = 0; n <= most; ++n) {
      expect_expanded<Policy>(d, std::vector<std::uint8_t>(static_cast<std::size_t>(n), 1));
    }
  });
  add("one_output_an_item", [](device& d) {
    for (const std::int64_t n : {tile - 1, tile, tile + 1, 3 * tile + 5}) {
      expect_expanded<Policy>(d, std::vector<std::uint8_t>(static_cast<std::size_t>(n), 1));
    }
  });
  add("one_huge_item_among_many", [](device& d) {
    std::vector<std::int32_t> counts = random_counts(300, 8, 3);
    counts[150] = static_cast<std::int32_t>(20 * tile + 3);
    expect_expanded<Policy>(d, counts);
  });
  add("rows_of_empty_items_of_every_length", [](device& d) {
    // Up to where a tile has too many of them to look at each.
    constexpr std::int64_t most = Policy::kernel::most_marked;
    for (const std::int64_t row : {std::int64_t{1}, tile, most - 2, most - 1, most, most + 1}) {
      if (most > 4096 && row != most && row != most - 1) continue;
      std::vector<std::int32_t> counts(static_cast<std::size_t>(row) + 8, 0);
      counts[3] = 2;
      counts[4] = static_cast<std::int32_t>(tile / 2 + 1);
      counts[static_cast<std::size_t>(row) + 4] = 3;
      counts[static_cast<std::size_t>(row) + 6] = static_cast<std::int32_t>(tile);
      expect_expanded<Policy>(d, counts);
    }
  });
  add("counts_below_0_are_0", [](device& d) {
    std::vector<std::int32_t> counts = random_counts(200, 10, 9);
    for (std::size_t i = 0; i < counts.size(); i += 3) counts[i] = i % 2 == 0 ? -1 : std::int32_t{-2147483647} - 1;
    expect_expanded<Policy>(d, counts);
    expect_expanded<Policy>(d, std::vector<std::int8_t>{-1, 3, -128, 127, 0, -5});
  });
  add("outputs_beyond_the_capacity_are_dropped", [](device& d) {
    const auto counts = random_counts(150, 12, 30);
    const std::int64_t all = expanded_one_by_one(counts, 150, 1 << 30).wanted;
    for (const std::int64_t capacity : {std::int64_t{0}, std::int64_t{1}, tile, tile + 1, all - 1, all, all + 1}) {
      expect_expanded<Policy>(d, counts, {.capacity = capacity, .with_offsets = capacity % 2 == 0});
    }
    expect_expanded<Policy>(d, std::vector<std::int32_t>{}, {.capacity = 7, .with_offsets = true});
    expect_expanded<Policy>(d, std::vector<std::int32_t>(40, 0), {.capacity = 7, .with_offsets = true});
  });
  add("totals_past_32_bits_and_past_64", [](device& d) {
    constexpr std::int64_t large = (std::int64_t{1} << 32) + 5;
    expect_expanded<Policy>(d, std::vector<std::int64_t>{3, large, 0, 5 * large, 9}, {.capacity = 3 * tile});
    expect_expanded<Policy>(d, std::vector<std::uint32_t>(90, ~0u), {.capacity = tile + 1, .with_offsets = true});
    const std::vector<std::uint64_t> wild{1, ~std::uint64_t{0}, 7, ~std::uint64_t{0} / 2, 2, 5};
    expect_expanded<Policy>(d, wild, {.capacity = 2 * tile, .with_offsets = true});
    std::vector<std::int64_t> many(70, std::int64_t{1} << 60);
    expect_expanded<Policy>(d, many, {.capacity = tile, .with_offsets = true});
  });
  add("n_in_device_memory", [](device& d) {
    const auto counts = random_counts(170, 12, 12);
    const auto bound = static_cast<std::int64_t>(counts.size());
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, bound}) {
      expect_expanded<Policy>(d, counts, {.capacity = 4000, .with_offsets = n % 2 == 0, .bound = bound}, n);
    }
  });
  add("counts_through_an_iterator", [](device& d) {
    constexpr steps counts{7, 3, 40};
    expect_expanded_from<Policy>(d, counts, counts, 120, {.with_offsets = true});
  });
  add("outputs_through_an_iterator", [](device& d) {
    const std::vector<std::int32_t> counts = random_counts(50, 12, 40);
    const std::int64_t all = expanded_one_by_one(counts, 50, 1 << 30).wanted;
    guarded_array<std::int32_t, Stream> in(d, counts);
    guarded_array<std::uint8_t, Stream> out(d, static_cast<std::size_t>(all), 1);
    guarded_array<std::int64_t, Stream> total(d, 1);
    const std::int32_t* const from = in.data();
    const low_bytes to{out.data()};
    const std::size_t bytes = expand_workspace_bytes<Policy>(from, to, total.data(), 50, item_and_number{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(expand<Policy>(workspace{work.data(), bytes}, from, to, total.data(), 50,
                                                 item_and_number{}, d.stream())),
              status::success)
        << d.message();
    std::vector<std::uint8_t> right;
    for (const std::int64_t x : expanded_one_by_one(counts, 50, all).out) {
      right.push_back(static_cast<std::uint8_t>(x));
    }
    EXPECT_TRUE(same_items(out.items(), right));
    EXPECT_EQ(total.items()[0], all);
  });
  add("wrong_arguments_are_refused_and_nothing_is_touched", [](device& d) {
    guarded_array<std::int64_t, Stream> in(d, 100), out(d, 100), more(d, 110);
    const auto with = [&](std::int64_t* total, std::int64_t* wanted, std::int64_t* offsets, std::int64_t capacity) {
      expand_results r(total);
      r.wanted = wanted;
      r.offsets = offsets;
      r.capacity = capacity;
      return r;
    };
    std::int64_t *const a = in.data(), *const b = out.data(), *const m = more.data();
    const expand_results good = with(m, m + 1, m + 2, 100);
    const std::size_t bytes = expand_workspace_bytes<Policy>(a, b, good, 100, item_and_number{});
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto call = [&](std::int64_t* counts, std::int64_t* to, const expand_results& results, auto n,
                          std::size_t lent) {
      return static_cast<status>(
          expand<Policy>(workspace{work.data(), lent}, counts, to, results, n, item_and_number{}, d.stream()));
    };
    EXPECT_EQ(call(a, b, good, -1, bytes), status::invalid_value);
    EXPECT_EQ(call(nullptr, b, good, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, nullptr, good, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, good, 100, bytes - 1), status::invalid_value);
    EXPECT_EQ(call(a, a + 50, good, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(nullptr, m, nullptr, 100), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(m, m, nullptr, 100), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(m, m + 1, m + 2, -1), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(b + 99, nullptr, m + 2, 100), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(a + 99, nullptr, m + 2, 100), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, with(m + 102, nullptr, m + 2, 100), 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, nullptr, with(m, m + 1, m + 2, std::int64_t{1} << 61), 100, bytes), status::invalid_value);
    expand_results odd = good;
    odd.total.integer_bytes = 2;
    EXPECT_EQ(call(a, b, odd, 100, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, good, device_count{m, 100}, bytes), status::invalid_value);
    EXPECT_EQ(call(a, b, good, device_count<std::int64_t>{nullptr, 100}, bytes), status::invalid_value);
    for (auto* array : {&in, &out, &more}) array->expect_unchanged();
    work.expect_unchanged();
  });
  add("workspace_never_shrinks_as_n_grows", [](device&) {
    std::size_t before = 0;
    for (std::int64_t n = -1; n < 5000; n += 7) {
      const std::size_t bytes = expand_workspace_bytes<Policy>(
          static_cast<const int*>(nullptr), static_cast<int*>(nullptr), expand_results{}, n, item_and_number{});
      EXPECT_GE(bytes, before);
      EXPECT_EQ(bytes == 0, n <= 0);
      before = bytes;
    }
  });
}

}  // namespace upsweep::test
