// Sorts of host memory by the run-time call, on the sim and, where there is one, on the GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/on_device.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::test {
namespace {

class sorting_host_memory_on : public on_device {};

/// What the sort of all of it on the device gives, which has tests of its own.
TEST_P(sorting_host_memory_on, gives_what_a_sort_of_all_of_it_does) {
  constexpr std::int64_t n = 3000;
  const std::vector<std::size_t> widths = {2, 12};
  const std::vector<std::uint8_t> small = random_items<std::uint8_t>(2 * n, 1),
                                  large = random_items<std::uint8_t>(12 * n, 2);
  for (const scalar_type type : runtime::sort_key_types()) {
    SCOPED_TRACE(name_of(type));
    const auto keys = random_items<std::uint8_t>(static_cast<std::size_t>(n) * size_of(type), 3);
    const auto order = type == scalar_type::u64 ? sort_order::descending : sort_order::ascending;
    const std::vector<runtime::buffer> in = [&] {
      std::vector<runtime::buffer> all;
      for (const auto* bytes : {&keys, &small, &large}) all.push_back(upload(*bytes));
      return all;
    }();
    std::vector<runtime::buffer> out;
    for (const runtime::buffer& b : in) out.emplace_back(*device_, b.bytes());
    const runtime::value_rows rows[] = {{in[1].data(), out[1].data(), 2}, {in[2].data(), out[2].data(), 12}};
    const runtime::buffer work(*device_, runtime::sort_with_values_workspace_bytes(n, type, {}));
    ASSERT_EQ(runtime::sort_with_values(work.as_workspace(), in[0].data(), out[0].data(), rows, n, type, order, {}, {},
                                        device_->get_stream()),
              status::success);

    const std::size_t enough = runtime::sort_from_host_workspace_bytes(n, type, widths),
                      least = runtime::sort_from_host_least_bytes(n, type, widths);
    std::vector<std::uint8_t> scratch(runtime::sort_from_host_scratch_bytes(n, type, widths));
    for (const std::size_t bytes : {std::max(least, enough / 4), enough}) {
      const runtime::buffer device(*device_, bytes);
      std::vector<std::uint8_t> keys_out(keys.size()), small_out(small.size()), large_out(large.size());
      const runtime::value_rows host_rows[] = {{small.data(), small_out.data(), 2},
                                               {large.data(), large_out.data(), 12}};
      ASSERT_EQ(runtime::sort_from_host(device.as_workspace(), {scratch.data(), scratch.size()}, keys.data(),
                                        keys_out.data(), host_rows, n, type, order, {}, {}, device_->get_stream()),
                status::success);
      EXPECT_EQ(keys_out, download<std::uint8_t>(out[0]));
      EXPECT_EQ(small_out, download<std::uint8_t>(out[1]));
      EXPECT_EQ(large_out, download<std::uint8_t>(out[2]));
    }
  }
}

TEST_P(sorting_host_memory_on, keys_alone_and_with_a_word_each) {
  const auto keys = random_items<std::uint32_t>(5000);
  std::vector<std::uint32_t> places(keys.size()), expected(keys.size()), keys_out(keys.size()), values_out(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  expected = places;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](auto a, auto b) { return (keys[a] & 0xff) < (keys[b] & 0xff); });
  const std::size_t width = 4;
  const auto n = static_cast<std::int64_t>(keys.size());
  const runtime::buffer device(*device_, runtime::sort_from_host_least_bytes(n, scalar_type::u32, {&width, 1}));
  std::vector<std::uint32_t> scratch(2 * keys.size());
  const host_scratch room{scratch.data(), scratch.size() * 4};
  const runtime::value_rows rows{places.data(), values_out.data(), width};
  const auto sort = [&](std::span<const runtime::value_rows> values) {
    return runtime::sort_from_host(device.as_workspace(), room, keys.data(), keys_out.data(), values, n,
                                   scalar_type::u32, sort_order::ascending, {0, 8}, {}, device_->get_stream());
  };
  ASSERT_EQ(sort({&rows, 1}), status::success);
  EXPECT_EQ(values_out, expected);
  std::fill(keys_out.begin(), keys_out.end(), 0u);
  ASSERT_EQ(sort({}), status::success);
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(keys_out[i], keys[expected[i]]) << i;
  const runtime::value_rows none{places.data(), values_out.data(), 0};
  EXPECT_EQ(sort({&none, 1}), status::invalid_value);
}

INSTANTIATE_TEST_SUITE_P(devices, sorting_host_memory_on, testing::ValuesIn(device_names), device_name);

}  // namespace
}  // namespace upsweep::test
