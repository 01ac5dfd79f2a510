// Tickets, decoupled and direct look-back and chained scan under every schedule of at most two preemptions (three for
// the smallest case): all blocks in flight, one item a thread, and tiles' sums in each of the forms in which they are
// published. Not the pipelined scan, whose smallest blocks of eight warps have 15000 schedules of one preemption.
#include <optional>
#include <vector>

#include "contracts/context_checks.hpp"
#include "contracts/scan_contract.hpp"
#include "support/explored.hpp"
#include "support/race_check.hpp"

namespace upsweep::test {
namespace {

std::uint32_t moved(std::uint32_t x, std::uint32_t by) {
  return x + by;
}
affine moved(const affine& f, std::uint32_t by) {
  return {f.a, f.b + by};
}
template <class Word>
span_of<Word> moved(const span_of<Word>& s, std::uint32_t by) {
  return {s.first + by, s.last + by};
}

/// Scans `blocks` tiles, the last not full. The workspace holds what the schedule before has left: other sums, so that
/// none of them can pass for one of this schedule.
template <class Items, class Policy>
void scans_right(scan_call call, int blocks, int most = 2) {
  using T = typename Items::item;
  using Op = typename Items::op_type;
  const auto scan = make_scan_under_test<Policy, sim_stream, T, Op>();
  const auto n = blocks * scan.tile_items - 5;

  const test_device<sim_stream> memory(explored());
  guarded_array<std::uint32_t, sim_stream> misused(memory, std::vector<std::uint32_t>{0});
  const Op op = Items::op(misused.data());
  const T init[2] = {Items::init(), moved(Items::init(), 1000)};
  std::vector<T> items[2] = {Items::items(static_cast<std::size_t>(n)), {}}, expected[2];
  for (const T& item : items[0]) items[1].push_back(moved(item, 1000));
  for (int i = 0; i < 2; ++i) {
    expected[i] = call == scan_call::exclusive   ? exclusive_oracle<T>(items[i], op, init[i])
                  : call == scan_call::inclusive ? inclusive_oracle<T>(items[i], op)
                                                 : inclusive_oracle<T>(items[i], op, {init[i]});
  }
  guarded_array<T, sim_stream> first(memory, items[0]), second(memory, items[1]), out(memory, items[0].size());
  guarded_array<unsigned char, sim_stream> work(memory, scan.workspace_bytes(call, n, op, init[0]));
  const std::vector<T> nothing(items[0].size(), T{});

  int i = 0;
  under_all_schedules(most, [&](test_device<sim_stream>& device) {
    i = 1 - i;
    work.forget();
    const T* const in = (i == 0 ? first : second).data();
    out.set(nothing);
    out.forget();
    ASSERT_EQ(scan.run(call, {work.data(), work.size()}, in, out.data(), n, op, init[i], device.stream()),
              status::success)
        << device.message();
    ASSERT_TRUE(same_items(out.items(), expected[i]));
    ASSERT_EQ(misused.items()[0], 0u) << "the operator ran on values that do not adjoin";
  });
  first.expect_unchanged();
  second.expect_unchanged();
  work.expect_guards();
}

template <int Threads>
using lookback_of = decoupled_lookback<warp_scans<Threads>, 1>;
template <int Threads>
using direct_of = direct_lookback<warp_scans<Threads>, 1>;
template <int Threads>
using chain_of = chained_scan<warp_scans<Threads>, 1>;

// Value and status in a word of 8 bytes, in one of 16, and apart.
using words_of_8 = sum_of<std::uint32_t>;
using words_of_16 = joined_spans<std::uint32_t>;
using values_apart = joined_spans<std::uint64_t>;
static_assert(fits_tile_word<words_of_8::item> && sizeof(words_of_8::item) <= 4);
static_assert(fits_tile_word<words_of_16::item> && sizeof(words_of_16::item) > 4);
static_assert(!fits_tile_word<values_apart::item> && !fits_tile_word<affine_maps::item>);

template <class Items>
class single_pass_schedules : public testing::Test {};
using all_items = testing::Types<words_of_8, words_of_16, values_apart, affine_maps>;
struct item_names {
  template <class Items>
  static std::string GetName(int i) {
    constexpr const char* names[] = {"words_of_8", "words_of_16", "values_apart", "affine_apart"};
    return names[i];
  }
};
TYPED_TEST_SUITE(single_pass_schedules, all_items, item_names);

TYPED_TEST(single_pass_schedules, of_two_blocks_of_two_warps_exclusive) {
  scans_right<TypeParam, lookback_of<64>>(scan_call::exclusive, 2);
}
TYPED_TEST(single_pass_schedules, of_two_blocks_of_two_warps_inclusive) {
  scans_right<TypeParam, lookback_of<64>>(scan_call::inclusive, 2);
}
TYPED_TEST(single_pass_schedules, of_two_blocks_of_one_warp_and_three_preemptions) {
  scans_right<TypeParam, lookback_of<32>>(scan_call::inclusive_init, 2, 3);
}
// By two preemptions under the race checker, which compares the results, too.
TYPED_TEST(single_pass_schedules, of_three_blocks_of_two_warps) {
  scans_right<TypeParam, lookback_of<64>>(scan_call::inclusive_init, 3, race_check ? 2 : 1);
}
TYPED_TEST(single_pass_schedules, of_four_blocks_of_one_warp) {
  scans_right<TypeParam, lookback_of<32>>(scan_call::exclusive, 4);
}
// 38513 schedules. What orders accesses is the same in all of them; the race checker has seen it above.
TEST(single_pass_schedules_of_words, of_four_blocks_of_two_warps) {
  scans_right<words_of_16, lookback_of<64>>(scan_call::exclusive, 4, race_check ? 1 : 2);
}
TEST(single_pass_schedules_of_values_apart, of_four_blocks_of_two_warps) {
  scans_right<affine_maps, lookback_of<64>>(scan_call::exclusive, 4, race_check ? 1 : 2);
}

TYPED_TEST(single_pass_schedules, of_a_chain_of_two_blocks_of_two_warps) {
  scans_right<TypeParam, chain_of<64>>(scan_call::inclusive_init, 2);
}
TYPED_TEST(single_pass_schedules, of_a_chain_of_three_blocks_of_one_warp_and_three_preemptions) {
  scans_right<TypeParam, chain_of<32>>(scan_call::exclusive, 3, race_check ? 2 : 3);
}

// The race checker sees more of direct look-back in its contract.
TYPED_TEST(single_pass_schedules, of_two_blocks_of_two_warps_that_look_at_all_before_them) {
  scans_right<TypeParam, direct_of<64>>(scan_call::inclusive_init, 2, race_check ? 1 : 2);
}

TYPED_TEST(single_pass_schedules, of_a_cluster_of_two_blocks_of_two_warps_in_two_rounds) {
  scans_right<TypeParam, cluster<warp_scans<64>, 1, 2>>(scan_call::inclusive_init, 4);
}
TYPED_TEST(single_pass_schedules, of_a_cluster_of_four_blocks_of_one_warp_of_which_one_has_no_tile) {
  scans_right<TypeParam, cluster<warp_scans<32>, 1>>(scan_call::exclusive, 3);
}

/// Each block takes a ticket, and waits for the block with the ticket before it.
struct ticket_kernel {
  static constexpr int block_threads = 64;
  using temp_storage = ordered_tile_id::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, ordered_tile_id ids,
                                 std::uint32_t* done) const {
    const kernel_checks check(block, lines);
    const std::int64_t tile = ids.take(block, s);
    check.that(tile >= 0 && tile < block.num_blocks());
    if (block.thread_rank() != 40) return;
    while (tile > 0 && block.load_acquire(done + tile - 1) == 0) block.back_off();
    check.that(block.atomic_add(done + tile, 1u) == 0u);
  }
};

TEST(ticket_schedules, number_each_block_once_in_an_order_that_can_be_waited_for) {
  for (const int blocks : {2, 3, 4}) {
    const test_device<sim_stream> memory(explored());
    const auto count = static_cast<std::size_t>(blocks);
    guarded_array<std::uint32_t, sim_stream> ticket(memory, std::vector<std::uint32_t>{0}), done(memory, count);
    under_all_schedules(2, [&](test_device<sim_stream>& device) {
      ticket.set({0});
      done.set(std::vector<std::uint32_t>(count, 0));
      expect_checks_hold(device, blocks, ticket_kernel{}, ordered_tile_id{ticket.data()}, done.data());
      ASSERT_EQ(done.items(), std::vector<std::uint32_t>(count, 1));
    });
  }
}

}  // namespace
}  // namespace upsweep::test
