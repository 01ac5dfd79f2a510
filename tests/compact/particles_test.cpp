// The keep rules and the run-time calls, on the sim and, where there is one, on the GPU.
#include "upsweep/compact/particles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/on_device.hpp"
#include "support/random_items.hpp"
#include "support/scan_variants.hpp"
#include "upsweep/compact/runtime.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rules over host columns of one point.
struct one_point {
  double x, y, z, lifetime;
  keep_rules rules() const {
    keep_rules r;
    r.x = {&x, scalar_type::f64};
    r.y = {&y, scalar_type::f64};
    r.z = {&z, scalar_type::f64};
    r.lifetime = {&lifetime, scalar_type::f64};
    return r;
  }
};

TEST(keep_rules_of_one_point, no_rule_keeps_everything) {
  EXPECT_TRUE((one_point{nan, nan, nan, nan}.rules()(0)));
}

TEST(keep_rules_of_one_point, lifetime_must_be_above_the_bound) {
  for (const auto& [lifetime, kept] : {std::pair{1.5, true}, {1.0, false}, {0.5, false}, {nan, false}}) {
    const one_point p{0, 0, 0, lifetime};
    keep_rules r = p.rules();
    r.use_lifetime = true;
    r.lifetime_above = 1.0;
    EXPECT_EQ(r(0), kept) << lifetime;
  }
}

TEST(keep_rules_of_one_point, box_includes_its_faces) {
  const auto inside = [](double x, double y, double z) {
    const one_point p{x, y, z, 0};
    keep_rules r = p.rules();
    r.use_box = true;
    for (int i = 0; i < 3; ++i) {
      r.box_min[i] = -1;
      r.box_max[i] = 2;
    }
    return r(0);
  };
  EXPECT_TRUE(inside(0, 0, 0));
  EXPECT_TRUE(inside(-1, 2, -1));
  EXPECT_FALSE(inside(2.001, 0, 0));
  EXPECT_FALSE(inside(0, -1.001, 0));
  EXPECT_FALSE(inside(0, 0, 2.001));
  EXPECT_FALSE(inside(0, 0, nan));
}

TEST(keep_rules_of_one_point, sphere_includes_its_surface) {
  const auto inside = [](double x, double y, double z) {
    const one_point p{x, y, z, 0};
    keep_rules r = p.rules();
    r.use_sphere = true;
    r.sphere_center[0] = 1;
    r.sphere_radius = 5;
    return r(0);
  };
  EXPECT_TRUE(inside(1, 3, 4));
  EXPECT_FALSE(inside(1, 3, 4.001));
  EXPECT_FALSE(inside(nan, 0, 0));
}

TEST(keep_rules_of_one_point, half_spaces_are_all_wanted_that_there_are) {
  const one_point p{0, 0, 1, 0};
  keep_rules r = p.rules();
  for (half_space& h : r.inside) h = {0, 0, 1, 0};
  for (r.half_spaces = 0; r.half_spaces <= keep_rules::most_half_spaces; ++r.half_spaces) {
    EXPECT_TRUE(r(0));
    for (int h = 0; h < keep_rules::most_half_spaces; ++h) {
      r.inside[h] = {0, 0, 1, -1.5};
      EXPECT_EQ(r(0), h >= r.half_spaces) << h << " of " << r.half_spaces;
      r.inside[h] = {0, 0, 1, 0};
    }
  }
}

/// Integers beyond 2^53, of which not every one is a double.
TEST(keep_rules_of_one_point, compare_lifetimes_of_64_bits_as_integers) {
  constexpr std::int64_t wide = std::int64_t{1} << 60;
  const auto above = [](auto element, double bound) {
    keep_rules r;
    r.lifetime = {&element, std::is_signed_v<decltype(element)> ? scalar_type::i64 : scalar_type::u64};
    r.use_lifetime = true;
    r.lifetime_above = bound;
    return r(0);
  };
  const double bound = 0x1p60;
  EXPECT_TRUE(above(wide + 1, bound));
  EXPECT_FALSE(above(wide, bound));
  EXPECT_FALSE(above(wide - 1, bound));
  EXPECT_TRUE(above(-wide + 1, -bound));
  EXPECT_FALSE(above(-wide - 1, -bound));
  EXPECT_FALSE(above(std::numeric_limits<std::int64_t>::max(), 0x1p63));
  EXPECT_FALSE(above(std::numeric_limits<std::uint64_t>::max(), 0x1p64));
  EXPECT_TRUE(above(std::uint64_t{1} << 63, 0x1p63 - 2048));
  EXPECT_TRUE(above((std::uint64_t{1} << 63) + 1, 0x1p63));
  EXPECT_TRUE(above(std::numeric_limits<std::int64_t>::min() + 1, -0x1p63));
}

