// What every split into buckets promises, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/split.cuh"

namespace upsweep::test {

struct low_bits {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(std::uint32_t x) const { return x % 4; }
};

template <int Words>
struct wide_item {
  std::uint64_t word[Words];
  bool operator==(const wide_item&) const = default;
};
template <int Words>
std::vector<wide_item<Words>> random_wide_items(std::int64_t n) {
  const auto words = random_items<std::uint64_t>(n * Words);
  std::vector<wide_item<Words>> items(static_cast<std::size_t>(n));
  std::memcpy(static_cast<void*>(items.data()), words.data(), words.size() * sizeof(std::uint64_t));
  return items;
}

/// The low bits of an item modulo some number. It changes what it is given, as it may.
struct low_part {
  std::uint32_t numbers;
  template <class T>
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(T& x) const {
    const std::uint32_t number = of(x);
    x = T{};
    return number;
  }
  template <class T>
  UPSWEEP_HOST_DEVICE std::uint32_t of(const T& x) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<std::uint32_t>(x) % numbers;
    } else {
      return static_cast<std::uint32_t>(x.word[0]) % numbers;
    }
  }
};

struct bucket_from_memory {
  const std::int32_t* bucket;
  UPSWEEP_HOST_DEVICE std::int32_t operator()(std::int64_t i) const { return bucket[i]; }
};

/// Element i, number k of its bucket, goes to place k of a row of `row` places.
struct move_to_rows {
  std::int64_t* rows;
  std::int64_t row;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i, int bucket, std::int64_t k) const { rows[bucket * row + k] = i; }
};

/// Arrays of bytes that are split, beside a plain loop.
template <class Policy, class Stream>
class split_case {
 public:
  split_case(test_device<Stream>& device, std::int64_t n, std::int64_t bound = -1)
      : device_(device), n_(n), bound_(bound < n ? n : bound) {}

  void add_array(std::size_t element_bytes, std::size_t offset = 0, std::size_t out_offset = 0) {
    const std::size_t bytes = element_bytes * static_cast<std::size_t>(bound_);
    items_.push_back(random_items<unsigned char>(bytes, element_bytes));
    in_.emplace_back(device_, items_.back(), offset);
    out_.emplace_back(device_, bytes, out_offset);
    before_.push_back(out_.back().items());
    arrays_.push_back({in_.back().data(), out_.back().data(), element_bytes});
  }

  /// Element i to bucket[i], or nowhere. `counted`: n is read from device memory.
  void run(int buckets, std::vector<std::int32_t> bucket, bool counted = false) {
    bucket.resize(static_cast<std::size_t>(bound_), 0);
    const guarded_array<std::int32_t, Stream> of(device_, bucket);
    guarded_array<std::int64_t, Stream> offsets(device_, static_cast<std::size_t>(buckets) + 1);
    const by_index bucket_of{bucket_from_memory{of.data()}};
    const guarded_array<std::uint64_t, Stream> items(device_,
                                                     std::vector<std::uint64_t>{static_cast<std::uint64_t>(n_)});
    const device_count in_memory{items.data(), bound_};
    const std::size_t bytes = split_arrays_workspace_bytes<Policy>(arrays_, offsets.data(), bound_, buckets, bucket_of);
    ASSERT_EQ(split_arrays_workspace_bytes<Policy>(arrays_, offsets.data(), in_memory, buckets, bucket_of), bytes);
    guarded_array<unsigned char, Stream> work(device_, bytes, 7);
    const workspace w{work.data(), bytes};
    ASSERT_EQ(
        static_cast<status>(
            counted ? split_arrays<Policy>(w, arrays_, offsets.data(), in_memory, buckets, bucket_of, device_.stream())
                    : split_arrays<Policy>(w, arrays_, offsets.data(), n_, buckets, bucket_of, device_.stream())),
        status::success)
        << device_.message();

    std::vector<std::vector<unsigned char>> expected = before_;
    std::vector<std::int64_t> begins;
    std::int64_t to = 0;
    for (std::int32_t b = 0; b < buckets; ++b) {
      begins.push_back(to);
      for (std::int64_t i = 0; i < n_; ++i) {
        if (bucket[static_cast<std::size_t>(i)] != b) continue;
        for (std::size_t a = 0; a < arrays_.size(); ++a) {
          const std::size_t size = arrays_[a].element_bytes;
          std::memcpy(expected[a].data() + static_cast<std::size_t>(to) * size,
                      items_[a].data() + static_cast<std::size_t>(i) * size, size);
        }
        ++to;
      }
    }
    begins.push_back(to);
    EXPECT_EQ(offsets.items(), begins);
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      EXPECT_TRUE(same_items(out_[a].items(), expected[a]))
          << "array " << a << " of element size " << arrays_[a].element_bytes << ", n = " << n_ << ", " << buckets
          << " buckets";
      EXPECT_TRUE(same_items(in_[a].items(), items_[a])) << "the input";
    }
    work.expect_guards();
  }

 private:
  test_device<Stream>& device_;
  std::int64_t n_, bound_;
  std::deque<guarded_array<unsigned char, Stream>> in_, out_;
  std::vector<std::vector<unsigned char>> items_, before_;
  std::vector<soa_array> arrays_;
};

