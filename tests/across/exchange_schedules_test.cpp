// The exchange of a sort over ranks, under every schedule of at most one preemption: tiles of two launches, one after
// the other, that find out by look-back where their keys go, to the arrays of two ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/explored.hpp"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/sort/device/rank_exchange.cuh"
#include "upsweep/sort/key_codec.hpp"

namespace upsweep::test {
namespace {

using detail::global_cut;

TEST(exchange_schedules, keys_go_to_their_places_on_either_rank) {
  using codec = detail::digit_of<std::uint32_t>;
  using kernel = detail::rank_exchange_kernel<std::uint32_t, std::uint32_t, codec, std::uint32_t,
                                              detail::rank_exchange_tile<32, 1, 16>>;
  // The cut goes through the keys that are 5: of 90 keys, the first 40 are those of rank 0.
  const detail::bucket_numbers buckets{1, 32, 0};
  constexpr std::int64_t n = 90, first_launch = 64, of_rank_0 = 40;
  std::vector<std::uint32_t> keys(n), values(n), expected_keys, expected_values;
  random_source random(1);
  for (std::uint32_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(random.below(3)) * 4 + 1;
    values[i] = i;
  }
  std::vector<std::uint64_t> places;
  for (const auto& is_in : {+[](std::uint32_t k) { return k < 5; }, +[](std::uint32_t k) { return k == 5; },
                            +[](std::uint32_t k) { return k > 5; }}) {
    places.push_back(expected_keys.size());
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!is_in(keys[i])) continue;
      expected_keys.push_back(keys[i]);
      expected_values.push_back(i);
    }
  }
  ASSERT_LT(places[1], std::uint64_t{of_rank_0});
  ASSERT_GT(places[2], std::uint64_t{of_rank_0});
  places.resize(9, 0);

  const test_device<sim_stream> memory(explored());
  guarded_array<std::uint32_t, sim_stream> in(memory, keys), values_in(memory, values), out_0(memory, of_rank_0),
      out_1(memory, n - of_rank_0), values_0(memory, of_rank_0), values_1(memory, n - of_rank_0);
  guarded_array<std::uint64_t, sim_stream> places_at(memory, places);
  guarded_array<global_cut<std::uint32_t>, sim_stream> cuts(memory, std::vector{global_cut<std::uint32_t>{5, 0}});
  const std::vector<std::uint32_t> zero(2 + 3 * 3);
  guarded_array<std::uint32_t, sim_stream> states(memory, zero);
  detail::rank_arrays<std::uint32_t, std::uint32_t> to{{}, {}, {}, 2};
  to.parts[1] = of_rank_0;
  to.parts[2] = n;
  to.keys[0] = out_0.data();
  to.keys[1] = out_1.data();
  to.values[0] = values_0.data();
  to.values[1] = values_1.data();
  const codec digit = codec::at(sort_order::ascending, 0, 1);
  under_all_schedules(1, [&](test_device<sim_stream>& device) {
    states.set(zero);
    places_at.set(places);
    for (auto* const out : {&out_0, &out_1, &values_0, &values_1}) out->forget();
    sim_executor ex = device.executor();
    const auto launch = [&](int number, std::int64_t begin, std::int64_t items) {
      std::uint64_t* const first = places_at.data() + number * 3;
      const kernel::portion portion{begin, items,    states.data() + number, states.data() + 2 + number * 6,
                                    first, first + 3};
      return ex.launch(ceil_div(items, kernel::tile_items), kernel{}, static_cast<const std::uint32_t*>(in.data()),
                       static_cast<const std::uint32_t*>(values_in.data()), digit, buckets,
                       static_cast<const global_cut<std::uint32_t>*>(cuts.data()), to, portion);
    };
    ASSERT_EQ(launch(0, 0, first_launch), status::success) << device.message();
    ASSERT_EQ(launch(1, first_launch, n - first_launch), status::success) << device.message();
    const auto both = [](auto& first, auto& second) {
      std::vector<std::uint32_t> all = first.items();
      const std::vector<std::uint32_t> rest = second.items();
      all.insert(all.end(), rest.begin(), rest.end());
      return all;
    };
    ASSERT_TRUE(same_items(both(out_0, out_1), expected_keys));
    ASSERT_TRUE(same_items(both(values_0, values_1), expected_values));
  });
}

}  // namespace
}  // namespace upsweep::test