TEST(column_of_numbers, reads_every_type) {
  const std::int8_t i8[] = {0, -8};
  const std::uint8_t u8[] = {0, 200};
  const std::int16_t i16[] = {0, -1600};
  const std::uint16_t u16[] = {0, 60000};
  const std::int32_t i32[] = {0, -320000};
  const std::uint32_t u32[] = {0, 4000000000u};
  const std::int64_t i64[] = {0, -(std::int64_t{1} << 40)};
  const std::uint64_t u64[] = {0, std::uint64_t{1} << 52};
  const float f32[] = {0, 0.25f};
  const double f64[] = {0, 0.1};
  EXPECT_EQ((column{i8, scalar_type::i8}[1]), -8);
  EXPECT_EQ((column{u8, scalar_type::u8}[1]), 200);
  EXPECT_EQ((column{i16, scalar_type::i16}[1]), -1600);
  EXPECT_EQ((column{u16, scalar_type::u16}[1]), 60000);
  EXPECT_EQ((column{i32, scalar_type::i32}[1]), -320000);
  EXPECT_EQ((column{u32, scalar_type::u32}[1]), 4e9);
  EXPECT_EQ((column{i64, scalar_type::i64}[1]), -std::ldexp(1.0, 40));
  EXPECT_EQ((column{u64, scalar_type::u64}[1]), std::ldexp(1.0, 52));
  EXPECT_EQ((column{f32, scalar_type::f32}[1]), 0.25);
  EXPECT_EQ((column{f64, scalar_type::f64}[1]), 0.1);
  EXPECT_TRUE(std::isnan(column{u16, scalar_type::f16}[1]));
}

class particles_on : public on_device {};

TEST_P(particles_on, every_compiled_variant_keeps_what_the_rules_keep_on_the_host) {
  constexpr std::size_t n = 9000;
  random_source random(5);
  std::vector<float> x(n), y(n), z(n);
  std::vector<double> lifetime(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto* axis : {&x, &y, &z}) (*axis)[i] = static_cast<float>(random.below(20001)) / 1000.0f - 10.0f;
    lifetime[i] = static_cast<double>(random.below(1000)) / 250.0;
  }
  keep_rules r;
  r.use_lifetime = r.use_box = r.use_sphere = true;
  r.half_spaces = 6;
  r.lifetime_above = 1.0;
  for (int i = 0; i < 3; ++i) {
    r.box_min[i] = -9;
    r.box_max[i] = 8;
  }
  r.sphere_radius = 11;
  for (int i = 0; i < 6; ++i) r.inside[i] = {i == 0 ? 0.7 : 0.1, i == 1 ? -0.6 : 0.05, 0.3, 9.0};
  r.x = {x.data(), scalar_type::f32};
  r.y = {y.data(), scalar_type::f32};
  r.z = {z.data(), scalar_type::f32};
  r.lifetime = {lifetime.data(), scalar_type::f64};
  std::vector<double> expected;
  for (std::size_t i = 0; i < n; ++i) {
    if (r(static_cast<std::int64_t>(i))) expected.push_back(lifetime[i]);
  }
  ASSERT_GT(expected.size(), n / 10);
  ASSERT_LT(expected.size(), n * 9 / 10);
  const std::vector<double> untouched(n, -1);
  std::vector<double> all = expected;
  all.resize(n, -1);

  const auto dx = upload(x), dy = upload(y), dz = upload(z), dl = upload(lifetime);
  r.x.data = dx.data();
  r.y.data = dy.data();
  r.z.data = dz.data();
  r.lifetime.data = dl.data();
  for (const scan_variant& v : runtime::scan_variants()) {
    if (!runs_on(*device_, v)) continue;
    const auto out = upload(untouched);
    const runtime::buffer count(*device_, sizeof(std::int64_t));
    const soa_array array{dl.data(), out.data(), sizeof(double)};
    const runtime::buffer work(*device_, runtime::select_workspace_bytes({&array, 1}, n, v));
    ASSERT_EQ(runtime::select_particles(work.as_workspace(), {&array, 1}, count.as<std::int64_t>(), n, r, v,
                                        device_->get_stream()),
              status::success);
    ASSERT_EQ(download<std::int64_t>(count)[0], static_cast<std::int64_t>(expected.size())) << name_of(v);
    EXPECT_EQ(download<double>(out), all) << name_of(v);
  }
}

