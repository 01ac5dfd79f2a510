#include <algorithm>
#include <cstdint>
#include <vector>

#include "compact/expand_policies.hpp"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

/// A graph of an expansion, replayed on other numbers of items with other counts, some of which have no room.
void replay(test_device<cudaStream_t>& d) {
  constexpr std::int64_t bound = 20'000, capacity = 70'000;
  using stream = cudaStream_t;
  guarded_array<std::int32_t, stream> in(d, bound);
  guarded_array<std::int64_t, stream> out(d, capacity), offsets(d, bound + 1), totals(d, 2), n(d, 1);
  const device_count count{n.data(), bound};
  const std::int32_t* const from = in.data();
  expand_results results(totals.data());
  results.wanted = totals.data() + 1;
  results.offsets = offsets.data();
  results.capacity = capacity;
  const item_and_number of{};
  const std::size_t bytes = expand_workspace_bytes(from, out.data(), results, count, of);
  guarded_array<unsigned char, stream> work(d, bytes, 5);
  const captured_graph graph(d.stream(), [&] {
    return expand(workspace{work.data(), bytes}, from, out.data(), results, count, of, d.stream());
  });
  for (std::int64_t i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const std::int64_t items = i * 7919 % (bound + 1);
    const auto counts =
        random_counts(bound, static_cast<std::uint64_t>(i % 17), static_cast<std::uint64_t>(1 + i % 13));
    in.set(counts);
    n.set({items});
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(d.stream()), cudaSuccess);
    const expanded right = expanded_one_by_one(counts, items, capacity);
    ASSERT_EQ(totals.items(), (std::vector<std::int64_t>{static_cast<std::int64_t>(right.out.size()), right.wanted}));
    auto got = out.items(), begins = offsets.items();
    got.resize(right.out.size()), begins.resize(right.offsets.size());
    ASSERT_TRUE(same_items(got, right.out));
    ASSERT_TRUE(same_items(begins, right.offsets));
  }
  work.expect_guards();
}

const bool added = add_expand_contracts<cudaStream_t>() && [] {
  add_expand_contract<default_expand_policy, cudaStream_t>("expand/default");
  add_test<cudaStream_t>("expand/replayed", "a_graph_of_counts_that_change", replay);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
