// The parts of upsweep-cull: the camera, the cloud, the check.
#include <cmath>
#include <numbers>
#include <random>

#include "cull.hpp"
#include "failure.hpp"
#include "frustum.hpp"
#include "generate.hpp"
#include "support.hpp"

namespace upsweep::test {
namespace {

using apps::camera;
using apps::camera_axes;
using apps::particle_table;
using apps::vec3;

/// The particles that pass `rules`, by a plain loop.
particle_table selected(const particle_table& particles, const keep_rules& rules) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < particles.count; ++i) {
    if (rules(i)) kept.push_back(i);
  }
  particle_table result;
  result.count = static_cast<std::int64_t>(kept.size());
  for (const apps::table_column& c : particles.columns) {
    const std::size_t size = size_of(c.type);
    std::byte* to = result.add(c.name, c.type).data.data();
    for (const std::int64_t i : kept) {
      std::memcpy(to, c.data.data() + static_cast<std::size_t>(i) * size, size);
      to += size;
    }
  }
  return result;
}

/// A camera that looks along -z from the origin sees what its projection puts into the picture.
TEST(frustum, agrees_with_a_projection) {
  camera c;
  c.fov_y_degrees = 50;
  c.aspect = 1.6;
  c.near = 0.5;
  c.far = 20;
  camera_axes axes;
  ASSERT_EQ(apps::axes_of(c, axes), apps::camera_fault::none);
  const auto planes = apps::frustum_planes(c, axes);
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<double> coordinate(-25, 25);
  int inside = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = coordinate(random), y = coordinate(random), z = coordinate(random);
    const double half = std::tan(25 * std::numbers::pi / 180);
    const bool expected = -z >= 0.5 && -z <= 20 && std::abs(y / -z) <= half && std::abs(x / -z) <= half * 1.6;
    bool got = true;
    for (const half_space& p : planes) got = got && p(x, y, z) >= 0;
    ASSERT_EQ(got, expected) << x << " " << y << " " << z;
    inside += got;
    EXPECT_DOUBLE_EQ(apps::depth_of(c, axes, x, y, z), -z);
  }
  EXPECT_GT(inside, 1000);
}

TEST(frustum, follows_the_camera) {
  camera c;
  c.eye = {10, 20, 30};
  c.target = {11, 20, 30};
  c.up = {0, 0, 5};
  c.fov_y_degrees = 90;
  c.aspect = 2;
  c.near = 1;
  c.far = 9;
  camera_axes axes;
  ASSERT_EQ(apps::axes_of(c, axes), apps::camera_fault::none);
  const auto planes = apps::frustum_planes(c, axes);
  const auto sees = [&](double forward, double left, double above) {
    for (const half_space& p : planes) {
      if (!(p(10 + forward, 20 + left, 30 + above) >= 0)) return false;
    }
    return true;
  };
  EXPECT_TRUE(sees(5, 0, 0));
  EXPECT_FALSE(sees(0.9, 0, 0));
  EXPECT_FALSE(sees(9.1, 0, 0));
  EXPECT_FALSE(sees(-5, 0, 0));
  EXPECT_TRUE(sees(5, 9.9, 0));
  EXPECT_TRUE(sees(5, -9.9, 0));
  EXPECT_FALSE(sees(5, 10.1, 0));
  EXPECT_FALSE(sees(5, -10.1, 0));
  EXPECT_TRUE(sees(5, 0, 4.9));
  EXPECT_TRUE(sees(5, 0, -4.9));
  EXPECT_FALSE(sees(5, 0, 5.1));
  EXPECT_FALSE(sees(5, 0, -5.1));
  EXPECT_DOUBLE_EQ(apps::depth_of(c, axes, 17, -3, 8), 7);
}

TEST(cloud, is_the_same_for_the_same_seed_and_fills_its_ranges) {
  const particle_table a = apps::generate_cloud(10000, 7);
  const particle_table b = apps::generate_cloud(10000, 7);
  const particle_table other = apps::generate_cloud(10000, 8);
  ASSERT_EQ(a.columns.size(), 8u);
  for (std::size_t c = 0; c < 8; ++c) {
    EXPECT_EQ(std::memcmp(a.columns[c].data.data(), b.columns[c].data.data(), 40000), 0) << a.columns[c].name;
  }
  EXPECT_NE(std::memcmp(a.columns[0].data.data(), other.columns[0].data.data(), 40000), 0);
  const std::pair<float, float> ranges[] = {{-10, 10}, {-10, 10}, {-10, 10}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 3}};
  for (std::size_t c = 0; c < 7; ++c) {
    const float* const values = a.columns[c].data.as<float>();
    const auto [low, high] = std::minmax_element(values, values + 10000);
    const float width = ranges[c].second - ranges[c].first;
    EXPECT_GE(*low, ranges[c].first) << a.columns[c].name;
    EXPECT_LT(*low, ranges[c].first + width / 100) << a.columns[c].name;
    EXPECT_LT(*high, ranges[c].second) << a.columns[c].name;
    EXPECT_GT(*high, ranges[c].second - width / 100) << a.columns[c].name;
  }
  EXPECT_EQ(a.columns[7].data.as<std::uint32_t>()[9999], 9999u);
}

