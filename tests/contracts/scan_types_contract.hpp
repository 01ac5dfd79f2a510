// Scans of items that are not plain numbers, of accumulators that the caller names, and by the operators that have
// types of their own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/oracle.hpp"
#include "support/race_check.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan.cuh"

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define UPSWEEP_TEST_HALVES
#endif

namespace upsweep::test {

/// Upper triangular matrices with ones on the diagonal, by their product: 12 bytes that do not commute.
struct triangle {
  std::uint32_t x, y, z;
  friend bool operator==(const triangle&, const triangle&) = default;
};
struct multiply_triangles {
  UPSWEEP_HOST_DEVICE triangle operator()(const triangle& a, const triangle& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z + a.x * b.y};
  }
};

template <class Stream>
struct scan_types_contract {
  using device_type = test_device<Stream>;

  /// A scan of `items` gives what a loop gives, and writes nothing else. The array begins at a multiple of
  /// 16 bytes, or one item after one; where items and sums are of one type, it is scanned in place, too.
  template <class Policy, class T, class Item, class Op>
  static void expect_scan(device_type& device, const std::vector<Item>& items, Op op, T init) {
    if (Policy::variant.strategy == scan_strategy::cluster && !device.has_clusters()) return;
    const auto n = static_cast<std::int64_t>(items.size());
    const std::vector<T> expected = exclusive_oracle<T>(items, op, init);
    const auto scan = [&](const Item* from, T* to) {
      guarded_array<unsigned char, Stream> work(device, exclusive_scan_workspace_bytes<Policy>(from, to, n, op, init));
      const auto e = exclusive_scan<Policy>({work.data(), work.size()}, from, to, n, op, init, device.stream());
      EXPECT_EQ(static_cast<status>(e), status::success) << device.message();
      work.expect_guards();
    };
    for (const std::size_t offset : {std::size_t{0}, sizeof(Item)}) {
      SCOPED_TRACE("n = " + std::to_string(n) + ", offset " + std::to_string(offset));
      expect_scanned(device, items, offset, expected, scan);
    }
  }

  /// `scan(from, to)` gives what is expected, out of place and where possible in place.
  template <class T, class Item, class Scan>
  static void expect_scanned(device_type& device, const std::vector<Item>& items, std::size_t offset,
                             const std::vector<T>& expected, Scan scan) {
    guarded_array<Item, Stream> in(device, items, offset);
    guarded_array<T, Stream> out(device, items.size());
    scan(in.data(), out.data());
    EXPECT_TRUE(same_items(out.items(), expected));
    in.expect_unchanged();
    if constexpr (std::is_same_v<Item, T>) {
      scan(in.data(), in.data());
      EXPECT_TRUE(same_items(in.items(), expected)) << "in place";
    }
  }

  /// The same of inclusive scans without an init.
  template <class Policy, class Item, class Op>
  static void expect_inclusive_scan(device_type& device, const std::vector<Item>& items, Op op) {
    using T = scan_accumulator_t<const Item*, Op>;
    const auto n = static_cast<std::int64_t>(items.size());
    const std::vector<T> expected = inclusive_oracle<T>(items, op);
    const auto scan = [&](const Item* from, T* to) {
      guarded_array<unsigned char, Stream> work(device, inclusive_scan_workspace_bytes<Policy>(from, to, n, op));
      const auto e = inclusive_scan<Policy>({work.data(), work.size()}, from, to, n, op, device.stream());
      EXPECT_EQ(static_cast<status>(e), status::success) << device.message();
      work.expect_guards();
    };
    expect_scanned(device, items, 0, expected, scan);
  }

  /// By the default scan as many items as take so many bytes, and one more; on the sim some of these limits.
  template <class T, class Op>
  static void expect_default_scans(device_type& device, std::vector<T> (*items)(std::size_t), Op op, T init) {
    const std::size_t kib = 1024, most = kib * kib * (sizeof(T) > 4 ? 32 : sizeof(T) == 4 ? 16 : 8);
    for (const std::size_t bytes : {8 * kib, 64 * kib, 128 * kib, 256 * kib, 2048 * kib, 8192 * kib, most}) {
      if (std::is_same_v<Stream, sim_stream> && bytes > 256 * kib) break;
      for (const std::size_t more : {0, 1}) {
        expect_scan<default_scan>(device, items(bytes / sizeof(T) + more), op, init);
      }
    }
  }

