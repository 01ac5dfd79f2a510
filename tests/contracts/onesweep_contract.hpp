// What onesweep promises beyond what every sort does: which passes run, where from and where to, what is sorted
// already, and n on the device. Other methods skip passes, too.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/sort/device/onesweep.cuh"

namespace upsweep::test {

template <int Threads, int Items, int RadixBits = 8, int Blocks = 1, int LookbackGroup = 0>
using onesweep_with = onesweep<onesweep_fixed<onesweep_tile<Threads, Items, RadixBits, Blocks, LookbackGroup>>>;

/// Where a sort with a spare array takes its keys from, and, unless it makes them itself as `places`, its values.
enum class input_at { own_array, spare, output };

/// Sorts pairs by a request of its own, the places as values, and compares. Input in the spare needs an odd number of
/// passes: the upper byte is left out, and must be the same in all keys. Says whether the spare was used.
template <class Policy, class Stream, class Count>
void expect_request_sorted(test_device<Stream>& d, const std::vector<std::uint32_t>& keys, input_at where, Count count,
                           std::size_t sorted, bool places = false, bool* uses_spare = nullptr) {
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  guarded_array<std::uint32_t, Stream> keys_in(d, keys), keys_out(d, keys.size()), keys_spare(d, keys.size());
  guarded_array<std::uint32_t, Stream> values_in(d, values), values_out(d, keys.size()), values_spare(d, keys.size());
  sort_request<std::uint32_t, std::uint32_t, key_digits<std::uint32_t>, Count> r{
      {},
      {0, where == input_at::spare ? 24 : 32},
      count,
      keys_in.data(),
      keys_out.data(),
      values_in.data(),
      values_out.data(),
      keys_spare.data(),
      values_spare.data()};
  if (where == input_at::spare || where == input_at::output) {
    auto& keys_there = where == input_at::spare ? keys_spare : keys_out;
    auto& values_there = where == input_at::spare ? values_spare : values_out;
    keys_there.set(keys);
    if (!places) values_there.set(values);
    r.keys_in = keys_there.data();
    r.values_in = values_there.data();
  }
  if (places) r.values_in = nullptr;
  const auto spare_before = keys_spare.items();
  const std::size_t bytes =
      Policy{}.template workspace_bytes<std::uint32_t, std::uint32_t>(static_cast<std::int64_t>(keys.size()), true);
  guarded_array<unsigned char, Stream> work(d, bytes, 5);
  auto executor = d.executor();
  ASSERT_EQ(Policy{}.run(executor, workspace{work.data(), bytes}, r), status::success) << d.message();
  const auto after_keys = keys_out.items(), after_values = values_out.items();
  const std::vector<std::uint32_t> first(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(sorted));
  const auto expected = sorted_places(first, sort_order::ascending, key_less<std::uint32_t>);
  for (std::size_t i = 0; i < sorted; ++i) {
    ASSERT_EQ(after_values[i], expected[i]) << i;
    ASSERT_EQ(after_keys[i], keys[expected[i]]) << i;
  }
  work.expect_guards();
  const bool spare_written = keys_spare.items() != spare_before;
  if (uses_spare != nullptr) *uses_spare = spare_written;
  values_spare.expect_guards();
  if (where == input_at::own_array) {
    keys_in.expect_unchanged();
    values_in.expect_unchanged();
  }
}

/// Passes whose digit is the same in all keys are skipped, wherever they are. A method that plans ahead knows how
/// many passes run before the first one does; it makes places, too.
template <class Policy, class Stream>
void add_skipped_passes_contract(const std::string& suite, bool plans_ahead) {
  using device = test_device<Stream>;
  static constexpr std::uint32_t constant[] = {5, 0xff, 0, 5};
  const auto keys_of_bytes = [](std::size_t n, unsigned bytes) {
    auto keys = random_keys<std::uint32_t>(n, "uniform");
    for (std::uint32_t& k : keys) {
      for (unsigned b = 0; b < 4; ++b) {
        if ((bytes >> b & 1u) == 0) k = (k & ~(0xffu << 8 * b)) | constant[b] << 8 * b;
      }
    }
    return keys;
  };
  add_test<Stream>(suite, "skips_digits_that_are_the_same_in_all_keys", [=](device& d) {
    for (unsigned bytes = 0; bytes < 16; ++bytes) {
      for (const input_at where : {input_at::own_array, input_at::spare, input_at::output}) {
        for (const bool places : {false, true}) {
          if (places && !plans_ahead) continue;
          SCOPED_TRACE(testing::Message() << "bytes " << bytes << ", input " << static_cast<int>(where) << places);
          const auto keys = keys_of_bytes(700, where == input_at::spare ? bytes & 7 : bytes);
          // Where one digit alone differs, one pass goes straight to the output; without a plan, if an even number of
          // passes would follow.
          const bool straight = plans_ahead ? std::popcount(bytes) <= 1 : bytes == 0 || bytes == 2 || bytes == 8;
          bool uses_spare = false;
          expect_request_sorted<Policy>(d, keys, where, std::int64_t{700}, 700, places, &uses_spare);
          if (where == input_at::own_array && straight) {
            EXPECT_FALSE(uses_spare);
          }
        }
      }
    }
  });
  add_test<Stream>(suite, "sorts_as_many_as_the_device_counts", [=](device& d) {
    for (const std::int64_t n : {-3, 0, 1, 512, 700, 1000}) {
      const auto sorted = static_cast<std::size_t>(n < 0 ? 0 : n < 700 ? n : 700);
      guarded_array<std::int64_t, Stream> count(d, std::vector<std::int64_t>{n});
      const auto where = n % 2 == 0 ? input_at::own_array : input_at::output;
      expect_request_sorted<Policy>(d, keys_of_bytes(700, 15), where, device_count<std::int64_t>{count.data(), 700},
                                    sorted);
    }
  });
}

template <class Policy, class Stream>
void add_onesweep_contract(const std::string& suite) {
  using device = test_device<Stream>;
  add_skipped_passes_contract<Policy, Stream>(suite, true);
  // Of three tiles of the histogram.
  const auto ascending_keys = [] {
    std::vector<std::uint32_t> keys(3 * 8192 - 100);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i / 2 * 174763);
    return keys;
  };
  add_test<Stream>(suite, "moves_nothing_to_and_fro_that_is_sorted_already", [=](device& d) {
    const auto keys = ascending_keys();
    const auto n = static_cast<std::int64_t>(keys.size());
    for (const input_at where : {input_at::own_array, input_at::output}) {
      for (const bool places : {false, true}) {
        SCOPED_TRACE(testing::Message() << "input " << static_cast<int>(where) << places);
        bool uses_spare = true;
        expect_request_sorted<Policy>(d, keys, where, n, keys.size(), places, &uses_spare);
        EXPECT_FALSE(uses_spare);
      }
    }
  });
  add_test<Stream>(suite, "moves_nothing_where_the_bits_of_the_range_are_in_order", [](device& d) {
    constexpr std::int64_t n = 2000;
    auto keys = random_keys<std::uint32_t>(n, "uniform");
    for (std::uint32_t i = 0; i < n; ++i) keys[i] = (keys[i] & 0xff0000ffu) | i << 8;
    guarded_array<std::uint32_t, Stream> there(d, keys), other(d, n);
    double_buffer<std::uint32_t> buffers{there.data(), other.data()};
    const std::size_t bytes = sort_keys_workspace_bytes<Policy>(buffers, n);
    guarded_array<unsigned char, Stream> work(d, bytes);
    ASSERT_EQ(static_cast<status>(sort_keys<Policy>(workspace{work.data(), bytes}, buffers, n, sort_order::ascending,
                                                    bit_range{8, 24}, d.stream())),
              status::success)
        << d.message();
    EXPECT_EQ(buffers.current, there.data());
    there.expect_unchanged();
    other.expect_unchanged();
  });
  add_test<Stream>(suite, "notices_two_keys_out_of_order", [=](device& d) {
    const auto sorted = ascending_keys();
    const std::size_t all = sorted.size();
    for (const auto& [at, n] : {std::pair{std::size_t{1}, std::size_t{200}},
                                {31, 200},
                                {511, 700},
                                {8191, 8400},
                                {16383, 16600},
                                {1, all},
                                {all - 3, all}}) {
      SCOPED_TRACE(testing::Message() << at << " of " << n);
      std::vector<std::uint32_t> keys(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
      std::swap(keys[at], keys[at + 1]);
      expect_request_sorted<Policy>(d, keys, input_at::own_array, static_cast<std::int64_t>(keys.size()), keys.size());
    }
  });
}

/// Pairs and places by the digits of a tile, whatever their width.
template <class Policy, class Stream>
void add_onesweep_digits_contract(const std::string& suite) {
  add_test<Stream>(suite, "sorts_pairs_and_places_of_any_n", [](test_device<Stream>& d) {
    for (const std::size_t n : {1, 31, 700, 3000}) {
      for (const char* distribution : {"uniform", "few_values"}) {
        SCOPED_TRACE(testing::Message() << distribution << ", n = " << n);
        const auto keys = random_keys<std::uint32_t>(n, distribution);
        const auto count = static_cast<std::int64_t>(n);
        for (const bool places : {false, true}) {
          expect_request_sorted<Policy>(d, keys, input_at::own_array, count, n, places);
        }
      }
    }
  });
}

}  // namespace upsweep::test
