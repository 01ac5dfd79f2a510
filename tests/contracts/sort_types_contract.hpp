// Keys and values of types that the tiles are chosen by.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
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
    const auto count = static_cast<std::int64_t>(n);
    const std::size_t bytes =
        sort_pairs_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(), values_out.data(), count);
    guarded_array<unsigned char, Stream> work(d, bytes, 1);
    ASSERT_EQ(
        static_cast<status>(sort_pairs<Policy>(workspace{work.data(), bytes}, static_cast<const Key*>(keys_in.data()),
                                               keys_out.data(), static_cast<const Value*>(values_in.data()),
                                               values_out.data(), count, sort_order::ascending, {}, d.stream())),
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

/// Keys alone, of so many as tiles change by.
template <class Policy, class Key, class Stream>
void add_keys_alone_contract(const std::string& name, const std::vector<std::size_t>& sizes) {
  add_test<Stream>("keys_alone/" + name, "are_ordered", [sizes](test_device<Stream>& d) {
    for (const std::size_t n : sizes) {
      auto sorted = keys_of_random_bits<Key>(n);
      guarded_array<Key, Stream> in(d, sorted), out(d, n);
      std::stable_sort(sorted.begin(), sorted.end(), in_front<Key>);
      const auto count = static_cast<std::int64_t>(n);
      const std::size_t bytes = sort_keys_workspace_bytes<Policy>(in.data(), out.data(), count);
      guarded_array<unsigned char, Stream> work(d, bytes, 1);
      ASSERT_EQ(static_cast<status>(sort_keys<Policy>(workspace{work.data(), bytes}, static_cast<const Key*>(in.data()),
                                                      out.data(), count, sort_order::ascending, {}, d.stream())),
                status::success)
          << d.message();
      EXPECT_TRUE(same_items(bytes_of(out.items()), bytes_of(sorted))) << n;
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
  // The tiles for few keys alone.
  using tiny_u32 = onesweep<onesweep_fixed<onesweep_tuned::tiny_tile<std::uint32_t, no_value, true>>>;
  using least_u32 = onesweep<onesweep_fixed<onesweep_tuned::least_tile<std::uint32_t, no_value, true>>>;
  using least_u64 = onesweep<onesweep_fixed<onesweep_tuned::least_tile<std::uint64_t, no_value, true>>>;
  add_keys_alone_contract<tiny_u32, std::uint32_t, Stream>("tiny_u32", {4096, 9001});
  add_keys_alone_contract<least_u32, std::uint32_t, Stream>("least_u32", {2048, 5001});
  add_keys_alone_contract<least_u64, std::uint64_t, Stream>("least_u64", {2048, 5001});
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    add_keys_alone_contract<onesweep<>, std::uint64_t, Stream>("u64", {3 << 15, (3 << 15) + 1, 1 << 17, (1 << 17) + 1});
    add_keys_alone_contract<onesweep<>, double, Stream>("f64", {1 << 17, (1 << 17) + 1, 1 << 18, (1 << 18) + 1});
    add_keys_alone_contract<onesweep<>, std::uint32_t, Stream>("u32", {1 << 17, (1 << 17) + 1, 1 << 19, (1 << 19) + 1});
    add_keys_alone_contract<onesweep<>, float, Stream>("f32", {1 << 17, (1 << 17) + 1, 1 << 19, (1 << 19) + 1});
    for (const std::size_t n : {(3u << 15) + 1, (1u << 17) + 1}) {
      add_value_type_contract<onesweep<>, std::uint64_t, std::uint32_t, Stream>("u64_u32_" + std::to_string(n), n);
    }
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