TEST_P(particles_on, every_method_keeps_the_same_in_place) {
  std::vector<float> life(3000);
  std::vector<std::uint8_t> flags(life.size());
  std::vector<float> expected;
  for (std::size_t i = 0; i < life.size(); ++i) {
    life[i] = static_cast<float>(i * 7919 % 1009) - 300;
    if (life[i] > 0) expected.push_back(life[i]);
    flags[i] = life[i] > 0 ? 3 : 0;
  }
  std::vector<float> sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  const auto device_flags = upload(flags);
  for (const compact_method m :
       {compact_method::fused, compact_method::vote_scan_compact, compact_method::hole_filling}) {
    for (const bool by_flags : {false, true}) {
      const auto lives = upload(life);
      const runtime::buffer count(*device_, sizeof(std::int64_t));
      const soa_array array{lives.data(), lives.data(), sizeof(float)};
      const auto n = static_cast<std::int64_t>(life.size());
      const runtime::buffer work(*device_, runtime::select_workspace_bytes({&array, 1}, n, m));
      keep_rules r;
      r.use_lifetime = true;
      r.lifetime = {lives.data(), scalar_type::f32};
      const status s = by_flags
                           ? runtime::select_flagged(work.as_workspace(), {&array, 1}, device_flags.as<std::uint8_t>(),
                                                     count.as<std::int64_t>(), n, m, device_->get_stream())
                           : runtime::select_particles(work.as_workspace(), {&array, 1}, count.as<std::int64_t>(), n, r,
                                                       m, device_->get_stream());
      ASSERT_EQ(s, status::success) << name_of(m);
      ASSERT_EQ(download<std::int64_t>(count)[0], static_cast<std::int64_t>(expected.size())) << name_of(m);
      auto got = download<float>(lives);
      got.resize(expected.size());
      if (!is_stable(m)) std::sort(got.begin(), got.end());
      EXPECT_EQ(got, is_stable(m) ? expected : sorted) << name_of(m);
    }
  }
}

TEST_P(particles_on, flags_select_from_elements_of_any_size_at_any_alignment) {
  random_source random(8);
  // By one block, a cluster, two launches or the ring, where that takes the elements.
  for (const std::size_t size : {4, 12, 16, 20, 36, 40, 64}) {
    for (const std::size_t offset : {0, 4}) {
      for (const std::size_t all : {6 << 10, 100 << 10, 600 << 10, 9 << 19}) {
        const std::size_t n = all / size;
        std::vector<std::uint8_t> bytes(n * size + offset), flags(n), expected;
        for (auto& b : bytes) b = static_cast<std::uint8_t>(random.below(256));
        for (auto& f : flags) f = static_cast<std::uint8_t>(random.below(2));
        for (std::size_t i = 0; i < n; ++i) {
          const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(offset + i * size);
          if (flags[i] != 0) expected.insert(expected.end(), at, at + static_cast<std::ptrdiff_t>(size));
        }
        const auto in = upload(bytes), kept_by = upload(flags), out = upload(std::vector<std::uint8_t>(n * size, 0xa5));
        const runtime::buffer count(*device_, sizeof(std::int64_t));
        const soa_array array{in.as<char>() + offset, out.data(), size};
        const auto items = static_cast<std::int64_t>(n);
        const runtime::buffer work(*device_, runtime::select_workspace_bytes({&array, 1}, items, {}));
        ASSERT_EQ(runtime::select_flagged(work.as_workspace(), {&array, 1}, kept_by.as<std::uint8_t>(),
                                          count.as<std::int64_t>(), items, {}, device_->get_stream()),
                  status::success);
        ASSERT_EQ(download<std::int64_t>(count)[0] * static_cast<std::int64_t>(size),
                  static_cast<std::int64_t>(expected.size()));
        expected.resize(n * size, 0xa5);  // untouched
        EXPECT_TRUE(download<std::uint8_t>(out) == expected)
            << n << " of " << size << " bytes, " << offset << " behind an aligned address";
      }
    }
  }
}

TEST_P(particles_on, refuses_what_it_cannot_do) {
  const auto x = upload(std::vector<float>{1, 2, 3});
  const runtime::buffer count(*device_, 8);
  const soa_array array{x.data(), x.data(), 4};
  const scan_variant v;
  const runtime::buffer work(*device_, runtime::select_workspace_bytes({&array, 1}, 3, v));
  const auto answer = [&](const scan_variant& variant, const keep_rules& rules) {
    return runtime::select_particles(work.as_workspace(), {&array, 1}, count.as<std::int64_t>(), 3, rules, variant,
                                     device_->get_stream());
  };
  keep_rules r;
  EXPECT_EQ(answer(v, r), status::success);
  r.use_lifetime = true;
  EXPECT_EQ(answer(v, r), status::invalid_value) << "no lifetime column";
  r.use_lifetime = false;
  r.use_box = true;
  EXPECT_EQ(answer(v, r), status::invalid_value) << "no positions";
  r.use_box = false;
  for (const int half_spaces : {-1, keep_rules::most_half_spaces + 1}) {
    r.half_spaces = half_spaces;
    EXPECT_EQ(answer(v, r), status::invalid_value) << half_spaces;
  }
  EXPECT_EQ(answer({scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 96, 5}, {}), status::not_supported);
  EXPECT_EQ(runtime::select_flagged(work.as_workspace(), {&array, 1}, nullptr, count.as<std::int64_t>(), 3, v,
                                    device_->get_stream()),
            status::invalid_value);
  const scan_variant serial_scan{scan_strategy::serial, {}, 0, 0};
  EXPECT_EQ(answer(serial_scan, {}),
            device_->where() == runtime::backend::cuda ? status::not_supported : status::success);
}

INSTANTIATE_TEST_SUITE_P(devices, particles_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
