// runtime::select_between.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/on_device.hpp"
#include "support/random_items.hpp"
#include "support/scan_variants.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

class select_between_on : public on_device {
 protected:
  template <class T>
  static std::vector<T> oracle(const std::vector<T>& items, T low, T high) {
    std::vector<T> kept;
    for (const T x : items) {
      const bool reaches_low = x > low || x == low, is_below_high = high > x;
      if (reaches_low && is_below_high) kept.push_back(x);
    }
    return kept;
  }

  template <class T>
  void check(const scan_variant& v, scalar_type type, const std::vector<T>& items, T low, T high, bool in_place) {
    SCOPED_TRACE(name_of(v) + ", " + std::string(name_of(type)) + (in_place ? ", in place" : "") +
                 ", n = " + std::to_string(items.size()));
    const auto n = static_cast<std::int64_t>(items.size());
    const runtime::buffer in = upload(items), separate = upload(std::vector<T>(items.size()));
    const runtime::buffer count(*device_, sizeof(std::int64_t));
    const runtime::buffer& out = in_place ? in : separate;
    auto* const kept = count.as<std::int64_t>();
    const runtime::buffer work(
        *device_, runtime::select_between_workspace_bytes(in.data(), out.data(), kept, n, type, &low, &high, v));
    ASSERT_EQ(runtime::select_between(work.as_workspace(), in.data(), out.data(), kept, n, type, &low, &high, v,
                                      device_->get_stream()),
              status::success)
        << device_->message();
    std::vector<T> expected = oracle(items, low, high);
    ASSERT_EQ(download<std::int64_t>(count)[0], static_cast<std::int64_t>(expected.size()));
    std::vector<T> got = download<T>(out);
    in_place ? got.resize(expected.size()) : expected.resize(got.size());  // after what is kept nothing is written
    EXPECT_TRUE(same_items(got, expected));
  }

  /// Every bound occurs among the items.
  template <class T>
  void check_type(scalar_type type) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{4097}, std::size_t{9000}}) {
      const std::vector<T> items = random_items<T>(n, n);
      for (const scan_variant& v : runtime::scan_variants()) {
        if (!runs_on(*device_, v)) continue;
        const auto [low, high] = std::minmax(items[n / 3], items[n / 2]);
        check<T>(v, type, items, low, high, false);
        check<T>(v, type, items, low, high, true);
      }
    }
  }
};

TEST_P(select_between_on, every_compiled_variant_keeps_what_a_loop_keeps_of_every_type) {
  check_type<std::uint32_t>(scalar_type::u32);
  check_type<std::int32_t>(scalar_type::i32);
  check_type<std::uint64_t>(scalar_type::u64);
  check_type<float>(scalar_type::f32);
  check_type<double>(scalar_type::f64);
}

TEST_P(select_between_on, the_lower_bound_is_kept_and_the_upper_is_not) {
  const std::int32_t least = std::numeric_limits<std::int32_t>::min(), most = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t> items = {-4, least, -3, 0, 7, most, 6, 8, -3, 7};
  check<std::int32_t>({}, scalar_type::i32, items, -3, 7, false);
  check<std::int32_t>({}, scalar_type::i32, items, least, most, false);
  check<std::int32_t>({}, scalar_type::i32, items, 7, -3, false);
  check<std::int32_t>({}, scalar_type::i32, items, 7, 7, false);
}

TEST_P(select_between_on, compares_64_bit_numbers_exactly) {
  const std::uint64_t big = std::uint64_t{1} << 60;
  check<std::uint64_t>({}, scalar_type::u64, {big - 1, big, big + 1, big + 2, ~std::uint64_t{0}}, big, big + 2, false);
}

TEST_P(select_between_on, never_keeps_a_nan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> items = {nan, 1, -infinity, infinity, 0, nan, -0.0f};
  check<float>({}, scalar_type::f32, items, -infinity, infinity, false);
  check<float>({}, scalar_type::f32, items, nan, infinity, false);
  check<float>({}, scalar_type::f32, items, -infinity, nan, false);
}

