// What an argsort promises where it may go by words of code and place: any digits that differ, any bits, any order, any
// place where tiles and launches end.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/sort_by_places.cuh"

namespace upsweep::test {

/// The places of `count` keys, of which `sorted` are there, as argsort gives them and as `less` wants them. What lies
/// behind those stays as it was.
template <class Policy, class Place = std::uint32_t, class Key, class Stream, class Count, class Order, class Less>
void expect_argsorted(test_device<Stream>& d, const std::vector<Key>& keys, Count count, std::size_t sorted,
                      Order order, bit_range bits, Less less) {
  guarded_array<Key, Stream> in(d, keys, sizeof(Key));
  guarded_array<Place, Stream> out(d, keys.size(), sizeof(Place) * 3);
  const auto before = out.items();
  const Key* const from = in.data();
  const std::size_t bytes = argsort_workspace_bytes<Policy>(from, out.data(), count, order, bits);
  guarded_array<unsigned char, Stream> work(d, bytes, 1);
  ASSERT_EQ(static_cast<status>(
                argsort<Policy>(workspace{work.data(), bytes}, from, out.data(), count, order, bits, d.stream())),
            status::success)
      << d.message();
  std::vector<Place> expected(sorted);
  std::iota(expected.begin(), expected.end(), Place{0});
  std::stable_sort(expected.begin(), expected.end(), [&](Place a, Place b) {
    return less(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
  });
  expected.insert(expected.end(), before.begin() + static_cast<std::ptrdiff_t>(sorted), before.end());
  EXPECT_TRUE(same_items(out.items(), expected)) << "n = " << keys.size();
  in.expect_unchanged();
  work.expect_guards();
}

/// An order that has no codes: the bits of a key in reverse.
struct bits_reversed {
  static UPSWEEP_HOST_DEVICE std::uint32_t reversed_bits(std::uint32_t key) {
    std::uint32_t r = 0;
    for (int b = 0; b < 32; ++b) r |= (key >> b & 1u) << (31 - b);
    return r;
  }
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const std::uint32_t& key, int shift, int width) const {
    return reversed_bits(key) >> shift & ((1u << width) - 1);
  }
};

template <class Policy, class Stream>
void add_argsort_contract(const std::string& suite, std::size_t tile) {
  using device = test_device<Stream>;
  using word = std::uint32_t;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  const auto as_count = [](const auto& keys) { return static_cast<std::int64_t>(keys.size()); };

  add("argsorts_where_any_digits_are_the_same", [=](device& d) {
    constexpr word same[] = {5, 0xff, 0, 0x80};
    for (unsigned bytes = 0; bytes < 16; ++bytes) {
      auto keys = random_keys<word>(tile * 2 + 77, "uniform");
      for (word& k : keys) {
        for (unsigned b = 0; b < 4; ++b) {
          if ((bytes >> b & 1u) == 0) k = (k & ~(0xffu << 8 * b)) | same[b] << 8 * b;
        }
      }
      SCOPED_TRACE(bytes);
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), sort_order::ascending, {}, std::less<>{});
    }
  });
  add("argsorts_by_any_bits", [=](device& d) {
    const auto keys = random_keys<word>(tile + 200, "uniform");
    for (const bit_range bits : {bit_range{0, 8}, {3, 4}, {5, 25}, {8, 24}, {23, 32}, {7, 7}, {0, 31}, {1, 32}}) {
      SCOPED_TRACE(testing::Message() << bits.begin << " to " << bits.end);
      const auto part = [=](word k) {
        return bits.end == bits.begin ? 0 : k << (32 - bits.end) >> (32 - bits.end + bits.begin);
      };
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), sort_order::ascending, bits,
                               [=](word a, word b) { return part(a) < part(b); });
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), sort_order::descending, bits,
                               [=](word a, word b) { return part(a) > part(b); });
    }
  });
  add("argsorts_every_distribution", [=](device& d) {
    for (const char* distribution : {"few_values", "constant", "low_16_bits", "sorted", "reversed", "runs"}) {
      SCOPED_TRACE(distribution);
      const auto keys = random_keys<std::int32_t>(tile * 3 - 1, distribution);
      expect_argsorted<Policy, std::int32_t>(d, keys, as_count(keys), keys.size(), sort_order::ascending, {},
                                             std::less<>{});
      expect_argsorted<Policy, std::int32_t>(d, keys, as_count(keys), keys.size(), sort_order::descending, {},
                                             std::greater<>{});
    }
  });
  add("argsorts_floats_of_any_order", [=](device& d) {
    const auto last = [](float a, float b) {
      return std::isnan(a) || std::isnan(b) ? !std::isnan(a) && std::isnan(b) : a < b;
    };
    const auto first = [](float a, float b) {
      return std::isnan(a) || std::isnan(b) ? std::isnan(a) && !std::isnan(b) : a > b;
    };
    for (const char* distribution : {"specials", "uniform"}) {
      const auto keys = random_keys<float>(tile + 55, distribution);
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), sort_order::ascending, {}, key_less<float>);
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(),
                               key_digits<float, nan_order::last>{sort_order::ascending}, {}, last);
      expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(),
                               key_digits<float, nan_order::first>{sort_order::descending}, {}, first);
    }
  });
  add("argsorts_by_digits_that_are_of_no_code", [=](device& d) {
    const auto keys = random_keys<word>(tile + 13, "uniform");
    const auto less = [](word a, word b) { return bits_reversed::reversed_bits(a) < bits_reversed::reversed_bits(b); };
    expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), extracted_by<32>(bits_reversed{}), {}, less);
    const auto keys_of_20 = [](word k) { return bits_reversed::reversed_bits(k) >> 3 & 0xfffff; };
    expect_argsorted<Policy>(d, keys, as_count(keys), keys.size(), extracted_by<32>(bits_reversed{}), {3, 23},
                             [=](word a, word b) { return keys_of_20(a) < keys_of_20(b); });
  });
  add("argsorts_any_n", [=](device& d) {
    const std::size_t most = 2 * tile + 1, step = race_check ? 331 : 97;
    for (std::size_t n = most % step; n <= most; n += step) {
      const auto keys = random_keys<word>(n, n % 2 ? "uniform" : "few_values");
      expect_argsorted<Policy>(d, keys, as_count(keys), n, sort_order::ascending, {}, std::less<>{});
    }
    for (const std::size_t n : {tile - 1, tile, tile + 1, 2 * tile - 1, 2 * tile}) {
      const auto keys = random_keys<word>(n, "uniform");
      expect_argsorted<Policy>(d, keys, as_count(keys), n, sort_order::ascending, {0, 24},
                               [](word a, word b) { return (a & 0xffffff) < (b & 0xffffff); });
    }
  });
  // Where one pair of a tile tells whether its order was looked at, no other disorder hides that it was not.
  add("argsorts_few_keys_of_two_digits", [=](device& d) {
    for (std::size_t n = 2; n < 8; ++n) {
      for (int round = 0; round < (race_check ? 4 : 16); ++round) {
        auto keys = random_keys<word>(n + 8 * static_cast<std::size_t>(round), "uniform");
        keys.resize(n);
        for (word& k : keys) k &= 0x01010101;
        expect_argsorted<Policy>(d, keys, as_count(keys), n, sort_order::ascending, {}, std::less<>{});
      }
    }
  });
  add("argsorts_as_many_as_the_device_counts", [=](device& d) {
    const auto keys = random_keys<word>(2 * tile + 100, "uniform");
    const auto bound = as_count(keys);
    for (const std::int64_t n : {std::int64_t{-3}, std::int64_t{0}, std::int64_t{1}, bound / 2, bound, bound + 9}) {
      guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
      expect_argsorted<Policy>(d, keys, device_count<std::int64_t>{count.data(), bound},
                               static_cast<std::size_t>(std::clamp<std::int64_t>(n, 0, bound)), sort_order::ascending,
                               {}, std::less<>{});
    }
  });
  add("more_keys_need_no_less_workspace", [=](device&) {
    std::size_t before = 0;
    for (std::int64_t n = 0; n < std::int64_t{1} << 33; n = n + 1 + n / 7) {
      const std::size_t bytes =
          argsort_workspace_bytes<Policy>(static_cast<const word*>(nullptr), static_cast<word*>(nullptr), n);
      EXPECT_GE(bytes, before) << n;
      before = bytes;
    }
  });
}

}  // namespace upsweep::test
