#include "contracts/onesweep_contract.hpp"
#include "contracts/sort_calls_contract.hpp"
#include "contracts/two_buffers_contract.hpp"
#include "upsweep/sort/policy.hpp"

namespace upsweep::test {
namespace {

const bool added = add_sort_keys_contracts<sim_stream>() && [] {
  add_two_buffers_contract<default_sort_policy, sim_stream>("two_buffers/default", 900);
  add_two_buffers_contract<default_sort_policy, sim_stream>("two_buffers/default_by_a_cluster", 9000);
  add_two_buffers_contract<keys_from_iterator<onesweep_with<256, 2>>, sim_stream>("two_buffers/of_iterators", 1500);
  add_in_place_contract<default_sort_policy, sim_stream>("two_buffers/default", 900);
  add_two_buffers_contract<onesweep_with<256, 2, 7>, sim_stream>("two_buffers/7_bits", 700);
  add_two_buffers_contract<by_place<onesweep_with<256, 2, 4>>, sim_stream>("two_buffers/4_bits_by_place", 700);
  return true;
}();

TEST(sort_by_default, goes_another_way_where_clusters_have_fewer_blocks_or_there_are_none) {
  auto way = test_device<sim_stream>::ways().front();
  for (const int most : {8, 1}) {
    way.options.most_cluster_blocks = most;
    const test_device<sim_stream> device(way);
    constexpr int n = 9000;  // 16 blocks would sort them
    auto keys = keys_of_random_bits<std::uint32_t>(n);
    guarded_array<std::uint32_t, sim_stream> in(device, keys), out(device, n);
    guarded_array<std::uint64_t, sim_stream> count(device, std::vector<std::uint64_t>{n});
    guarded_array<unsigned char, sim_stream> work(
        device, sort_keys_workspace_bytes(in.data(), out.data(), device_count{count.data(), n}));
    ASSERT_EQ(sort_keys(workspace{work.data(), work.size()}, static_cast<const std::uint32_t*>(in.data()), out.data(),
                        device_count{count.data(), n}, sort_order::ascending, {}, device.stream()),
              status::success)
        << device.message();
    std::ranges::sort(keys);
    EXPECT_TRUE(same_items(out.items(), keys));
  }
}

template <class T>
constexpr T* none = nullptr;

template <class Policy, class Key>
void expect_workspaces_grow() {
  using word = std::uint32_t;
  using wide = wide_value<word, 3>;
  const std::function<std::size_t(std::int64_t)> formulas[] = {
      [](std::int64_t n) { return sort_keys_workspace_bytes<Policy>(none<const Key>, none<Key>, n); },
      [](std::int64_t n) { return sort_keys_workspace_bytes<Policy>(double_buffer<Key>{}, n); },
      [](std::int64_t n) {
        return sort_pairs_workspace_bytes<Policy>(none<const Key>, none<Key>, none<const word>, none<word>, n);
      },
      [](std::int64_t n) { return sort_pairs_workspace_bytes<Policy>(double_buffer<Key>{}, double_buffer<word>{}, n); },
      [](std::int64_t n) {
        return sort_pairs_workspace_bytes<Policy>(none<const Key>, none<Key>, none<const wide>, none<wide>, n);
      },
      [](std::int64_t n) { return sort_pairs_workspace_bytes<Policy>(double_buffer<Key>{}, double_buffer<wide>{}, n); },
      [](std::int64_t n) { return argsort_workspace_bytes<Policy>(none<const Key>, none<std::uint64_t>, n); },
      [](std::int64_t n) {
        return sort_with_values_workspace_bytes<Policy>(none<const Key>, none<Key>, std::tuple{value_array<word>{}}, n);
      }};
  for (std::size_t f = 0; f < std::size(formulas); ++f) {
    SCOPED_TRACE(f);
    EXPECT_EQ(formulas[f](0), 0u);
    EXPECT_EQ(formulas[f](-5), 0u);
    std::size_t last = 0;
    const auto grows = [&](std::int64_t n) {
      const std::size_t bytes = formulas[f](n);
      EXPECT_GE(bytes, last) << n;
      last = bytes;
    };
    for (std::int64_t n = 0; n < 9000; ++n) grows(n);
    // Every power of two and its neighbours: at some of them other methods, tiles and words begin.
    for (std::int64_t power = std::int64_t{1} << 14; power < std::int64_t{1} << 40; power *= 2) {
      for (const std::int64_t n : {power - 1, power, power + 1, power + power / 3}) grows(n);
    }
  }
}

TEST(sort_workspace_bytes, never_shrinks_as_n_grows) {
  expect_workspaces_grow<default_sort_policy, std::uint32_t>();
  expect_workspaces_grow<default_sort_policy, words_key>();
  expect_workspaces_grow<keys_from_iterator<>, std::uint64_t>();
  expect_workspaces_grow<onesweep<>, std::uint8_t>();
  expect_workspaces_grow<by_place<upsweep_downsweep<policy_spine<>>>, std::uint32_t>();
}

}  // namespace
}  // namespace upsweep::test
