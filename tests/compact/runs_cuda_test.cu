#include <cstdint>
#include <vector>

#include "compact/runs_policies.hpp"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

/// Arrays that bulk copies can move, whatever their size, in tiles as long as those of the default.
using few_items = run_lookback<warp_scans<256>, 11, 5>;
using many_items = pipelined_runs<few_items, 10, 12, 20, 28, 0>;

/// A graph of one call, replayed on other numbers of items and other runs.
template <class Policy>
void replay(test_device<cudaStream_t>& d) {
  constexpr std::int64_t bound = 20'000;
  guarded_array<std::uint32_t, cudaStream_t> in(d, bound), out(d, bound), which(d, bound), sums(d, bound);
  guarded_array<std::int64_t, cudaStream_t> n(d, 1), runs(d, 1), runs_too(d, 1);
  unique_results results(runs.data());
  results.inverse = which.data();
  const device_count count{n.data(), bound};
  const std::size_t bytes = unique_workspace_bytes<Policy>(in.data(), out.data(), results, count);
  const std::size_t more =
      reduce_by_key_workspace_bytes<Policy>(in.data(), out.data(), in.data(), sums.data(), runs_too.data(), count);
  guarded_array<unsigned char, cudaStream_t> work(d, bytes), work_too(d, more);
  const captured_graph graph(d.stream(), [&] {
    const cudaError_t e =
        unique<Policy>(workspace{work.data(), bytes}, in.data(), out.data(), results, count, equal_to{}, d.stream());
    if (e != cudaSuccess) return e;
    return reduce_by_key<Policy>(workspace{work_too.data(), more}, in.data(), out.data(), in.data(), sums.data(),
                                 runs_too.data(), count, plus{}, equal_to{}, d.stream());
  });
  for (std::int64_t i = 0; i < 100; ++i) {
    const std::int64_t items = i * 7919 % (bound + 1);
    auto keys = keys_in_equal_runs(static_cast<std::size_t>(bound), static_cast<std::size_t>(1 + i % 50));
    in.set(keys);
    n.set({items});
    ASSERT_EQ(graph.launch(d.stream()), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(d.stream()), cudaSuccess);
    keys.resize(static_cast<std::size_t>(items));
    const auto right = runs_one_by_one<std::uint32_t>(keys, keys, equal_to{}, std::plus<>{});
    ASSERT_EQ(runs.items()[0], static_cast<std::int64_t>(right.begin.size()));
    ASSERT_EQ(runs_too.items()[0], runs.items()[0]);
    auto got = sums.items();
    got.resize(right.sum.size());
    ASSERT_EQ(got, right.sum);
    if (items > 0) ASSERT_EQ(which.items()[static_cast<std::size_t>(items - 1)], right.begin.size() - 1);
  }
}

const bool added = add_run_contracts<cudaStream_t>() && [] {
  add_runs_contract<few_items, cudaStream_t>("runs/default_for_few");
  add_runs_contract<many_items, cudaStream_t>("runs/default_for_many");
  add_test<cudaStream_t>("runs/replayed", "a_graph_of_few", replay<few_items>);
  add_test<cudaStream_t>("runs/replayed", "a_graph_of_many", replay<many_items>);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
