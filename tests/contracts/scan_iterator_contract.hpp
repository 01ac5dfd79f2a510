// Scans from and to what is not a pointer, or a pointer to another type than the accumulator's.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/operators.hpp"
#include "support/oracle.hpp"
#include "support/random_items.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {

template <class Stream, class Policy>
struct scan_iterator_contract {
  using device_type = test_device<Stream>;
  static constexpr std::uint32_t init = 1000;

  static std::vector<std::uint8_t> low_bytes_of(const std::vector<std::uint32_t>& words) {
    return {words.begin(), words.end()};
  }
  static std::vector<std::uint32_t> squares_of(std::size_t n) {
    std::vector<std::uint32_t> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i * i + 1);
    return values;
  }

  /// Scans `in` to `out` with both kinds, the workspace no larger than asked for; `expect` sees the results.
  template <class In, class Out, class Items, class Expect>
  static void scan_both(device_type& device, In in, Out out, const Items& items, Expect expect) {
    if (Policy::variant.strategy == scan_strategy::cluster && !device.has_clusters()) {
      GTEST_SKIP() << "clusters need sm_90";
    }
    const auto n = static_cast<std::int64_t>(items.size());
    const wide_plus op;
    {
      SCOPED_TRACE("exclusive_scan");
      guarded_array<unsigned char, Stream> work(device, exclusive_scan_workspace_bytes<Policy>(in, out, n, op, init),
                                                3);
      const auto e = exclusive_scan<Policy>({work.data(), work.size()}, in, out, n, op, init, device.stream());
      ASSERT_EQ(static_cast<status>(e), status::success) << device.message();
      expect(exclusive_oracle<std::uint32_t>(items, op, init));
      work.expect_guards();
    }
    {
      SCOPED_TRACE("inclusive_scan");
      guarded_array<unsigned char, Stream> work(device, inclusive_scan_workspace_bytes<Policy>(in, out, n, op), 3);
      const auto e = inclusive_scan<Policy>({work.data(), work.size()}, in, out, n, op, device.stream());
      ASSERT_EQ(static_cast<status>(e), status::success) << device.message();
      expect(inclusive_oracle<std::uint32_t>(items, op));
      work.expect_guards();
    }
  }

  static std::vector<std::size_t> sizes() {
    std::size_t tile = 32;
    if constexpr (has_tiles(Policy::variant.strategy)) tile = Policy::template tile_items<std::uint32_t>;
    return {1, tile, 3 * tile + 7, 40 * tile + 1};
  }

  static void reads_any_iterator(device_type& device) {
    for (const std::size_t n : sizes()) {
      guarded_array<std::uint32_t, Stream> out(device, n);
      scan_both(device, squares{}, out.data(), squares_of(n),
                [&](const auto& expected) { EXPECT_TRUE(same_items(out.items(), expected)); });
    }
  }
  static void writes_any_iterator(device_type& device) {
    for (const std::size_t n : sizes()) {
      guarded_array<std::uint8_t, Stream> out(device, n, 1);
      scan_both(device, squares{}, low_bytes{out.data()}, squares_of(n),
                [&](const auto& expected) { EXPECT_TRUE(same_items(out.items(), low_bytes_of(expected))); });
    }
  }
  static void widens_items(device_type& device) {
    for (const std::size_t n : sizes()) {
      const auto items = random_items<std::uint8_t>(n);
      guarded_array<std::uint8_t, Stream> in(device, items, 1);
      guarded_array<std::uint32_t, Stream> out(device, n);
      scan_both(device, static_cast<const std::uint8_t*>(in.data()), out.data(), items,
                [&](const auto& expected) { EXPECT_TRUE(same_items(out.items(), expected)); });
      in.expect_unchanged();
    }
  }
  /// A sum beyond the output's type is not cut off before it has been carried on.
  static void carries_more_than_the_output_holds(device_type& device) {
    for (const std::size_t n : sizes()) {
      const auto items = random_items<std::uint32_t>(n);
      guarded_array<std::uint32_t, Stream> in(device, items);
      guarded_array<std::uint64_t, Stream> wide(device, n);
      guarded_array<std::uint8_t, Stream> out(device, n, 1);
      scan_both(device, static_cast<const std::uint32_t*>(in.data()), wide.data(), items, [&](const auto& expected) {
        EXPECT_TRUE(same_items(wide.items(), std::vector<std::uint64_t>(expected.begin(), expected.end())));
      });
      scan_both(device, static_cast<const std::uint32_t*>(in.data()), out.data(), items,
                [&](const auto& expected) { EXPECT_TRUE(same_items(out.items(), low_bytes_of(expected))); });
      in.expect_unchanged();
    }
  }
};

template <class Stream, class Policy>
bool add_scan_iterator_contract(const std::string& policy_name) {
  using contract = scan_iterator_contract<Stream, Policy>;
  const std::string suite = "scan_iterators/" + policy_name;
  add_test<Stream>(suite, "reads_any_iterator", contract::reads_any_iterator);
  add_test<Stream>(suite, "writes_any_iterator", contract::writes_any_iterator);
  add_test<Stream>(suite, "widens_items", contract::widens_items);
  add_test<Stream>(suite, "carries_more_than_the_output_holds", contract::carries_more_than_the_output_holds);
  return true;
}

/// What has another way for iterators, or for items that are not of the accumulator's type, for which the race checker
/// has no time. Direct look-back reads and writes as decoupled look-back does.
template <class Stream>
bool add_more_scan_iterator_contracts() {
  return add_scan_iterator_contract<Stream, reproducible_scan<64, 4>>("reproducible") &&
         add_scan_iterator_contract<Stream, default_scan>("default");
}

/// One policy of each strategy; on the sim under the race checker.
template <class Stream>
bool add_scan_iterator_contracts() {
  return add_scan_iterator_contract<Stream, naive_quadratic<32>>("naive_quadratic") &&
         add_scan_iterator_contract<Stream, hillis_steele<32>>("hillis_steele") &&
         add_scan_iterator_contract<Stream, blelloch_sweeps<32>>("blelloch") &&
         add_scan_iterator_contract<Stream, scan_then_propagate<warp_scans<32>, 2>>("scan_then_propagate") &&
         add_scan_iterator_contract<Stream, reduce_then_scan<warp_scans<32>, 4>>("reduce_then_scan") &&
         add_scan_iterator_contract<Stream, chained_scan<warp_scans<64>, 2>>("chained_scan") &&
         add_scan_iterator_contract<Stream, decoupled_lookback<warp_scans<64>, 2>>("decoupled_lookback") &&
         add_scan_iterator_contract<Stream, single_block<warp_scans<64>, 4>>("single_block") &&
         add_scan_iterator_contract<Stream, cluster<warp_scans<32>, 4>>("cluster") &&
         add_scan_iterator_contract<Stream, decoupled_lookback_pipelined<64, 4>>("pipelined");
}

}  // namespace upsweep::test
