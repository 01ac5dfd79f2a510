// Every type of key, by every order, on any device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#if __has_include(<cuda_fp16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
struct __half {
  std::uint16_t bits;
};
struct __nv_bfloat16 {
  std::uint16_t bits;
};
#endif

#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "support/tuples.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& items) {
  std::vector<unsigned char> bytes(items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

template <class Key>
std::vector<Key> keys_of_random_bits(std::size_t n, int significant_bytes = sizeof(Key)) {
  random_source random(n + sizeof(Key));
  std::vector<Key> keys(n);
  for (Key& k : keys) {
    unsigned char bytes[sizeof(Key)] = {};
    for (int b = 0; b < significant_bytes; ++b) bytes[b] = static_cast<unsigned char>(random());
    std::memcpy(static_cast<void*>(&k), bytes, sizeof(Key));
  }
  return keys;
}

/// A 16-bit float as the number that it is, by the definition of IEEE formats.
inline double number_of_bits(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits, bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1), mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa ? std::copysign(NAN, sign) : sign * INFINITY;
  const double fraction = std::ldexp(mantissa, -mantissa_bits) + (exponent ? 1 : 0);
  return sign * std::ldexp(fraction, (exponent ? exponent : 1) - bias);
}

/// The number that a key is, to be compared.
template <class Key>
auto number_of(const Key& k) {
  if constexpr (std::is_same_v<Key, __half> || std::is_same_v<Key, __nv_bfloat16>) {
    std::uint16_t bits;
    std::memcpy(&bits, &k, 2);
    return number_of_bits(bits, std::is_same_v<Key, __half> ? 10 : 7);
  } else {
    return k;
  }
}

/// The order of keys as it is documented, NaNs by their bits.
template <class Key>
bool in_front(const Key& a, const Key& b) {
  const auto x = number_of(a), y = number_of(b);
  if constexpr (std::is_floating_point_v<decltype(x)>) {
    const auto side = [](auto v) { return std::isnan(v) ? (std::signbit(v) ? -1 : 1) : 0; };
    if (side(x) != side(y)) return side(x) < side(y);
    if (side(x) != 0) {
      using bits = unsigned_of_bytes<sizeof(Key)>;
      bits p, q;
      std::memcpy(&p, &a, sizeof a);
      std::memcpy(&q, &b, sizeof b);
      return side(x) > 0 ? p < q : q < p;
    }
  }
  return x < y;
}

template <class Key, class Less>
std::vector<std::uint32_t> places_by(const std::vector<Key>& keys, Less less) {
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return less(keys[a], keys[b]); });
  return places;
}

/// Sorts keys with their places as values, by an order, and compares every byte with what `less` gives.
template <class Policy, class Key, class Order, class Less, class Stream>
void expect_order(test_device<Stream>& d, const std::vector<Key>& keys, const Order& order, Less less,
                  bit_range bits = {}) {
  const auto n = static_cast<std::int64_t>(keys.size());
  const std::vector<std::uint32_t> places = places_by(keys, less);
  std::vector<std::uint32_t> values(keys.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<Key> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);
  guarded_array<Key, Stream> keys_in(d, keys), keys_out(d, keys.size());
  guarded_array<std::uint32_t, Stream> values_in(d, values), values_out(d, keys.size());
  const std::size_t bytes = sort_pairs_workspace_bytes<Policy>(keys_in.data(), keys_out.data(), values_in.data(),
                                                               values_out.data(), n, order, bits);
  guarded_array<unsigned char, Stream> work(d, bytes, 3);
  ASSERT_EQ(static_cast<status>(sort_pairs<Policy>(
                workspace{work.data(), bytes}, static_cast<const Key*>(keys_in.data()), keys_out.data(),
                static_cast<const std::uint32_t*>(values_in.data()), values_out.data(), n, order, bits, d.stream())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(values_out.items(), places));
  EXPECT_TRUE(same_items(bytes_of(keys_out.items()), bytes_of(expected)));
  work.expect_guards();
}

template <class Policy, class Key, class Stream>
void add_key_type_contract(const std::string& name, std::size_t n) {
  add_test<Stream>("keys/" + name, "are_ordered_as_numbers_both_ways", [n](test_device<Stream>& d) {
    for (const int bytes : {static_cast<int>(sizeof(Key)), 1}) {
      const auto keys = keys_of_random_bits<Key>(n, bytes);
      expect_order<Policy>(d, keys, sort_order::ascending, in_front<Key>);
      expect_order<Policy>(d, keys, sort_order::descending, [](const Key& a, const Key& b) { return in_front(b, a); });
    }
  });
}

/// A key of three fields, in another order in memory than in comparisons.
struct particle_key {
  std::int8_t layer;
  std::uint8_t tag;  // is not compared
  std::uint16_t material;
  float depth;
};
struct by_layer_and_depth {
  UPSWEEP_HOST_DEVICE tuples::tuple<std::int8_t&, float&, std::uint16_t&> operator()(particle_key& k) const {
    return {k.layer, k.depth, k.material};
  }
};
struct by_layer_far_ones_first {
  UPSWEEP_HOST_DEVICE tuples::tuple<const std::int8_t&, reversed_field<float>> operator()(const particle_key& k) const {
    return {k.layer, reversed(k.depth)};
  }
};

/// A number of 96 bits in three words, the lowest one last.
struct words_key {
  std::uint32_t word[3];
};
struct bits_of_words {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const words_key& k, int shift, int) const {
    const int at = 2 - shift / 32, bit = shift % 32;
    const std::uint64_t both = k.word[at] | (at > 0 ? std::uint64_t{k.word[at - 1]} << 32 : 0);
    return static_cast<std::uint32_t>(both >> bit);
  }
};

