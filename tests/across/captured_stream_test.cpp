// A stream that is being captured: hosts meet in a call over ranks, and a graph cannot do that again. So every call is
// refused, on all ranks, and nothing was touched.
#include "across/sim_ranks.hpp"
#include "contracts/across_contract.hpp"
#include "upsweep/compact/split_across_gpus.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::test {
namespace {

constexpr auto captured = static_cast<status>(900);  // cudaErrorStreamCaptureUnsupported

/// A rank whose stream is being captured, if it is said so.
struct capturing_communicator : sim_communicator {
  bool is_captured;
  capturing_communicator(const sim_communicator& comm, bool captures) : sim_communicator(comm), is_captured(captures) {}
  status can_take(sim_stream) const { return is_captured ? captured : status::success; }
};

struct all_in_one {
  UPSWEEP_HOST_DEVICE int operator()(std::uint32_t) const { return 0; }
};

TEST(captured_stream, is_refused_by_every_call_on_every_rank) {
  using policy = sort_across_policy<upsweep_downsweep<policy_spine<>>>;
  constexpr std::int64_t n = 100;
  sim_ranks ranks(2, sim_options{}, true);
  arrays_of_ranks<std::uint32_t, sim_ranks> in(ranks), out(ranks);
  ranks.run([&](int rank, sim_communicator& sim) {
    capturing_communicator comm(sim, rank == 1);
    const sim_stream stream = ranks.device(rank).stream();
    const std::uint32_t* const from = in.make(rank, random_items<std::uint32_t>(n)).data();
    const std::vector<std::uint32_t> filled(100000, 7);
    std::uint32_t* const to = out.make(rank, filled).data();
    auto* const offsets = reinterpret_cast<std::int64_t*>(to + 2 * n);
    const across_results<std::uint32_t> results{to + n};
    const workspace w{to + 4 * n, 390000};
    const std::tuple values{value_array{from, to + n}};
    EXPECT_EQ(exclusive_sum_across(w, comm, from, to, n, stream), captured);
    EXPECT_EQ(select_if_across(w, comm, from, to, results, n, has_low_bits{}, stream), captured);
    EXPECT_EQ(rebalance_across(comm, from, to, n, n, stream), captured);
    EXPECT_EQ(split_across(w, comm, from, to, offsets, n, n, 1, all_in_one{}, stream), captured);
    EXPECT_EQ(sort_keys_across<policy>(w, comm, from, to, n, n, sort_order::ascending, stream), captured);
    EXPECT_EQ(sort_with_values_across<policy>(w, comm, from, to, values, n, n, sort_order::ascending, stream),
              captured);
    EXPECT_TRUE(same_items(out[rank].items(), filled));
    comm.is_captured = false;
    EXPECT_EQ(rebalance_across(comm, from, to, n, n, stream), status::success);
  });
  EXPECT_EQ(ranks.group().failure(), status::success);
}

}  // namespace
}  // namespace upsweep::test