TEST_P(select_between_on, refuses_what_it_cannot_do_and_touches_nothing) {
  const std::vector<std::uint32_t> items = {5, 6, 7, 8};
  const std::vector<std::int64_t> untouched = {-77};
  const runtime::buffer in = upload(items), out = upload(items), count = upload(untouched), work(*device_, 1 << 16);
  const std::uint32_t low = 6, high = 8;
  struct arguments {
    scan_variant variant;
    scalar_type type;
    const void* in;
    void* out;
    std::int64_t n;
    const void *low, *high;
  };
  const arguments good{{}, scalar_type::u32, in.data(), out.data(), 3, &low, &high};
  const auto answer = [&](const arguments& a, std::size_t bytes) {
    return runtime::select_between({work.data(), bytes}, a.in, a.out, count.as<std::int64_t>(), a.n, a.type, a.low,
                                   a.high, a.variant, device_->get_stream());
  };
  const auto refuses = [&](auto change, status why) {
    arguments a = good;
    change(a);
    EXPECT_EQ(answer(a, work.bytes()), why);
  };
  using enum status;
  refuses([](arguments& a) { a.low = nullptr; }, invalid_value);
  refuses([](arguments& a) { a.high = nullptr; }, invalid_value);
  refuses([](arguments& a) { a.in = nullptr; }, invalid_value);
  refuses([](arguments& a) { a.out = nullptr; }, invalid_value);
  refuses([](arguments& a) { a.n = -1; }, invalid_value);
  refuses([](arguments& a) { a.in = static_cast<const char*>(a.in) + 1; }, invalid_value);
  refuses([](arguments& a) { a.out = static_cast<char*>(a.out) + 2; }, invalid_value);
  refuses([&](arguments& a) { a.out = in.as<char>() + 4; }, invalid_value);
  for (const scalar_type other : {scalar_type::i8, scalar_type::u16, scalar_type::i64}) {
    refuses([&](arguments& a) { a.type = other; }, not_supported);
  }
  refuses(
      [](arguments& a) {
        a.variant = {scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 256, 5};
      },
      not_supported);
  if (device_->where() == runtime::backend::cuda) {
    refuses([](arguments& a) { a.variant.strategy = scan_strategy::serial; }, not_supported);
  }
  EXPECT_EQ(runtime::select_max_items({}), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(runtime::select_max_items(compact_method::vote_scan_compact), std::numeric_limits<std::int64_t>::max() - 1);
  EXPECT_EQ(
      runtime::select_between(work.as_workspace(), in.data(), in.data(), count.as<std::int64_t>(), 3, scalar_type::u32,
                              good.low, good.high, compact_method::hole_filling, device_->get_stream()),
      not_supported);
  const scan_variant quadratic{scan_strategy::naive_quadratic, {}, 0, 0};
  const std::int64_t most = runtime::select_max_items(quadratic);
  EXPECT_EQ(most, (1 << 18) - 1);
  const runtime::buffer many(*device_, static_cast<std::size_t>(most + 1) * 4);
  const soa_array too_many{many.data(), many.data(), 4};
  const runtime::buffer room(*device_, runtime::select_workspace_bytes({&too_many, 1}, most + 1, quadratic));
  EXPECT_EQ(runtime::select_between(room.as_workspace(), many.data(), many.data(), count.as<std::int64_t>(), most + 1,
                                    scalar_type::u32, good.low, good.high, quadratic, device_->get_stream()),
            not_supported);
  const soa_array array{in.data(), out.data(), 4};
  EXPECT_EQ(answer(good, runtime::select_workspace_bytes({&array, 1}, 3, {}) - 1), invalid_value);
  EXPECT_EQ(download<std::uint32_t>(out), items);
  EXPECT_EQ(download<std::int64_t>(count), untouched);

  EXPECT_EQ(answer(good, work.bytes()), success);
  EXPECT_EQ(download<std::int64_t>(count)[0], 2);
  arguments none = good;
  none.n = 0;
  EXPECT_EQ(answer(none, 0), success);
  EXPECT_EQ(download<std::int64_t>(count)[0], 0);
}

INSTANTIATE_TEST_SUITE_P(devices, select_between_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
