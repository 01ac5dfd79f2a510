// The run-time calls, on the sim and, where there is one, on the GPU.
#include "upsweep/sort/runtime.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/on_device.hpp"
#include "support/scan_variants.hpp"
#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

class sorting_on : public on_device {
 protected:
  bool on_gpu() const { return device_->where() == runtime::backend::cuda; }

  /// Sorts pairs by the run-time call; places come back as the values.
  template <class Key>
  void expect_pairs_sorted(scalar_type type, const runtime::sort_method_with_scan& policy, sort_order order,
                           const std::vector<Key>& keys) {
    const auto n = static_cast<std::int64_t>(keys.size());
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0u);
    const runtime::buffer keys_in(*device_, keys.size() * sizeof(Key)), keys_out(*device_, keys.size() * sizeof(Key)),
        values_in(*device_, values.size() * 4), values_out(*device_, values.size() * 4);
    const runtime::buffer work(*device_, runtime::sort_pairs_workspace_bytes(n, type, policy));
    ASSERT_EQ(device_->copy(keys_in.data(), keys.data(), keys_in.bytes()), status::success);
    ASSERT_EQ(device_->copy(values_in.data(), values.data(), values_in.bytes()), status::success);
    ASSERT_EQ(runtime::sort_pairs(work.as_workspace(), keys_in.data(), keys_out.data(), values_in.as<std::uint32_t>(),
                                  values_out.as<std::uint32_t>(), n, type, order, {}, policy, device_->get_stream()),
              status::success)
        << device_->message();
    std::vector<Key> sorted(keys.size());
    ASSERT_EQ(device_->copy(sorted.data(), keys_out.data(), keys_out.bytes()), status::success);
    ASSERT_EQ(device_->copy(values.data(), values_out.data(), values_out.bytes()), status::success);
    ASSERT_EQ(device_->synchronize(), status::success);
    const auto places = sorted_places(keys, order, key_less<Key>);
    EXPECT_TRUE(same_items(values, places));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(std::bit_cast<bits_of<Key>>(sorted[i]), std::bit_cast<bits_of<Key>>(keys[places[i]])) << i;
    }
  }
};

/// 18 tiles of keys, with 256 counts each: more than a tile of most scans.
TEST_P(sorting_on, every_compiled_scan_sorts) {
  const auto keys = random_keys<std::uint32_t>(70000, "uniform");
  for (const scan_variant& v : runtime::scan_variants()) {
    if (!runs_on(*device_, v)) continue;
    SCOPED_TRACE(name_of(v));
    expect_pairs_sorted(scalar_type::u32, {v, sort_method::upsweep_downsweep}, sort_order::ascending, keys);
  }
}

TEST_P(sorting_on, every_method_sorts_every_key_type_both_ways) {
  for (std::size_t m = 0; m < sort_method_names.size(); ++m) {
    const runtime::sort_method_with_scan policy{{}, static_cast<sort_method>(m)};
    SCOPED_TRACE(sort_method_names[m]);
    if (policy.method == sort_method::cluster && !device_->has_clusters()) continue;
    const auto n = static_cast<std::size_t>(std::min<std::int64_t>(6000, runtime::sort_max_keys(policy)));
    for (const sort_order order : {sort_order::ascending, sort_order::descending}) {
      expect_pairs_sorted(scalar_type::u32, policy, order, random_keys<std::uint32_t>(n, "few_values"));
      expect_pairs_sorted(scalar_type::i32, policy, order, random_keys<std::int32_t>(n, "few_values"));
      expect_pairs_sorted(scalar_type::u64, policy, order, random_keys<std::uint64_t>(n, "few_values"));
      expect_pairs_sorted(scalar_type::f32, policy, order, random_keys<float>(n, "few_values"));
    }
  }
}