/// Numbers from `low` to below `high`.
inline std::vector<std::int32_t> random_buckets(std::int64_t n, std::int32_t low, std::int32_t high) {
  random_source random(static_cast<std::uint64_t>(n) + static_cast<std::uint64_t>(high));
  std::vector<std::int32_t> buckets(static_cast<std::size_t>(n));
  for (auto& b : buckets) b = low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low)));
  return buckets;
}

/// Splits items by low_part, beside a plain loop. Of `numbers` numbers the first `buckets` have a bucket. With a bound
/// n is read from device memory.
template <class Policy, class T, class Stream>
void expect_split_by_value(test_device<Stream>& d, const std::vector<T>& items, int buckets, int numbers = 0,
                           std::int64_t bound = -1) {
  const auto n = static_cast<std::int64_t>(items.size());
  const low_part part{static_cast<std::uint32_t>(numbers > 0 ? numbers : buckets)};
  std::vector<T> all = items;
  if (bound > n) all.resize(static_cast<std::size_t>(bound), items[0]);
  guarded_array<T, Stream> in(d, all), out(d, all.size());
  guarded_array<std::int64_t, Stream> offsets(d, static_cast<std::size_t>(buckets) + 1);
  const guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
  std::vector<T> expected = out.items();
  std::vector<std::int64_t> begins{0};
  for (int b = 0; b < buckets; ++b) {
    std::int64_t to = begins.back();
    for (const T& x : items) {
      if (part.of(x) == static_cast<std::uint32_t>(b)) expected[static_cast<std::size_t>(to++)] = x;
    }
    begins.push_back(to);
  }
  const T* const from = in.data();
  const auto bytes =
      split_workspace_bytes<Policy>(from, out.data(), offsets.data(), (std::max)(n, bound), buckets, part);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  const workspace w{work.data(), bytes};
  const auto answer = bound > n ? split<Policy>(w, from, out.data(), offsets.data(), device_count{count.data(), bound},
                                                buckets, part, d.stream())
                                : split<Policy>(w, from, out.data(), offsets.data(), n, buckets, part, d.stream());
  ASSERT_EQ(static_cast<status>(answer), status::success) << d.message();
  EXPECT_EQ(offsets.items(), begins);
  EXPECT_TRUE(same_items(out.items(), expected))
      << n << " items of " << sizeof(T) << " bytes, " << buckets << " buckets";
  EXPECT_TRUE(same_items(in.items(), all)) << "the input";
  work.expect_guards();
}

