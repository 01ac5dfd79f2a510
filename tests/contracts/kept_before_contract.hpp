// What blocks of the ring find out of the tiles before theirs (upsweep/scan/flow/remembered_prefix.cuh).
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::test {

using detail::carry;
using detail::kept_before;
using detail::kept_counts;
using detail::ordered_tile_id;
using detail::tile_status;
using detail::tile_workspace;

/// One warp asks what is kept before tile 5, and then, as if its block had fallen behind, before tile 400: the counts
/// of tiles 6 to 319 are nowhere, but there is a mark.
struct fall_behind_kernel {
  static constexpr int block_threads = 32;
  static constexpr std::int64_t tiles = 400, marked = 320;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, kept_counts counts, std::int64_t* answers) const {
    if (block.lane() == 0) {
      for (int t = 0; t < 5; ++t) counts.sums.publish(block, t, tile_status::partial, static_cast<std::uint32_t>(t));
      for (std::int64_t t = marked; t < tiles; ++t) counts.sums.publish(block, t, tile_status::partial, 100);
      for (std::int64_t t = marked - 40; t <= marked; ++t) {
        if (counts.is_marked(t)) counts.publish_mark(block, t, 1000000 * t);
      }
    }
    block.fence();
    block.warp_sync();
    kept_before before;
    for (const std::int64_t tile : {std::int64_t{5}, tiles}) {
      before.find(block, counts, tile, plus{});
      if (block.lane() == 0) answers[tile == tiles] = before.before(tile, carry<std::int64_t>{0, true}).value;
    }
  }
};

/// As in place: one block reads an item and publishes the count of tile 31; the next one learns that, which only its
/// last lane sees, and tells what is kept before tile 320; and the third, which has fallen behind, goes on from there
/// and writes over the item.
struct mark_in_place_kernel {
  static constexpr int block_threads = 32;
  static constexpr std::int64_t marked = 320, tiles = 330;
  static constexpr std::uint32_t kept = 2;
  using temp_storage = ordered_tile_id::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, kept_counts counts, ordered_tile_id ids,
                                 std::uint32_t* item, std::uint32_t* read, std::int64_t* answers) const {
    const std::int64_t number = ids.take(block, s);
    const bool is_first = block.lane() == 0;
    if (number == 0) {
      if (!is_first) return;
      for (int t = 0; t < 31; ++t) counts.sums.publish(block, t, tile_status::partial, kept);
      *read = *item;
      block.fence();
      counts.sums.publish(block, 31, tile_status::partial, kept);
      return;
    }
    kept_before prefix;
    if (number == 1) {
      prefix.find(block, counts, 32, plus{});
      block.fence();
      block.warp_sync();
      if (!is_first) return;
      const std::int64_t before = prefix.before(32, carry<std::int64_t>{0, true}).value;
      answers[0] = before;
      for (std::int64_t t = marked; t < tiles; ++t) counts.sums.publish(block, t, tile_status::partial, kept);
      counts.publish_mark(block, marked, before, true);
      return;
    }
    const std::int64_t mark = marked / kept_counts::tiles_a_mark;
    while (!counts.marks.read(block, mark).is_there()) block.back_off();
    prefix.find(block, counts, tiles, plus{});
    block.fence();
    block.warp_sync();
    if (!is_first) return;
    answers[1] = prefix.before(tiles, carry<std::int64_t>{0, true}).value;
    *item = 0;
  }
};

template <class Stream>
void add_kept_before_contract() {
  add_test<Stream>("kept_before", "tells_with_a_mark_what_the_tiles_before_have_read", [](test_device<Stream>& d) {
    const tile_workspace<kept_counts> memory(mark_in_place_kernel::tiles);
    guarded_array<unsigned char, Stream> work(d, memory.bytes());
    guarded_array<std::uint32_t, Stream> item(d, std::vector<std::uint32_t>{7}), read(d, 1);
    guarded_array<std::int64_t, Stream> answers(d, 2);
    const workspace w{work.data(), work.size()};
    auto executor = d.executor();
    ASSERT_EQ(memory.clear(executor, w), status::success);
    ASSERT_EQ(executor.launch(3, mark_in_place_kernel{}, memory.states(w), memory.ticket(w), item.data(), read.data(),
                              answers.data()),
              status::success)
        << d.message();
    EXPECT_EQ(read.items(), (std::vector<std::uint32_t>{7}));
    EXPECT_EQ(item.items(), (std::vector<std::uint32_t>{0}));
    EXPECT_EQ(answers.items(), (std::vector<std::int64_t>{32 * 2, 32 * 2 + 10 * 2}));
  });
  add_test<Stream>("kept_before", "goes_on_from_a_mark_when_it_has_fallen_behind", [](test_device<Stream>& d) {
    const tile_workspace<kept_counts> memory(fall_behind_kernel::tiles);
    guarded_array<unsigned char, Stream> work(d, memory.bytes());
    guarded_array<std::int64_t, Stream> answers(d, 2);
    const workspace w{work.data(), work.size()};
    auto executor = d.executor();
    ASSERT_EQ(memory.clear(executor, w), status::success);
    ASSERT_EQ(executor.launch(1, fall_behind_kernel{}, memory.states(w), answers.data()), status::success)
        << d.message();
    EXPECT_EQ(answers.items(), (std::vector<std::int64_t>{0 + 1 + 2 + 3 + 4, 320000000 + 80 * 100}));
  });
}

}  // namespace upsweep::test