/// More than a pass moves with its key.
struct wide_words {
  std::uint64_t word[4];
};

template <class Policy, class Stream>
void add_key_order_contract(const std::string& suite, std::size_t n) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("nans_go_where_the_order_says", [n](device& d) {
    auto keys = keys_of_random_bits<float>(n);
    for (std::size_t i = 0; i < n; i += 3) keys[i] = i % 2 ? NAN : -NAN;
    keys[1] = -INFINITY, keys[2] = INFINITY;
    const auto rank = [](float x, int of_nan) { return std::isnan(x) ? of_nan : 0; };
    for (const sort_order o : {sort_order::ascending, sort_order::descending}) {
      const auto less = [&](float a, float b, int of_nan) {
        if (rank(a, of_nan) != rank(b, of_nan)) return rank(a, of_nan) < rank(b, of_nan);
        return !std::isnan(a) && (o == sort_order::ascending ? a < b : b < a);
      };
      expect_order<Policy>(d, keys, key_digits<float, nan_order::last>{o},
                           [&](float a, float b) { return less(a, b, 1); });
      expect_order<Policy>(d, keys, key_digits<float, nan_order::first>{o},
                           [&](float a, float b) { return less(a, b, -1); });
    }
  });
  add("structures_are_ordered_by_their_fields", [n](device& d) {
    auto keys = keys_of_random_bits<particle_key>(n);
    for (particle_key& k : keys) {
      k.layer %= 3;
      k.depth = static_cast<float>(k.material % 7) - 3;
    }
    const auto less = [](const particle_key& a, const particle_key& b) {
      return std::tie(a.layer, a.depth, a.material) < std::tie(b.layer, b.depth, b.material);
    };
    expect_order<Policy>(d, keys, decomposed_by<particle_key>(by_layer_and_depth{}), less);
    expect_order<Policy>(d, keys, decomposed_by<particle_key>(by_layer_and_depth{}, sort_order::descending),
                         [&](const particle_key& a, const particle_key& b) { return less(b, a); });
    expect_order<Policy>(
        d, keys, decomposed_by<particle_key>(by_layer_and_depth{}),
        [](const particle_key& a, const particle_key& b) { return a.material % 4096 / 16 < b.material % 4096 / 16; },
        {4, 12});
    // The lowest 2 bits of the layer and the highest 4 of the depth, which tell these steps.
    const auto step = [](float depth) { return depth <= -2 ? 0 : depth < 0 ? 1 : depth < 1 ? 2 : depth < 2 ? 3 : 4; };
    expect_order<Policy>(d, keys, decomposed_by<particle_key>(by_layer_and_depth{}),
                         [&](const particle_key& a, const particle_key& b) {
                           return std::tuple(a.layer & 3, step(a.depth)) < std::tuple(b.layer & 3, step(b.depth));
                         },
                         {44, 50});
    expect_order<Policy>(d, keys, decomposed_by<particle_key>(by_layer_far_ones_first{}),
                         [](const particle_key& a, const particle_key& b) {
                           return a.layer != b.layer ? a.layer < b.layer : b.depth < a.depth;
                         });
  });
  add("an_extractor_gives_the_bits", [n](device& d) {
    const auto keys = keys_of_random_bits<words_key>(n);
    const auto less = [](const words_key& a, const words_key& b) {
      return std::lexicographical_compare(a.word, a.word + 3, b.word, b.word + 3);
    };
    expect_order<Policy>(d, keys, extracted_by<96>(bits_of_words{}), less);
    expect_order<Policy>(d, keys, extracted_by<96>(bits_of_words{}, sort_order::descending),
                         [](const words_key& a, const words_key& b) {
                           return (b.word[1] << 2 | b.word[2] >> 30) % 64 < (a.word[1] << 2 | a.word[2] >> 30) % 64;
                         },
                         {30, 36});
    // In order but for what counts most.
    auto by_low_digits = keys;
    for (std::size_t i = 0; i < n; ++i) by_low_digits[i].word[2] = static_cast<std::uint32_t>(i / 256 | i % 256 << 8);
    expect_order<Policy>(d, by_low_digits, extracted_by<96>(bits_of_words{}), less);
  });
}

}  // namespace upsweep::test