template <class Policy, class Stream>
void add_split_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("keeps_the_order_within_buckets_for_any_n", [](device& d) {
    for (const std::int64_t n : {1, 2, 33, 3071, 3072, 3073, 9000}) {
      for (const int buckets : {1, 2, 3, 16, 17, 256}) {
        split_case<Policy, Stream> c(d, n);
        c.add_array(4);
        c.run(buckets, random_buckets(n, 0, buckets));
      }
    }
  });
  add("takes_any_share_of_the_buckets", [](device& d) {
    constexpr std::int64_t n = 9000;
    split_case<Policy, Stream> c(d, n);
    c.add_array(2);
    c.run(7, std::vector<std::int32_t>(n, 6));
    std::vector<std::int32_t> runs(n), one(n, 3);
    for (std::size_t i = 0; i < n; ++i) runs[i] = static_cast<std::int32_t>(i / 1000 * 5 % 7);
    one[n / 2] = 1;
    c.run(7, runs);
    c.run(7, one);
  });
  add("leaves_out_what_belongs_to_no_bucket", [](device& d) {
    split_case<Policy, Stream> c(d, 9000);
    c.add_array(4);
    c.add_array(12);
    c.run(16, random_buckets(9000, -8, 40));
  });
  add("leaves_out_everything", [](device& d) {
    split_case<Policy, Stream> c(d, 5000);
    c.add_array(4);
    c.run(16, std::vector<std::int32_t>(5000, 16));
  });
  add("moves_elements_of_any_size_at_any_alignment", [](device& d) {
    split_case<Policy, Stream> c(d, 4200);
    for (const std::size_t size : {1, 2, 3, 4, 8, 12, 16, 24, 31, 64}) c.add_array(size, size % 5, size % 3);
    for (const std::size_t size : {8, 16, 256}) c.add_array(size);
    c.run(16, random_buckets(4200, 0, 16));
  });
  add("moves_more_arrays_than_one_launch_takes", [](device& d) {
    split_case<Policy, Stream> c(d, 600);
    for (int a = 0; a < 33; ++a) c.add_array(4);
    c.run(5, random_buckets(600, 0, 5));
  });
  add("finds_offsets_without_arrays", [](device& d) {
    split_case<Policy, Stream> c(d, 5000);
    c.run(5, random_buckets(5000, 0, 5));
  });
  add("takes_n_from_device_memory", [](device& d) {
    for (const std::int64_t n : {0, 1, 3072, 6000, 10'000}) {
      split_case<Policy, Stream> c(d, n, 10'000);
      c.add_array(4);
      c.run(9, random_buckets(n, 0, 9), true);
    }
  });
  add("writes_offsets_of_zero_for_no_elements", [](device& d) {
    split_case<Policy, Stream> c(d, 0);
    c.add_array(4);
    c.run(3, {});
  });
  add("calls_a_functor_for_each_element_with_its_bucket_and_its_number_there", [](device& d) {
    constexpr int buckets = 5;
    for (const std::int64_t n : {0, 1, 3073, 7000}) {
      for (const bool tells_offsets : {false, true}) {
        const auto bucket = random_buckets(n, -1, buckets + 1);
        const guarded_array<std::int32_t, Stream> of(d, bucket);
        guarded_array<std::int64_t, Stream> rows(d, static_cast<std::size_t>(buckets * n)), offsets(d, buckets + 1);
        auto expected = rows.items();
        std::vector<std::int64_t> sizes(buckets), begins(buckets + 1);
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int32_t b = bucket[static_cast<std::size_t>(i)];
          if (b < 0 || b >= buckets) continue;
          expected[static_cast<std::size_t>(b * n + sizes[static_cast<std::size_t>(b)]++)] = i;
        }
        std::partial_sum(sizes.begin(), sizes.end(), begins.begin() + 1);
        const Policy policy{};
        guarded_array<unsigned char, Stream> work(d, policy.workspace_bytes(n, buckets));
        auto executor = d.executor();
        ASSERT_EQ(
            policy.run_each(executor, workspace{work.data(), work.size()}, n, buckets, bucket_from_memory{of.data()},
                            tells_offsets ? offsets.data() : nullptr, move_to_rows{rows.data(), n}),
            status::success)
            << d.message();
        EXPECT_TRUE(same_items(rows.items(), expected)) << n;
        if (tells_offsets) {
          EXPECT_EQ(offsets.items(), begins) << n;
        } else {
          offsets.expect_unchanged();
        }
        work.expect_guards();
      }
    }
  });
  add("splits_items_by_their_values_for_any_n", [](device& d) {
    for (const std::int64_t n : {1, 33, 3073, 8191, 8192, 8193, 20'000}) {
      for (const int buckets : {1, 2, 16, 256})
        expect_split_by_value<Policy>(d, random_items<std::uint32_t>(n), buckets);
    }
    expect_split_by_value<Policy>(d, std::vector<std::uint32_t>(9000, 3), 4);
    // Two lanes meet at a counter, and their items are the last of a warp and the first of the next.
    std::vector<std::uint32_t> two(33);
    for (std::uint32_t i = 0; i < 30; ++i) two[i] = i;
    two[30] = 31;
    two[31] = 256 + 31;
    two[32] = 30;
    expect_split_by_value<Policy>(d, two, 256);
  });
  add("splits_items_of_any_type_by_their_values", [](device& d) {
    expect_split_by_value<Policy>(d, random_items<std::uint8_t>(9000), 256);
    expect_split_by_value<Policy>(d, random_items<std::uint16_t>(9000), 17);
    expect_split_by_value<Policy>(d, random_items<std::uint64_t>(13'000), 256);
    expect_split_by_value<Policy>(d, random_wide_items<2>(7000), 16);
    expect_split_by_value<Policy>(d, random_wide_items<3>(7000), 16);
  });
  add("leaves_out_items_of_no_bucket_and_takes_n_from_device_memory", [](device& d) {
    expect_split_by_value<Policy>(d, random_items<std::uint32_t>(9000), 5, 9);
    expect_split_by_value<Policy>(d, random_items<std::uint32_t>(9000), 5, 9, 20'000);
  });
  add("refuses_bad_arguments_and_touches_nothing", [](device& d) {
    constexpr std::int64_t n = 100;
    guarded_array<std::uint32_t, Stream> in(d, n), out(d, n);
    const guarded_array<std::int32_t, Stream> of(d, std::vector<std::int32_t>(n, 0));
    guarded_array<std::int64_t, Stream> offsets(d, 4);
    const soa_array good{in.data(), out.data(), 4};
    const by_index bucket_of{bucket_from_memory{of.data()}};
    const std::size_t bytes = split_arrays_workspace_bytes<Policy>({&good, 1}, offsets.data(), n, 3, bucket_of);
    guarded_array<unsigned char, Stream> work(d, bytes);
    const auto answer = [&](soa_array a, std::int64_t items, int buckets, std::size_t given, std::int64_t* to) {
      return static_cast<status>(
          split_arrays<Policy>(workspace{work.data(), given}, {&a, 1}, to, items, buckets, bucket_of, d.stream()));
    };
    EXPECT_EQ(answer(good, -1, 3, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, 0, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, 257, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, 3, bytes - 1, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer(good, n, 3, bytes, nullptr), status::invalid_value);
    EXPECT_EQ(answer({nullptr, out.data(), 4}, n, 3, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), nullptr, 4}, n, 3, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), out.data(), 0}, n, 3, bytes, offsets.data()), status::invalid_value);
    EXPECT_EQ(answer({in.data(), in.data(), 4}, n, 3, bytes, offsets.data()), status::invalid_value) << "in place";
    EXPECT_EQ(answer({in.data(), in.data() + 1, 4}, n - 1, 3, bytes, offsets.data()), status::invalid_value);
    const auto by_value = [&](const std::uint32_t* from, auto items, std::int64_t* to) {
      const by_index of_from{detail::bucket_by_item<std::uint32_t, low_bits>{from, {}}};
      return static_cast<status>(
          split_arrays<Policy>(workspace{work.data(), bytes}, {&good, 1}, to, items, 3, of_from, d.stream()));
    };
    for (const auto* array : {&in, &out}) {
      auto* const inside = reinterpret_cast<std::int64_t*>(array->data());
      EXPECT_EQ(by_value(in.data(), n, inside + 9), status::invalid_value) << "offsets in an array";
    }
    EXPECT_EQ(by_value(nullptr, n, offsets.data()), status::invalid_value);
    EXPECT_EQ(by_value(out.data(), n, offsets.data()), status::invalid_value);
    EXPECT_EQ(by_value(in.data(), device_count{static_cast<const std::uint32_t*>(out.data()), n}, offsets.data()),
              status::invalid_value);
    in.expect_unchanged();
    out.expect_unchanged();
    offsets.expect_unchanged();
    work.expect_unchanged();
  });
}

}  // namespace upsweep::test
