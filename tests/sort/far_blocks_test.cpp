// Kernels in cases that a launch would take too long to reach: blocks far past a count in device memory, and lists of
// more segments than a count of 28 bits can hold.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/internals.hpp"
#include "upsweep/simt/sim_executor.hpp"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/segmented_radix_sort.cuh"

namespace upsweep::test {
namespace {

/// A gather's block that is said to be the one at `at`.
struct gather_of_block {
  static constexpr int block_threads = gather_kernel<4>::block_threads;
  struct temp_storage {};
  template <class Ctx>
  struct elsewhere {
    static constexpr int threads = Ctx::threads;
    Ctx& block;
    std::int64_t at;
    std::int64_t block_index() const { return at; }
    int thread_rank() const { return block.thread_rank(); }
  };
  template <class Ctx>
  void operator()(Ctx& block, temp_storage&, std::int64_t at, const element_array& rows, const std::uint64_t* place,
                  const std::int64_t* n) const {
    elsewhere<Ctx> b{block, at};
    gather_kernel<4>::temp_storage s;
    gather_kernel<4>{}(b, s, rows, place, device_count<std::int64_t>{n, std::int64_t{1} << 33});
  }
};

/// The array whose element `first` is that of `v`, seen from its begin.
template <class T>
T* array_before(std::vector<T>& v, std::int64_t first) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(v.data()) -
                              static_cast<std::uintptr_t>(first) * sizeof(T));
}

TEST(gather, moves_nothing_far_behind_a_count) {
  constexpr int threads = gather_of_block::block_threads;
  const std::int64_t n = 100;
  for (const std::int64_t at : {std::int64_t{1}, std::int64_t{1} << 23, std::int64_t{1} << 24, std::int64_t{1} << 25}) {
    std::vector<std::uint64_t> places(threads, 0);
    std::vector<std::uint32_t> in(1, 7), out(threads, 0);
    const element_array rows{in.data(), array_before(out, at * threads), 1, 4};
    const std::uint64_t* const place = array_before(places, at * threads);
    ASSERT_EQ(sim_executor{}.launch(1, gather_of_block{}, at, rows, place, &n), status::success);
    EXPECT_EQ(out, std::vector<std::uint32_t>(threads, 0)) << "block " << at;
  }
}

TEST(segment_lists, are_not_listed_twice_when_more_overlap_than_are_counted) {
  using key = std::uint32_t;
  using digits = key_digits<key>;
  using listing = segment_lists_kernel<key, no_value, digits, 32, 4096>;
  constexpr int of_blocks = segment_lists::of_blocks;
  constexpr std::int64_t n = 8192, segments = 3;
  constexpr std::uint64_t counted = (std::uint64_t{1} << 28) - 1;  // segments of two tiles each
  std::vector<key> in(n), out(n);
  const std::vector<std::int64_t> begins(segments, 0), ends(segments, n);
  std::vector<listed_segment> list(of_blocks), large(1, {0, n, 0});
  std::vector<std::uint32_t> digit_counts(4 * 256);
  std::uint64_t counts[of_blocks] = {}, large_count = counted << segment_lists::tile_bits | counted * 2;
  segment_lists lists{};
  for (int l = 0; l < of_blocks; ++l) {
    lists.longest[l] = 1024 << l;
    lists.list[l] = &list[l];
    lists.count[l] = &counts[l];
    lists.room[l] = 1;
  }
  lists.large = large.data();
  lists.large_room = 1;
  lists.tile_room = 3;
  lists.large_count = &large_count;
  lists.digit_counts = digit_counts.data();
  lists.digit_counts_of_a_segment = 4 * 256;
  const listing::short_sort sorts{digits{}, bit_range{0, 32}, in.data(), out.data(), {nullptr, nullptr}};
  ASSERT_EQ(
      sim_executor{}.launch(1, listing{}, sorts, n, segments, begins.data(), ends.data(), lists, 32, warps_left{}),
      status::success);
  EXPECT_EQ(large[0].first_tile, 0);
  EXPECT_EQ(large[0].items, n);
}

}  // namespace
}  // namespace upsweep::test
