#include <algorithm>
#include <cstdint>
#include <vector>

#include "compact/group_by_policies.hpp"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

/// A graph of a grouping and of counts, replayed on other numbers of items in other groups.
template <int Groups>
void replay(test_device<cudaStream_t>& d) {
  constexpr std::int64_t bound = 40'000, multiple = 4;
  using stream = cudaStream_t;
  group_places to;
  to.multiple = multiple;
  guarded_array<std::int32_t, stream> in(d, bound);
  guarded_array<std::uint32_t, stream> permutation(d, static_cast<std::size_t>(to.room(bound, Groups))),
      inverse(d, bound), counts(d, Groups);
  guarded_array<std::int64_t, stream> offsets(d, Groups + 1), n(d, 1);
  to.permutation = permutation.data();
  to.inverse = inverse.data();
  const device_count count{n.data(), bound};
  const std::int32_t* const from = in.data();
  const std::size_t bytes = group_by_workspace_bytes(from, to, offsets.data(), count, Groups, number_of_item{});
  guarded_array<unsigned char, stream> work(d, bytes, 5);
  const captured_graph graph(d.stream(), [&] {
    const cudaError_t e =
        group_by(workspace{work.data(), bytes}, from, to, offsets.data(), count, Groups, number_of_item{}, d.stream());
    return e != cudaSuccess ? e : histogram(from, counts.data(), count, Groups, number_of_item{}, d.stream());
  });
  for (std::int64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const std::int64_t items = i * 7919 % (bound + 1);
    const auto numbers = random_numbers(bound, -1, i % 3 == 0 ? 2 : Groups + 1 - static_cast<std::int32_t>(i));
    in.set(numbers);
    n.set({items});
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(d.stream()), cudaSuccess);
    const grouped<std::uint32_t> right(numbers, items, Groups, multiple);
    ASSERT_TRUE(same_items(offsets.items(), right.offsets));
    auto places = permutation.items(), back = inverse.items();
    places.resize(right.permutation.size()), back.resize(right.inverse.size());
    ASSERT_TRUE(same_items(places, right.permutation));
    ASSERT_TRUE(same_items(back, right.inverse));
    std::vector<std::uint32_t> found(Groups);
    for (std::int64_t at = 0; at < items; ++at) {
      const std::int32_t g = numbers[static_cast<std::size_t>(at)];
      if (g >= 0 && g < Groups) ++found[static_cast<std::size_t>(g)];
    }
    ASSERT_TRUE(same_items(counts.items(), found));
  }
  work.expect_guards();
}

const bool added = add_small_group_contracts<cudaStream_t>() && [] {
  add_group_by_contract<default_group_policy, cudaStream_t>("group_by/default");
  add_test<cudaStream_t>("group_by/replayed", "a_graph_of_few_groups", replay<300>);
  add_test<cudaStream_t>("group_by/replayed", "a_graph_of_many_groups", replay<5000>);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