TEST(cull_check, finds_every_changed_byte_and_every_wrong_count) {
  const particle_table cloud = apps::generate_cloud(300, 1);
  apps::cull_config config;
  config.lifetime_above = 0;
  const keep_rules rules = apps::rules_over(cloud, config, "cloud");
  particle_table survivors = selected(cloud, rules);
  ASSERT_GT(survivors.count, 100);
  ASSERT_LT(survivors.count, 300);
  EXPECT_EQ(apps::first_difference(cloud, rules, survivors), "");
  for (apps::table_column& c : survivors.columns) {
    for (std::size_t at = 0; at < c.data.bytes(); ++at) {
      c.data.data()[at] ^= std::byte{0x80};
      ASSERT_NE(apps::first_difference(cloud, rules, survivors).find(c.name), std::string::npos) << c.name << " " << at;
      c.data.data()[at] ^= std::byte{0x80};
    }
  }
  --survivors.count;
  EXPECT_NE(apps::first_difference(cloud, rules, survivors).find("is missing"), std::string::npos);
  keep_rules fewer = rules;
  fewer.lifetime_above = 3;
  EXPECT_NE(apps::first_difference(cloud, fewer, survivors).find("should not be there"), std::string::npos);
}

TEST(cull_check, knows_where_hole_filling_puts_the_survivors) {
  const particle_table cloud = apps::generate_cloud(300, 1);
  apps::cull_config config;
  config.lifetime_above = 0;
  const keep_rules rules = apps::rules_over(cloud, config, "cloud");
  // By its definition: the i-th dropped one of the first takes the i-th kept one of the rest.
  std::vector<std::int64_t> kept, order;
  for (std::int64_t i = 0; i < cloud.count; ++i) {
    if (rules(i)) kept.push_back(i);
  }
  const auto count = static_cast<std::int64_t>(kept.size());
  std::size_t mover = 0;
  while (kept[mover] < count) ++mover;
  std::uint64_t holes = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!rules(i)) ++holes;
    order.push_back(rules(i) ? i : kept[mover++]);
  }
  particle_table survivors;
  survivors.count = count;
  for (const apps::table_column& c : cloud.columns) {
    const std::size_t size = size_of(c.type);
    apps::table_column& to = survivors.add(c.name, c.type);
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::memcpy(to.data.data() + i * size, c.data.data() + static_cast<std::size_t>(order[i]) * size, size);
    }
  }
  EXPECT_EQ(apps::first_difference(cloud, rules, survivors, false), "");
  EXPECT_NE(apps::first_difference(cloud, rules, survivors, true), "");
  EXPECT_NE(apps::first_difference(cloud, rules, selected(cloud, rules), false), "");
  survivors.columns[0].data.data()[0] ^= std::byte{1};
  EXPECT_NE(apps::first_difference(cloud, rules, survivors, false), "");

  const apps::cull_bytes fused = apps::bytes_moved({}, cloud, rules, count);
  const apps::cull_bytes filled = apps::bytes_moved(compact_method::hole_filling, cloud, rules, count);
  EXPECT_EQ(fused.votes, 300 * 4u);
  EXPECT_EQ(filled.votes, 300 * 4u);
  EXPECT_EQ(fused.elements, 2 * 32 * static_cast<std::uint64_t>(count));
  EXPECT_EQ(filled.elements, 2 * 32 * holes);
}

TEST(cull_report, counts_what_the_method_moves) {
  particle_table cloud = apps::generate_cloud(300, 1);
  apps::cull_config config;
  config.lifetime_above = 0;
  const compact_method_with_scan by_scan = scan_variant{scan_strategy::serial, {}, 0, 0};
  for (const std::uint64_t launches : {1, 2}) {
    const keep_rules rules = apps::rules_over(cloud, config, "cloud");
    const std::uint64_t size = launches == 1 ? 32 : 72;
    for (const compact_method_with_scan& method : {compact_method_with_scan{}, by_scan}) {
      const apps::cull_bytes moved = apps::bytes_moved(method, cloud, rules, 100);
      const bool scans = method == by_scan;
      EXPECT_EQ(moved.votes, scans ? 300 * 4 : launches * 300 * 4);
      // A position more than particles, written and read by the scan, too.
      EXPECT_EQ(moved.scan, scans ? (3 + launches) * 301 * 4 : 0);
      EXPECT_EQ(moved.elements, 2 * size * 100);
    }
    for (int column = 0; column < 10; ++column) cloud.add("more_" + std::to_string(column), scalar_type::f32);
  }
}

}  // namespace
}  // namespace upsweep::test
