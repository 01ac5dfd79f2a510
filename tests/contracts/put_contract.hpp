// What is written beside the elements of a compaction, on any device: lengths of parts and items by any iterator, what
// comes back from the workspace, and arguments of draws and dispatches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/iterators.hpp"
#include "support/random_items.hpp"
#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/copy_back.cuh"
#include "upsweep/compact/device/store_results.cuh"

namespace upsweep::test {

/// What one thread puts of `kept` elements.
struct put_arguments_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, indirect_arguments arguments, std::int64_t kept) const {
    if (block.thread_rank() == 0) arguments.put(kept);
  }
};

/// Of 5000 items the first `count` are stored over others, by the blocks that all of them would take.
template <class Stream>
void stores_items(test_device<Stream>& d, std::int64_t count) {
  const drop_in::detail::store_items_kernel kernel;
  constexpr std::int64_t n = 5000;
  const auto items = random_items<std::uint32_t>(n, 1);
  const guarded_array<std::uint32_t, Stream> from(d, items);
  const guarded_array<std::int64_t, Stream> counts(d, std::vector<std::int64_t>{count});
  guarded_array<std::uint32_t, Stream> to(d, n);
  auto expected = to.items();
  if (count > 0) std::copy(items.begin(), items.begin() + count, expected.begin());
  ASSERT_EQ(d.executor().launch((n + kernel.tile_items - 1) / kernel.tile_items, kernel,
                                static_cast<const std::uint32_t*>(from.data()),
                                static_cast<const std::int64_t*>(counts.data()), to.data()),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(to.items(), expected)) << count;
}

/// Of 9000 items in the workspace, `kept` of which are kept, the stretches that belong there come back over others.
template <std::size_t ElementBytes, class Stream>
void copies_back(test_device<Stream>& d, std::int64_t kept, bool kept_are_there, bool with_rejected, bool turns) {
  const detail::copy_back_kernel<ElementBytes> kernel;
  constexpr std::int64_t n = 9000;
  const auto items = random_items<std::uint32_t>(n, 1);
  const guarded_array<std::uint32_t, Stream> from(d, items);
  const guarded_array<detail::compact_totals, Stream> totals(d, std::vector<detail::compact_totals>{{n, kept}});
  guarded_array<std::uint32_t, Stream> to(d, n);
  auto expected = to.items();
  if (!kept_are_there) std::copy(items.begin(), items.begin() + kept, expected.begin());
  if (with_rejected) std::copy(items.begin() + kept, items.end(), expected.begin() + kept);
  if (with_rejected && turns) std::reverse(expected.begin() + kept, expected.end());
  const detail::copy_batch batch{
      1, {{detail::in_words(from.data(), to.data(), sizeof(std::uint32_t)), kept_are_there, with_rejected, turns}}};
  ASSERT_EQ(d.executor().launch((n + kernel.tile_items - 1) / kernel.tile_items, kernel, batch,
                                static_cast<const detail::compact_totals*>(totals.data())),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(to.items(), expected)) << kept << kept_are_there << with_rejected << turns;
}

template <class Stream>
void add_put_contract(const std::string& suite) {
  using device = test_device<Stream>;
  const auto add = [&](const char* claim, std::function<void(device&)> body) { add_test<Stream>(suite, claim, body); };

  add("lengths_of_parts_go_to_any_iterator", [](device& d) {
    const guarded_array<std::int64_t, Stream> offsets(d,
                                                      std::vector<std::int64_t>{5, 9, 9, 9 + (std::int64_t{1} << 33)});
    const auto* const ends = static_cast<const std::int64_t*>(offsets.data());
    guarded_array<std::uint8_t, Stream> bytes(d, 2);
    guarded_array<std::int64_t, Stream> numbers(d, 3);
    auto executor = d.executor();
    const drop_in::detail::store_lengths_kernel put;
    ASSERT_EQ(executor.launch(1, put, ends, 2, low_bytes{bytes.data()}), status::success) << d.message();
    ASSERT_EQ(executor.launch(1, put, ends, 3, numbers.data()), status::success) << d.message();
    EXPECT_EQ(bytes.items(), (std::vector<std::uint8_t>{4, 0}));
    EXPECT_EQ(numbers.items(), (std::vector<std::int64_t>{4, 0, std::int64_t{1} << 33}));
  });
  add("items_are_stored_up_to_the_count", [](device& d) {
    for (const std::int64_t count : {0, 1, 2047, 2048, 2049, 5000}) stores_items(d, count);
  });
  add("nothing_is_stored_far_behind_the_count", [](device& d) {
    // As a block sees a count that is so far before its items.
    stores_items(d, 3 - (std::int64_t{1} << 32));
  });
  add("kept_and_rejected_items_come_back_from_the_workspace", [](device& d) {
    for (const std::int64_t kept : {0, 1, 4096, 4097, 8192, 9000}) {
      for (const int how : {0, 1, 2, 3, 6, 7}) {
        copies_back<0>(d, kept, (how & 1) != 0, (how & 2) != 0, (how & 4) != 0);
        copies_back<sizeof(std::uint32_t)>(d, kept, (how & 1) != 0, (how & 2) != 0, (how & 4) != 0);
      }
    }
  });
  add("arguments_of_draws_and_dispatches_are_rounded_up_and_saturate", [](device& d) {
    constexpr std::uint32_t most = 0xffffffff;
    constexpr std::int64_t two = std::int64_t{1} << 31;
    const struct {
      std::int64_t kept;
      std::uint32_t draw_each, group_size, draw, groups;
    } cases[] = {{0, 6, 64, 0, 0},
                 {1, 1, 1, 1, 1},
                 {65, 6, 64, 390, 2},
                 {64, 0, 64, 0, 1},
                 {1, most, most, most, 1},
                 {2, most, 2, most, 1},
                 {two - 1, 2, 2, most - 1, 1u << 30},
                 {two, 2, 1, most, 1u << 31},
                 {2 * two - 1, 1, 1, most, most},
                 {2 * two, 1, 1, most, most},
                 {128 * two - 128, 0, 64, 0, most - 1},
                 {128 * two - 127, 0, 64, 0, most},
                 {128 * two, 1, 64, most, most}};
    auto executor = d.executor();
    for (const auto& c : cases) {
      for (const int wanted : {1, 2, 3}) {
        guarded_array<std::uint32_t, Stream> draw(d, 1), dispatch(d, 3);
        indirect_arguments a;
        if (wanted & 1) a.draw = draw.data();
        if (wanted & 2) a.dispatch = dispatch.data();
        a.draw_each = c.draw_each;
        a.group_size = c.group_size;
        ASSERT_EQ(executor.launch(1, put_arguments_kernel{}, a, c.kept), status::success) << d.message();
        if (wanted & 1) {
          EXPECT_EQ(draw.items()[0], c.draw) << c.kept << " * " << c.draw_each;
        } else {
          draw.expect_unchanged();
        }
        if (wanted & 2) {
          EXPECT_EQ(dispatch.items(), (std::vector<std::uint32_t>{c.groups, 1, 1})) << c.kept << " / " << c.group_size;
        } else {
          dispatch.expect_unchanged();
        }
      }
    }
  });
}

}  // namespace upsweep::test
