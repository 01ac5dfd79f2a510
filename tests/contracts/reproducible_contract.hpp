// What reproducible_scan promises: the contract of all scans, and the same bits.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "contracts/scan_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {

template <class Float>
inline constexpr int magnitudes = std::numeric_limits<Float>::digits;

/// Items of any sign and magnitude: sums in another order have other bits. The same with every seed.
template <class Float>
std::vector<Float> rough_items(std::size_t n) {
  std::vector<Float> items(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    const Float value = std::ldexp(static_cast<Float>(0x800000 + (z >> 41)), static_cast<int>(z % magnitudes<Float>));
    items[i] = (z >> 32 & 1) != 0 ? -value : value;
  }
  return items;
}

/// The bits of one scan: exclusive with an init, inclusive without one.
struct bits_question {
  std::size_t n;
  scan_kind kind = scan_kind::exclusive;
  bool by_iterator = false, in_place = false;
  std::size_t in_offset = 0, out_offset = 0;  // in items
};

template <class Policy, class Float = float, class Stream>
std::vector<std::uint32_t> bits_of_scan(const test_device<Stream>& device, const bits_question& q) {
  constexpr Float init = 0x1.23456p40f;
  const auto n = static_cast<std::int64_t>(q.n);
  const guarded_array<Float, Stream> in(device, rough_items<Float>(q.n), q.in_offset * sizeof(Float));
  guarded_array<Float, Stream> apart(device, q.n, q.out_offset * sizeof(Float));
  Float* const out = q.in_place ? in.data() : apart.data();
  const auto run = [&](auto from) {
    const guarded_array<unsigned char, Stream> work(device,
                                                    exclusive_scan_workspace_bytes<Policy>(from, out, n, plus{}, init));
    const workspace w{work.data(), work.size()};
    const auto e = q.kind == scan_kind::exclusive
                       ? exclusive_scan<Policy>(w, from, out, n, plus{}, init, device.stream())
                       : inclusive_scan<Policy>(w, from, out, n, plus{}, device.stream());
    EXPECT_EQ(static_cast<status>(e), status::success) << device.message();
    EXPECT_EQ(device.executor().synchronize(), status::success);
  };
  if (q.by_iterator) {
    run(array_iterator<Float>{in.data()});
  } else {
    run(static_cast<const Float*>(in.data()));
  }
  std::vector<std::uint32_t> bits(q.n * sizeof(Float) / sizeof(std::uint32_t));
  EXPECT_EQ(device.executor().copy(bits.data(), out, q.n * sizeof(Float)), status::success);
  EXPECT_EQ(device.executor().synchronize(), status::success);
  return bits;
}

/// FNV-1a over words.
inline std::uint64_t hash_of(const std::vector<std::uint32_t>& words) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x100000001b3u;
  return hash;
}

template <class Stream>
struct reproducible_bits_contract {
  using device_type = test_device<Stream>;
  /// Tiles of 96 items.
  using small_tiles = reproducible_scan<96, 1>;
  using without_ways_for_few = reproducible_scan<96, 1, false>;
  /// More groups of tiles than are read at once.
  static constexpr std::size_t many = 96 * 32 * 7 + 1234;

  /// A new version may have other bits: then these change with it.
  static void known_bits(device_type& device) {
    struct known {
      std::size_t n;
      std::uint64_t exclusive, inclusive;
    };
    const auto expect = [&]<class Policy, class Float>(Policy, Float, const known& k) {
      EXPECT_EQ(hash_of(bits_of_scan<Policy, Float>(device, {k.n, scan_kind::exclusive})), k.exclusive);
      EXPECT_EQ(hash_of(bits_of_scan<Policy, Float>(device, {k.n, scan_kind::inclusive})), k.inclusive);
    };
    expect(small_tiles{}, 0.f, {many, 9755418500406468755u, 3721890548723215054u});
    expect(small_tiles{}, 0., {many, 8695636799784991898u, 15576679377627070163u});
    expect(reproducible{}, 0., {200'000, 5201690822115751467u, 10828096546098128249u});
    expect(reproducible{}, 0.f, {400'000, 2367108688249938199u, 5594604498661033865u});
  }

  static void addresses_and_iterators(device_type& device) {
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      const auto expected = bits_of_scan<without_ways_for_few>(device, {many, kind});
      for (const bits_question& q : {bits_question{many, kind, false, false, 0, 1},
                                     {many, kind, false, false, 3, 2},
                                     {many, kind, false, true, 2},
                                     {many, kind, true, false, 0, 0},
                                     {many, kind, true, true, 1}}) {
        SCOPED_TRACE(testing::Message() << "offset " << q.in_offset << (q.by_iterator ? ", by an iterator" : ""));
        EXPECT_TRUE(same_items(bits_of_scan<small_tiles>(device, q), expected));
      }
    }
  }

  static void fewer_items(device_type& device) {
    for (const scan_kind kind : {scan_kind::exclusive, scan_kind::inclusive}) {
      const auto all = bits_of_scan<small_tiles>(device, {many, kind});
      for (const std::size_t n : {std::size_t{1}, std::size_t{95}, std::size_t{32 * 96 + 1}, many / 2}) {
        SCOPED_TRACE(testing::Message() << n << " items");
        const std::vector<std::uint32_t> first(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_TRUE(same_items(bits_of_scan<small_tiles>(device, {n, kind}), first));
      }
    }
  }

  static bool add() {
    add_test<Stream>("reproducible_scan", "has_the_bits_that_are_written_down_here", known_bits);
    add_test<Stream>("reproducible_scan", "does_not_depend_on_addresses_and_iterators", addresses_and_iterators);
    add_test<Stream>("reproducible_scan", "does_not_depend_on_items_behind", fewer_items);
    return true;
  }
};

/// Over an iterator, so that a block scans each tile.
template <class Policy>
struct block_for_each_tile : Policy {
  template <scan_kind Kind, class T, class Executor, class Item, class Out, class Op>
  static status run(Executor& ex, workspace w, const Item* in, Out out, std::int64_t n, Op op, carry<T> init) {
    return Policy::template run<Kind, T>(ex, w, array_iterator<Item>{in}, out, n, op, init);
  }
};

/// Both ways to scan a tile.
template <class Stream>
bool add_reproducible_contracts() {
  using spans = joined_spans<std::uint32_t>;
  return add_scan_contract<Stream, spans>("span8/reproducible", std::tuple<reproducible_scan<64, 2, false>>{}) &&
         add_scan_contract<Stream, spans>("span8/reproducible_by_iterator",
                                          std::tuple<block_for_each_tile<reproducible_scan<96, 4>>>{});
}

}  // namespace upsweep::test