  using lookback = decoupled_lookback<warp_scans<64>, 2>;
  using direct = direct_lookback<warp_scans<64>, 2>;
  using block = single_block<warp_scans<64>, 2>;
  using blocks = cluster<warp_scans<64>, 2>;
  using pipelined = reproducible_scan<96, 16, false>;  // with, without bulk copies
  using ring = decoupled_lookback_pipelined<96, 16>;

  static constexpr std::size_t n = race_check ? 1003 : 4003;

  /// By each of these; under the race checker by two of them.
  template <class T, class Op>
  static void expect_every_scan(device_type& device, const std::vector<T>& items, Op op, T init) {
    expect_scan<lookback>(device, items, op, init);
    expect_scan<ring>(device, items, op, init);
    if constexpr (!race_check) {
      expect_scan<direct>(device, items, op, init);
      expect_scan<block>(device, items, op, init);
      expect_scan<blocks>(device, items, op, init);
      expect_scan<pipelined>(device, items, op, init);
    }
  }

  static std::vector<std::int8_t> signed_bytes(std::size_t count) { return random_items<std::int8_t>(count); }

  static void narrow_and_signed_integers(device_type& device) {
    expect_default_scans(device, signed_bytes, plus{}, std::int8_t{-7});
    // Of 2 and 8 bytes, which halves and pairs take through every strategy.
    expect_scan<ring>(device, random_items<std::uint16_t>(n), plus{}, std::uint16_t{60'000});
    expect_scan<lookback>(device, random_items<std::int16_t>(n), plus{}, std::int16_t{-30'000});
    expect_scan<ring>(device, random_items<std::int16_t>(n), plus{}, std::int16_t{-30'000});
    expect_scan<direct>(device, random_items<std::int64_t>(n), minimum{}, std::int64_t{1} << 62);
    expect_scan<ring>(device, random_items<std::int64_t>(n), minimum{}, std::int64_t{1} << 62);
  }

  static std::vector<triangle> random_triangles(std::size_t count) {
    random_source random(11);
    std::vector<triangle> triangles(count);
    for (triangle& t : triangles) {
      for (std::uint32_t* const word : {&t.x, &t.y, &t.z}) *word = static_cast<std::uint32_t>(random());
    }
    return triangles;
  }

  static std::vector<four_maps> random_maps(std::size_t count) {
    random_source random(14);
    std::vector<four_maps> maps(count);
    for (four_maps& m : maps) {
      for (auto& map : m.map) map = {random() | 1, random()};
    }
    return maps;
  }

  static void sizes_of_structures(device_type& device) {
    const std::vector<triangle> triangles = random_triangles(n);
    expect_scan<lookback>(device, triangles, multiply_triangles{}, triangle{1, 2, 3});
    expect_scan<block>(device, triangles, multiply_triangles{}, triangle{1, 2, 3});
    expect_inclusive_scan<lookback>(device, triangles, multiply_triangles{});
    const std::vector<four_maps> maps = random_maps(n);
    expect_scan<pipelined>(device, maps, compose_four{}, maps[5]);
    expect_scan<blocks>(device, maps, compose_four{}, maps[5]);
    expect_scan<direct>(device, maps, compose_four{}, maps[5]);
    expect_scan<ring>(device, maps, compose_four{}, maps[5]);
    expect_inclusive_scan<ring>(device, maps, compose_four{});
    if constexpr (!std::is_same_v<Stream, sim_stream>) {
      expect_default_scans(device, random_triangles, multiply_triangles{}, triangle{1, 2, 3});
      expect_default_scans(device, random_maps, compose_four{}, maps[5]);
    }
  }

#if defined(__SIZEOF_INT128__)
  __extension__ using wide = __int128;
  static std::vector<wide> wide_items(std::size_t count) {
    std::vector<wide> items(count);
    random_source random(12);
    for (wide& item : items) item = static_cast<wide>(random()) << 32;
    return items;
  }
  static void int128(device_type& device) {
    const std::vector<wide> items = wide_items(n);
    expect_scan<pipelined>(device, items, plus{}, items[7]);
    expect_scan<blocks>(device, items, plus{}, items[8]);
    expect_scan<lookback>(device, items, plus{}, items[9]);
    expect_inclusive_scan<lookback>(device, items, plus{});
    if constexpr (!std::is_same_v<Stream, sim_stream>) expect_default_scans(device, wide_items, plus{}, items[7]);
  }
#endif

#if defined(UPSWEEP_TEST_HALVES)
  /// Sums that 8 bits hold exactly.
  template <class Half>
  static std::vector<Half> halves(std::size_t count) {
    std::vector<Half> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = Half(static_cast<float>(i * 7 % 5) - 2.0f);
    return items;
  }
  static void half(device_type& device) {
    expect_every_scan(device, halves<__half>(n), plus{}, __half(3.0f));
    expect_every_scan(device, halves<__nv_bfloat16>(n), plus{}, __nv_bfloat16(3.0f));
    expect_scan<lookback>(device, halves<__nv_bfloat16>(n), maximum{}, __nv_bfloat16(-3.0f));
    expect_inclusive_scan<ring>(device, halves<__half>(n), plus{});
    expect_inclusive_scan<lookback>(device, halves<__nv_bfloat16>(n), plus{});
    if constexpr (!std::is_same_v<Stream, sim_stream>) {
      expect_default_scans(device, halves<__half>, plus{}, __half(3.0f));
      expect_default_scans(device, halves<__nv_bfloat16>, plus{}, __nv_bfloat16(3.0f));
    }
  }
#endif

  static void named_accumulators(device_type& device) {
    const auto bytes = random_items<std::uint8_t>(n);
    expect_scan<pipelined>(device, bytes, accumulate_in<std::uint32_t>(plus{}), 7u);
    expect_scan<ring>(device, bytes, accumulate_in<std::uint32_t>(plus{}), 7u);
    expect_inclusive_scan<ring>(device, bytes, accumulate_in<std::uint32_t>(plus{}));
    static_assert(std::is_same_v<scan_accumulator_t<const float*, decltype(accumulate_in<double>(plus{}))>, double>);
  }

  using pair = indexed<float, std::uint32_t>;
  static std::vector<pair> random_pairs(std::size_t count) {
    random_source random(13);
    std::vector<pair> pairs(count);
    for (std::size_t i = 0; i < count; ++i) {
      pairs[i] = {static_cast<float>(random.below(1000)), static_cast<std::uint32_t>(i)};
    }
    return pairs;
  }

  static void operators(device_type& device) {
    const std::vector<pair> pairs = random_pairs(n);
    expect_every_scan(device, pairs, arg_min{}, pair{2000, 0});
    expect_scan<block>(device, pairs, arg_max{}, pair{-1, 0});
    expect_inclusive_scan<ring>(device, pairs, arg_min{});
    if constexpr (!std::is_same_v<Stream, sim_stream>) {
      expect_default_scans(device, random_pairs, arg_min{}, pair{2000, 0});
    }
    random_source random(15);
    // Exact in any order.
    std::vector<affine_map<float>> maps(n);
    for (affine_map<float>& map : maps) {
      map = {random.below(2) == 0 ? 1.0f : -1.0f, static_cast<float>(random.below(9))};
    }
    expect_scan<lookback>(device, maps, compose_affine{}, affine_map<float>{-1, 5});
    expect_scan<pipelined>(device, maps, compose_affine{}, affine_map<float>{-1, 5});
    expect_scan<ring>(device, maps, compose_affine{}, affine_map<float>{-1, 5});
    expect_inclusive_scan<lookback>(device, maps, compose_affine{});
    // Rounded twice, as on the host.
    const float x = 1.0f + 0x1p-12f;
    expect_scan<block>(device, std::vector<affine_map<float>>(2, {x, -(1.0f + 0x1p-11f)}), compose_affine{},
                       affine_map<float>{1, x});
  }

  static bool add() {
    const std::string suite = "scan_types";
    add_test<Stream>(suite, "scans_structures_of_12_and_64_bytes", sizes_of_structures);
#if defined(__SIZEOF_INT128__)
    add_test<Stream>(suite, "scans_int128", int128);
#endif
#if defined(UPSWEEP_TEST_HALVES)
    add_test<Stream>(suite, "scans_half_and_bfloat16", half);
#endif
    if constexpr (!race_check) {  // they take the ways of those above
      add_test<Stream>(suite, "scans_narrow_and_signed_integers", narrow_and_signed_integers);
      add_test<Stream>(suite, "accumulates_as_the_caller_says", named_accumulators);
      add_test<Stream>(suite, "scans_by_operators_over_pairs", operators);
    }
    return true;
  }
};

}  // namespace upsweep::test
