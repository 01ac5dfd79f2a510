// The type in which the calls *_sum add up: of items and outputs that are not of one type.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/oracle.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::test {

/// Sums of items In are written as Out, and are as of items that are Sum.
template <class Stream, class In, class Out, class Sum, class Policy, class SegmentsPolicy>
struct sum_types_contract {
  using device_type = test_device<Stream>;
  static constexpr std::size_t n = 1000;
  static constexpr std::size_t cut = 389;  // where the second run of keys begins, and the second segment
  static_assert(std::is_same_v<sum_accumulator_t<const In*, Out*>, Sum>);

  /// Their sum passes the ends of all types of 8 and 16 bits, and of 32 where the items are wide.
  static In item(std::size_t i) {
    if constexpr (std::is_floating_point_v<In>) return static_cast<In>(16777216 + i % 2);  // 1 is lost in a float
    return static_cast<In>(i % 7 == 3 ? 1 : i * 2654435761u >> 3);
  }

  /// Calls `sum(workspace, in, out)`, and compares with a loop that begins anew at each of `cuts`.
  template <class Call>
  static void expect_sums(device_type& device, const char* what, bool inclusive, bool whole, std::size_t bytes,
                          Call call) {
    SCOPED_TRACE(what);
    std::vector<Out> expected(n);
    Sum sum{};
    guarded_array<std::uint8_t, Stream> in(device, n * sizeof(In));  // std::vector<bool> has no items
    std::vector<unsigned char> image(n * sizeof(In));
    for (std::size_t i = 0; i < n; ++i) {
      const In next = item(i);
      std::memcpy(image.data() + i * sizeof(In), &next, sizeof(In));
      if (i == cut && !whole) sum = Sum{};
      const Sum before = sum;
      sum = static_cast<Sum>(sum + static_cast<Sum>(next));
      expected[i] = static_cast<Out>(inclusive ? sum : before);
    }
    in.set_bytes(image);
    guarded_array<Out, Stream> out(device, n);
    guarded_array<unsigned char, Stream> work(device, bytes);
    const auto e = call(workspace{work.data(), work.size()}, reinterpret_cast<const In*>(in.data()), out.data());
    ASSERT_EQ(static_cast<status>(e), status::success) << device.message();
    EXPECT_TRUE(same_items(out.items(), expected));
    work.expect_guards();
  }

  static void are_as_told(device_type& device) {
    const In* const in = nullptr;
    Out* const out = nullptr;
    const auto count = static_cast<std::int64_t>(n);
    const Stream stream = device.stream();
    const std::size_t bytes = inclusive_sum_workspace_bytes<Policy>(in, out, count);
    expect_sums(device, "exclusive_sum", false, true, bytes,
                [&](workspace w, auto from, auto to) { return exclusive_sum<Policy>(w, from, to, count, stream); });
    expect_sums(device, "inclusive_sum", true, true, bytes,
                [&](workspace w, auto from, auto to) { return inclusive_sum<Policy>(w, from, to, count, stream); });

    std::vector<std::uint16_t> key(n);
    for (std::size_t i = cut; i < n; ++i) key[i] = 5;
    guarded_array<std::uint16_t, Stream> keys(device, key);
    const std::size_t keyed = inclusive_sum_by_key_workspace_bytes<SegmentsPolicy>(keys.data(), in, out, count);
    expect_sums(device, "exclusive_sum_by_key", false, false, keyed, [&](workspace w, auto from, auto to) {
      return exclusive_sum_by_key<SegmentsPolicy>(w, keys.data(), from, to, count, equal_to{}, stream);
    });
    expect_sums(device, "inclusive_sum_by_key", true, false, keyed, [&](workspace w, auto from, auto to) {
      return inclusive_sum_by_key<SegmentsPolicy>(w, keys.data(), from, to, count, equal_to{}, stream);
    });

    guarded_array<std::int32_t, Stream> offsets(device, std::vector<std::int32_t>{0, cut, n});
    const std::size_t segmented =
        inclusive_sum_segmented_workspace_bytes<SegmentsPolicy>(in, offsets.data(), out, count, 2);
    expect_sums(device, "exclusive_sum_segmented", false, false, segmented, [&](workspace w, auto from, auto to) {
      return exclusive_sum_segmented<SegmentsPolicy>(w, from, offsets.data(), to, count, 2, stream);
    });
    expect_sums(device, "inclusive_sum_segmented", true, false, segmented, [&](workspace w, auto from, auto to) {
      return inclusive_sum_segmented<SegmentsPolicy>(w, from, offsets.data(), to, count, 2, stream);
    });
  }
};

template <class Stream, class In, class Out, class Sum, class Policy = decoupled_lookback<warp_scans<64>, 2>,
          class SegmentsPolicy = segmented_lookback<warp_scans<32>, 3>>
bool add_sum_types_contract(const std::string& types) {
  add_test<Stream>("sum_types/" + types, "are_as_told",
                   sum_types_contract<Stream, In, Out, Sum, Policy, SegmentsPolicy>::are_as_told);
  return true;
}

template <class Stream>
bool add_sum_types_contracts() {
  using std::int8_t, std::uint8_t, std::uint16_t, std::int32_t, std::uint32_t, std::uint64_t;
  return add_sum_types_contract<Stream, bool, int32_t, int32_t, default_scan_policy, default_segments_policy>(
             "bool_to_i32_by_default") &&
         add_sum_types_contract<Stream, bool, uint8_t, uint8_t>("bool_to_u8") &&
         add_sum_types_contract<Stream, uint8_t, uint8_t, uint8_t>("u8_to_u8") &&
         add_sum_types_contract<Stream, uint8_t, float, float>("u8_to_f32") &&
         add_sum_types_contract<Stream, int8_t, int32_t, int32_t>("i8_to_i32") &&
         add_sum_types_contract<Stream, int8_t, uint16_t, uint16_t>("i8_to_u16") &&
         add_sum_types_contract<Stream, uint16_t, uint64_t, uint64_t>("u16_to_u64") &&
         add_sum_types_contract<Stream, uint32_t, uint16_t, uint32_t>("u32_to_u16") &&
         add_sum_types_contract<Stream, int32_t, double, double>("i32_to_f64") &&
         add_sum_types_contract<Stream, float, double, double>("f32_to_f64");
}

// What no test runs. An output that says nothing of what it holds, or holds no numeric type, leaves the sum to the
// items.
static_assert(std::is_same_v<sum_accumulator_t<squares, low_bytes>, std::uint32_t>);
static_assert(std::is_same_v<sum_accumulator_t<const int*, counted_writes<double>>, int>);
static_assert(std::is_same_v<sum_accumulator_t<const volatile bool*, volatile long*>, long>);
static_assert(std::is_same_v<sum_accumulator_t<const std::int64_t*, float*>, std::int64_t>);
static_assert(std::is_same_v<sum_accumulator_t<const float*, std::int64_t*>, float>);
static_assert(std::is_same_v<sum_accumulator_t<const double*, float*>, double>);
static_assert(std::is_same_v<sum_accumulator_t<const std::uint32_t*, std::int32_t*>, std::uint32_t>);
static_assert(std::is_same_v<sum_accumulator_t<const int*, bool*>, int>);
static_assert(std::is_same_v<sum_accumulator_t<const bool*, bool*>, bool>);

}  // namespace upsweep::test
