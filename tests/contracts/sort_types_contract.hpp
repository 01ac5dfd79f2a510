// Keys and values of types that the tiles are chosen by.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/sort_keys_contract.hpp"
#include "upsweep/scan/spine.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::test {

/// Keys of one type with values of another.
template <class Policy, class Key, class Value, class Stream>
void add_value_type_contract(const std::string& name, std::size_t n) {
  add_test<Stream>("pairs/" + name, "travel_together", [n](test_device<Stream>& d) {
    const auto keys = keys_of_random_bits<Key>(n);
    const auto values = keys_of_random_bits<Value>(n);
    std::vector<Key> sorted;
    std::vector<Value> moved;
    for (const std::uint32_t p : places_by(keys, in_front<Key>)) {
      sorted.push_back(keys[p]);
      moved.push_back(values[p]);
    }
    guarded_array<Key, Stream> keys_in(d, keys), keys_out(d, n);
    guarded_array<Value, Stream> values_in(d, values), values_out(d, n);
    const std::size_t bytes = sort_pairs_workspace_bytes<Key, Value, Policy>(static_cast<std::int64_t>(n));
    guarded_array<unsigned char, Stream> work(d, bytes, 1);
    ASSERT_EQ(
        static_cast<status>(sort_pairs<Policy>(workspace{work.data(), bytes}, static_cast<const Key*>(keys_in.data()),
                                               keys_out.data(), static_cast<const Value*>(values_in.data()),
                                               values_out.data(), n, {}, sort_order::ascending, d.stream())),
        status::success)
        << d.message();
    EXPECT_TRUE(same_items(bytes_of(keys_out.items()), bytes_of(sorted)));
    EXPECT_TRUE(same_items(bytes_of(values_out.items()), bytes_of(moved)));
    work.expect_guards();
  });
}

/// A structure that is much wider than what is compared of it.
struct scene_key {
  float depth;
  std::uint32_t more[55];
};
struct by_depth {
  UPSWEEP_HOST_DEVICE tuples::tuple<const float&> operator()(const scene_key& k) const {
    return tuples::tuple<const float&>{k.depth};
  }
};
template <class Policy, class Stream>
void add_wide_key_contract(const std::string& name, std::size_t n) {
  add_test<Stream>("keys/of_224_bytes/" + name, "are_ordered_by_one_field", [n](test_device<Stream>& d) {
    auto keys = keys_of_random_bits<scene_key>(n);
    for (scene_key& k : keys) k.depth = static_cast<float>(k.more[0] % 1000) - 500;
    expect_order<Policy>(d, keys, decomposed_by<scene_key>(by_depth{}),
                         [](const scene_key& a, const scene_key& b) { return a.depth < b.depth; });
  });
}

struct rgb {
  std::uint8_t channel[3];
};
template <class Key, class Value>
using large_tiles = onesweep<onesweep_fixed<onesweep_tuned::tile<Key, Value, false>>>;
template <class Key, class Value>
using small_tiles = onesweep<onesweep_fixed<onesweep_tuned::small_tile<Key, Value, false>>>;
template <class Key, class Value>
using least_tiles = onesweep<onesweep_fixed<onesweep_tuned::least_tile<Key, Value, false>>>;

/// Keys, alone and with places, as many as the tuned tiles change by.
template <class Key, class Stream>
void add_few_keys_contract(const std::string& name, const std::vector<std::size_t>& sizes) {
  add_test<Stream>("few_keys/" + name, "are_ordered_by_the_tiles_for_so_many", [sizes](test_device<Stream>& d) {
    for (const std::size_t n : sizes) {
      const auto keys = keys_of_random_bits<Key>(n);
      expect_order<onesweep<>>(d, keys, sort_order::ascending, in_front<Key>);
      std::vector<Key> sorted;
      for (const std::uint32_t p : places_by(keys, in_front<Key>)) sorted.push_back(keys[p]);
      guarded_array<Key, Stream> in(d, keys), out(d, n);
      const std::size_t bytes = sort_keys_workspace_bytes<Key, onesweep<>>(static_cast<std::int64_t>(n));
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(
          static_cast<status>(sort_keys<onesweep<>>(workspace{work.data(), bytes}, static_cast<const Key*>(in.data()),
                                                    out.data(), n, {}, sort_order::ascending, d.stream())),
          status::success)
          << d.message();
      EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(sorted)));
      work.expect_guards();
    }
  });
}

template <class Stream>
bool add_sort_types_contracts() {
  add_wide_key_contract<onesweep<>, Stream>("onesweep", 700);
  add_wide_key_contract<upsweep_downsweep<policy_spine<>>, Stream>("upsweep_downsweep", 700);
  add_value_type_contract<least_tiles<std::int64_t, std::uint32_t>, std::int64_t, std::uint32_t, Stream>("i64_u32",
                                                                                                         6011);
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    add_few_keys_contract<std::uint64_t, Stream>("u64", {3 << 15, (3 << 15) + 1, 1 << 17, (1 << 17) + 1});
    add_few_keys_contract<double, Stream>("f64", {1 << 17, (1 << 17) + 1, 1 << 18, (1 << 18) + 1});
    add_few_keys_contract<std::uint32_t, Stream>("u32", {1 << 17, (1 << 17) + 1, 1 << 19, (1 << 19) + 1});
    add_few_keys_contract<float, Stream>("f32", {1 << 17, (1 << 17) + 1, 1 << 19, (1 << 19) + 1});
  }
  // The tiles for many pairs.
  add_value_type_contract<large_tiles<std::uint8_t, std::uint64_t>, std::uint8_t, std::uint64_t, Stream>("u8_u64",
                                                                                                         20011);
  add_value_type_contract<large_tiles<std::uint16_t, rgb>, std::uint16_t, rgb, Stream>("u16_3_bytes", 20011);
  add_value_type_contract<large_tiles<double, std::uint64_t>, double, std::uint64_t, Stream>("f64_u64", 20011);
  add_value_type_contract<large_tiles<uint128, std::uint16_t>, uint128, std::uint16_t, Stream>("u128_u16", 20011);
  add_value_type_contract<small_tiles<__half, std::uint64_t>, __half, std::uint64_t, Stream>("f16_u64", 12011);
  return true;
}

}  // namespace upsweep::test