TEST_P(sorting_on, methods_of_one_launch_refuse_more_keys_than_they_take) {
  for (const sort_method method : {sort_method::single_block, sort_method::cluster}) {
    SCOPED_TRACE(name_of(method));
    const runtime::sort_method_with_scan policy{{}, method};
    const std::int64_t n = runtime::sort_max_keys(policy) + 1;
    const std::vector<std::uint32_t> items(static_cast<std::size_t>(n), 0xabababab);
    const std::size_t bytes = items.size() * sizeof items[0];
    const runtime::buffer in(*device_, bytes), out(*device_, bytes);
    ASSERT_EQ(device_->fill(in.data(), 7, bytes), status::success);
    ASSERT_EQ(device_->fill(out.data(), 0xab, bytes), status::success);
    EXPECT_EQ(runtime::sort_keys_workspace_bytes(n, scalar_type::u32, policy), 0u);
    EXPECT_EQ(runtime::sort_keys({}, in.data(), out.data(), n, scalar_type::u32, sort_order::ascending, {}, policy,
                                 device_->get_stream()),
              status::not_supported);
    std::vector<std::uint32_t> after(items.size());
    ASSERT_EQ(device_->copy(after.data(), out.data(), bytes), status::success);
    ASSERT_EQ(device_->synchronize(), status::success);
    EXPECT_EQ(after, items);
  }
}

TEST(sort_methods, have_names) {
  for (const std::string_view name : sort_method_names) EXPECT_EQ(name_of(*sort_method_named(name)), name);
  EXPECT_EQ(sort_method_named("bogo"), std::nullopt);
}

TEST(sort_methods, a_scan_that_is_named_is_used) {
  constexpr scan_variant named{scan_strategy::blelloch, {}, 0, 0};
  EXPECT_EQ(runtime::method_of({}), sort_method::default_sort);
  EXPECT_EQ(runtime::method_of({named}), sort_method::upsweep_downsweep);
  EXPECT_EQ(runtime::method_of({named, sort_method::onesweep}), sort_method::onesweep);
}

TEST_P(sorting_on, refuses_what_was_not_compiled) {
  const runtime::buffer in(*device_, 64), out(*device_, 64);
  ASSERT_EQ(device_->fill(in.data(), 7, 64), status::success);
  constexpr runtime::sort_method_with_scan needs_most{{}, sort_method::upsweep_downsweep};
  const runtime::buffer work(*device_, runtime::sort_keys_workspace_bytes(8, scalar_type::u32, needs_most));
  const auto answer = [&](const scan_variant& v, scalar_type type) {
    return runtime::sort_keys(work.as_workspace(), in.data(), out.data(), 8, type, sort_order::ascending, {}, {v},
                              device_->get_stream());
  };
  EXPECT_EQ(answer({}, scalar_type::u32), status::success);
  EXPECT_EQ(answer({scan_strategy::decoupled_lookback, block_algorithm::warp_scans, 96, 5}, scalar_type::u32),
            status::not_supported);
  EXPECT_EQ(answer({scan_strategy::serial, {}, 0, 0}, scalar_type::u32),
            on_gpu() ? status::not_supported : status::success);
}

TEST_P(sorting_on, refuses_more_keys_than_the_scan_takes) {
  const runtime::sort_method_with_scan quadratic{{scan_strategy::naive_quadratic, {}, 0, 0}};
  const std::int64_t most = runtime::sort_max_keys(quadratic), n = most + 1;
  EXPECT_EQ(most, 1 << 22);
  EXPECT_GT(runtime::sort_max_keys({{}, sort_method::upsweep_downsweep}), std::int64_t{1} << 62);
  EXPECT_GT(runtime::sort_max_keys({}), std::int64_t{1} << 40);
  const auto bytes = static_cast<std::size_t>(n) * 4;
  const runtime::buffer in(*device_, bytes), out(*device_, bytes);
  const runtime::buffer work(*device_, runtime::sort_keys_workspace_bytes(n, scalar_type::u32, quadratic));
  ASSERT_EQ(device_->fill(out.data(), 0xab, bytes), status::success);
  EXPECT_EQ(runtime::sort_keys(work.as_workspace(), in.data(), out.data(), n, scalar_type::u32, sort_order::ascending,
                               {}, quadratic, device_->get_stream()),
            status::not_supported);
  std::vector<unsigned char> after(bytes);
  ASSERT_EQ(device_->copy(after.data(), out.data(), bytes), status::success);
  ASSERT_EQ(device_->synchronize(), status::success);
  EXPECT_EQ(after, std::vector<unsigned char>(bytes, 0xab));
}

INSTANTIATE_TEST_SUITE_P(devices, sorting_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
