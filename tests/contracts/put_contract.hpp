// What is written beside the elements of a compaction, on any device: lengths of parts and items put back, by any
// iterator, and arguments of draws and dispatches.
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
#include "upsweep/compact/device/put_back.cuh"
#include "upsweep/compact/device/register_compact.cuh"
#include "upsweep/compact/device/settle.cuh"

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

/// Of 5000 items those between the bounds are copied over others, by the blocks that all of them would take.
template <class Stream>
void copies_between(test_device<Stream>& d, std::int64_t begin, std::int64_t end, bool turns = false) {
  using kernel = detail::copy_between_kernel;
  constexpr std::int64_t n = 5000;
  const auto kept = random_items<std::uint32_t>(n, 1);
  const guarded_array<std::uint32_t, Stream> from(d, kept);
  guarded_array<std::uint32_t, Stream> to(d, n);
  const guarded_array<std::int64_t, Stream> bounds(d, std::vector<std::int64_t>{begin, end});
  auto expected = to.items();
  if (begin < end) std::copy(kept.begin() + begin, kept.begin() + end, expected.begin() + begin);
  if (turns) std::reverse(expected.begin() + begin, expected.begin() + end);
  ASSERT_EQ(d.executor().launch((n + kernel::tile_items - 1) / kernel::tile_items, kernel{},
                                detail::one_array<std::uint32_t>{from.data(), to.data()},
                                static_cast<const std::int64_t*>(bounds.data()), turns),
            status::success)
      << d.message();
  EXPECT_TRUE(same_items(to.items(), expected)) << begin << " to " << end;
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
    const drop_in::detail::put_lengths_kernel put;
    ASSERT_EQ(executor.launch(1, put, ends, 2, low_bytes{bytes.data()}), status::success) << d.message();
    ASSERT_EQ(executor.launch(1, put, ends, 3, numbers.data()), status::success) << d.message();
    EXPECT_EQ(bytes.items(), (std::vector<std::uint8_t>{4, 0}));
    EXPECT_EQ(numbers.items(), (std::vector<std::int64_t>{4, 0, std::int64_t{1} << 33}));
  });
  add("items_are_copied_between_bounds", [](device& d) {
    for (const std::int64_t count : {0, 1, 2047, 2048, 2049, 5000}) copies_between(d, 0, count);
    for (const bool turns : {false, true}) {
      for (const std::int64_t begin : {1, 2048, 3000, 5000}) copies_between(d, begin, 5000, turns);
    }
  });
  add("nothing_is_copied_far_behind_the_count", [](device& d) {
    // As a block sees a count that is so far in front of its items.
    copies_between(d, 0, 3 - (std::int64_t{1} << 32));
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
