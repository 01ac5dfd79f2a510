// What sorts of few keys promise beside the contract of every sort: around their limits, and for keys whose passes can
// be skipped.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contracts/sort_contract.hpp"

namespace upsweep::test {

/// Method::max_keys is a multiple of 8.
template <class Method, class Key, class Stream>
void add_few_keys_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };
  static constexpr auto most = static_cast<std::size_t>(Method::max_keys);
  static constexpr int width = sizeof(Key) * 8;

  add("sorts_any_n_stably_both_ways", [](device& d) {
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{33}, most / 8 + 1, most / 4, most / 2 + 3, most - 1, most}) {
      for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
        const auto keys = random_keys<Key>(n, n % 2 ? "uniform" : "few_values");
        expect_sorted<Method>(d, keys, sorted_places(keys, order, key_less<Key>), order);
      }
    }
  });
  add("skips_passes_wherever_they_stand", [](device& d) {
    for (const char* distribution : {"constant", "low_16_bits", "specials", "reversed"}) {
      SCOPED_TRACE(distribution);
      const auto keys = random_keys<Key>(most - 5, distribution);
      expect_sorted<Method>(d, keys, sorted_places(keys, sort_order::descending, key_less<Key>),
                            sort_order::descending);
    }
    for (const int constant : {0, 8, width - 8}) {
      auto keys = random_keys<Key>(most - 9, "uniform");
      for (Key& k : keys) {
        const auto mask = static_cast<bits_of<Key>>(bits_of<Key>{0xff} << constant);
        k = std::bit_cast<Key>(static_cast<bits_of<Key>>(std::bit_cast<bits_of<Key>>(k) | mask));
      }
      expect_sorted<Method>(d, keys, sorted_places(keys, sort_order::ascending, key_less<Key>), sort_order::ascending);
    }
  });
  if constexpr (std::is_unsigned_v<Key>) {
    add("compares_only_the_bits_of_the_range", [](device& d) {
      for (const bit_range bits : {bit_range{3, 4}, {5, 25}, {width - 16, width}, {7, 7}}) {
        const auto keys = random_keys<Key>(most - 3, "uniform");
        const auto part = [&](Key k) {
          return bits.end == bits.begin ? Key{0}
                                        : static_cast<Key>(k >> bits.begin << (width - (bits.end - bits.begin)));
        };
        const auto less = [&](Key a, Key b) { return part(a) < part(b); };
        expect_sorted<Method>(d, keys, sorted_places(keys, sort_order::ascending, less), sort_order::ascending, bits);
      }
    });
  }
  add("carries_values_of_any_size", [](device& d) {
    const auto keys = random_keys<Key>(most - 7, "few_values");
    const auto places = sorted_places(keys, sort_order::ascending, key_less<Key>);
    using value = wide_value<std::uint32_t, 4>;
    std::vector<value> values, expected;
    for (std::uint32_t i = 0; i < keys.size(); ++i) values.push_back({i, i, i, i});
    for (const std::uint32_t p : places) expected.push_back(values[p]);
    guarded_array<Key, Stream> keys_in(d, keys), keys_out(d, keys.size());
    guarded_array<value, Stream> values_in(d, values), values_out(d, keys.size());
    const auto n = static_cast<std::int64_t>(keys.size());
    ASSERT_EQ(static_cast<status>(sort_pairs<Method>(workspace{}, static_cast<const Key*>(keys_in.data()),
                                                     keys_out.data(), static_cast<const value*>(values_in.data()),
                                                     values_out.data(), n, {}, {}, d.stream())),
              status::success)
        << d.message();
    EXPECT_TRUE(same_items(values_out.items(), expected));

    // In place, where there is a spare.
    guarded_array<Key, Stream> keys_inout(d, keys), keys_spare(d, keys.size());
    guarded_array<value, Stream> values_inout(d, values), values_spare(d, keys.size());
    auto executor = d.executor();
    sort_request<Key, value, key_digits<Key>> in_place{
        {}, {0, width}, n, keys_inout.data(), keys_inout.data(), values_inout.data(), values_inout.data()};
    in_place.keys_spare = keys_spare.data();
    in_place.values_spare = values_spare.data();
    ASSERT_EQ(sort_by(Method{}, executor, workspace{}, in_place), status::success) << d.message();
    EXPECT_TRUE(same_items(values_inout.items(), expected));
    EXPECT_TRUE(same_items(as_bits(keys_inout.items()), as_bits(keys_out.items())));
  });
  add("takes_the_count_from_the_device", [](device& d) {
    const auto keys = random_keys<Key>(most, "uniform");
    for (const int count : {-3, 0, 5, static_cast<int>(most / 2), static_cast<int>(most + 9)}) {
      const std::size_t n = std::min(most, static_cast<std::size_t>(std::max(count, 0)));
      guarded_array<Key, Stream> in(d, keys), out(d, keys.size());
      guarded_array<int, Stream> counts(d, std::vector<int>{count});
      const std::vector<Key> before = out.items();
      auto executor = d.executor();
      const sort_request<Key, no_value, key_digits<Key>, device_count<int>> request{
          {}, {0, width}, {counts.data(), Method::max_keys}, in.data(), out.data(), nullptr, nullptr};
      ASSERT_EQ(Method{}.run(executor, workspace{}, request), status::success) << d.message();
      std::vector<Key> expected(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
      std::stable_sort(expected.begin(), expected.end(), key_less<Key>);
      expected.insert(expected.end(), before.begin() + static_cast<std::ptrdiff_t>(n), before.end());
      EXPECT_TRUE(same_items(as_bits(out.items()), as_bits(expected))) << count;
    }
  });
  add("refuses_more_keys_than_it_takes", [](device& d) {
    guarded_array<Key, Stream> in(d, most + 1), out(d, most + 1);
    EXPECT_EQ(static_cast<status>(sort_keys<Method>(workspace{}, static_cast<const Key*>(in.data()), out.data(),
                                                    Method::max_keys + 1, {}, {}, d.stream())),
              status::not_supported);
    out.expect_unchanged();
  });
}

}  // namespace upsweep::test
