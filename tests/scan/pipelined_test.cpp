// What the pipelined scan does beside the contract of all scans: where its tiles lie, and how a block catches up.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/test_device.hpp"
#include "upsweep/scan/row_of_items.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {
namespace {

TEST(aligned_tiles, begin_at_multiples_of_16_bytes_and_have_every_item_once) {
  alignas(16) static std::uint32_t memory[8];
  for (const std::int64_t offset : {0, 1, 2, 3}) {
    const std::int64_t in_front = aligned_tiles::items_in_front(memory + offset);
    EXPECT_EQ(in_front, (4 - offset) % 4);
    for (const int tile_items : {4, 32, 300}) {
      for (const std::int64_t n : {1, 2, 3, 4, 5, 299, 300, 301, 1000}) {
        SCOPED_TRACE(testing::Message() << "offset " << offset << ", tiles of " << tile_items << ", n = " << n);
        const aligned_tiles tiles(in_front, n, tile_items);
        std::int64_t next = 0;
        for (std::int64_t t = 0; t < tiles.count(); ++t) {
          EXPECT_EQ(tiles.first(t), next);
          EXPECT_TRUE((next + offset) % 4 == 0 || (t == 0 && tiles.items(t) < 4));
          EXPECT_GT(tiles.items(t), 0);
          EXPECT_LE(tiles.items(t), tile_items);
          EXPECT_TRUE(t == 0 || t + 1 == tiles.count() || tiles.items(t) == tile_items);
          next += tiles.items(t);
        }
        EXPECT_EQ(next, n);
        EXPECT_LE(tiles.count(), aligned_tiles::most(n, tile_items));
      }
    }
  }
}

TEST(aligned_tiles, are_not_to_be_had_where_no_item_lies_at_a_multiple_of_16_bytes) {
  struct item {
    std::uint32_t word[4];
  };
  alignas(16) static std::uint32_t memory[64];
  EXPECT_EQ(aligned_tiles::items_in_front(reinterpret_cast<item*>(memory)), 0);
  EXPECT_EQ(aligned_tiles::items_in_front(reinterpret_cast<item*>(memory + 1)), -1);
  struct odd {
    unsigned char byte[3];
  };
  EXPECT_EQ(aligned_tiles::items_in_front(reinterpret_cast<odd*>(memory) + 1), 15);
}

/// One warp asks for the last mark between two tiles, again and again.
template <class T>
struct last_mark_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  struct question {
    std::int64_t after, tile;
  };
  struct answer {
    std::int64_t tile;
    T value;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, remembered_sums<T> states, const std::int64_t* published,
                                 int marks, const question* asked, answer* answers, int questions) const {
    for (int m = block.lane(); m < marks; m += block_threads) {
      if (states.is_marked(published[m])) {
        states.publish_mark(block, published[m], static_cast<T>(published[m] * 3));
      }
    }
    block.barrier();
    for (int q = 0; q < questions; ++q) {
      T value = 77;
      const std::int64_t tile = states.last_mark(block, asked[q].after, asked[q].tile, value);
      if (block.lane() == 0) answers[q] = {tile, value};
    }
  }
};

template <class T>
void expect_last_marks() {
  using kernel = last_mark_kernel<T>;
  constexpr std::int64_t tiles = 100'000;
  // 41 has no mark; after 32 x 32 = 1024 there is a gap of more marks than a warp reads at once.
  const std::vector<std::int64_t> published = {32, 41, 64, 1024, 5 * 1024 + 32};
  const std::vector<typename kernel::question> asked = {
      {0, 5},     {0, 31},   {0, 32},      {0, 63},   {0, 64},   {32, 64},       {41, 63},       {64, 1000},  {0, 1000},
      {51, 1023}, {0, 1024}, {1024, 5000}, {0, 5151}, {0, 5152}, {1024, 99'000}, {5152, 99'000}, {6001, 6500}};
  const std::vector<std::int64_t> expected = {0,  0,    32,   32,   64,   64,   41,   64,  64,
                                              64, 1024, 1024, 1024, 5152, 5152, 5152, 6001};
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  const tile_workspace<remembered_sums<T>> here(tiles);
  const guarded_array<unsigned char, sim_stream> memory(device, std::vector<unsigned char>(here.bytes(), 0));
  const workspace w{memory.data(), memory.size()};
  const guarded_array<std::int64_t, sim_stream> ends(device, published);
  const guarded_array<typename kernel::question, sim_stream> questions(device, asked);
  const guarded_array<typename kernel::answer, sim_stream> answers(device, asked.size());
  sim_executor ex;
  ASSERT_EQ(
      ex.launch(1, kernel{}, here.states(w), static_cast<const std::int64_t*>(ends.data()),
                static_cast<int>(published.size()), static_cast<const typename kernel::question*>(questions.data()),
                answers.data(), static_cast<int>(asked.size())),
      status::success)
      << sim_diagnostic();
  for (std::size_t q = 0; q < asked.size(); ++q) {
    SCOPED_TRACE(testing::Message() << "after " << asked[q].after << ", before " << asked[q].tile);
    EXPECT_EQ(answers.data()[q].tile, expected[q]);
    const bool found = expected[q] != asked[q].after;
    EXPECT_EQ(answers.data()[q].value, static_cast<T>(found ? expected[q] * 3 : 77));
  }
}

TEST(remembered_states, give_the_last_mark_between_two_tiles) {
  expect_last_marks<std::uint32_t>();
  expect_last_marks<std::uint64_t>();  // in pieces
}

/// Publishes what the first `tiles` tiles of spans would, and sets the ticket to the next one.
struct publish_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  using T = span_of<std::uint32_t>;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, remembered_sums<T> to, std::uint32_t tiles, bool with_marks,
                                 std::uint32_t* next) const {
    if (block.lane() != 0) return;
    *next = tiles;
    for (std::uint32_t t = 0; t < tiles; ++t) {
      to.sums.publish(block, t, t == 0 ? tile_status::inclusive : tile_status::partial, T{32 * t + 1, 32 * t + 32});
      if (with_marks && to.is_marked(t)) to.publish_mark(block, t, T{1, 32 * t});
    }
  }
};

/// Tells the last mark between two tiles, and which it is.
struct read_mark_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  using T = span_of<std::uint32_t>;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, remembered_sums<T> states, std::int64_t after,
                                 std::int64_t tile, std::int64_t* marked, T* before) const {
    T value{};
    tile = states.last_mark(block, after, tile, value);
    if (block.lane() == 0) *marked = tile, *before = value;
  }
};

/// The tiles before `begun` have published, and the launch finds the ticket there: its blocks have missed them all.
void scans_on_from(std::int64_t begun, bool with_marks) {
  using T = span_of<std::uint32_t>;
  using kernel = pipelined_scan_kernel<scan_kind::inclusive, T, T, 32, 1, 4>;
  SCOPED_TRACE(testing::Message() << begun << " tiles are done" << (with_marks ? ", with marks" : ""));
  const std::int64_t n = (begun + 40) * 32 + 5;
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  std::vector<T> items(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < items.size(); ++i) items[i].first = items[i].last = static_cast<std::uint32_t>(i + 1);
  const guarded_array<T, sim_stream> in(device, items), out(device, items.size());
  guarded_array<std::uint32_t, sim_stream> misused(device, std::vector<std::uint32_t>{0});
  const aligned_tiles tiles(aligned_tiles::items_in_front(in.data()), n, 32);
  ASSERT_EQ(tiles.items(0), 32);
  const tile_workspace<remembered_sums<T>> here(tiles.count());
  const guarded_array<unsigned char, sim_stream> memory(device, std::vector<unsigned char>(here.bytes(), 0));
  const workspace w{memory.data(), memory.size()};
  const remembered_sums<T> published = here.states(w);

  sim_executor ex;
  ASSERT_EQ(
      ex.launch(1, publish_kernel{}, published, static_cast<std::uint32_t>(begun), with_marks, here.ticket(w).next),
      status::success);
  ASSERT_EQ(
      ex.launch(3, kernel{}, static_cast<const T*>(in.data()), out.data(), aligned_tiles::items_in_front(in.data()), n,
                join<std::uint32_t>{misused.data()}, carry<T>{T{}, false}, no_total{}, published, here.ticket(w)),
      status::success)
      << sim_diagnostic();
  for (std::int64_t i = begun * 32; i < n; ++i) {
    ASSERT_EQ(out.data()[i], (T{1, static_cast<std::uint32_t>(i + 1)})) << "item " << i;
  }
  EXPECT_EQ(misused.data()[0], 0u) << "the operator ran on values that do not adjoin";

  // The blocks have left a mark on each 32nd tile.
  const std::int64_t last = tiles.count() - 1, expected = last / 32 * 32;
  const guarded_array<std::int64_t, sim_stream> marked(device, 1);
  const guarded_array<T, sim_stream> before(device, 1);
  ASSERT_EQ(ex.launch(1, read_mark_kernel{}, published, begun, last, marked.data(), before.data()), status::success);
  EXPECT_EQ(marked.data()[0], expected);
  EXPECT_EQ(before.data()[0], (T{1, static_cast<std::uint32_t>(32 * expected)}));
}

TEST(pipelined_scan, catches_up_from_the_last_mark_or_from_the_first_tile) {
  for (const std::int64_t begun : {1, 31, 32, 33, 159, 160, 161, 162, 500, 3000}) {
    scans_on_from(begun, true);
    scans_on_from(begun, false);
  }
}

TEST(pipelined_scan, of_an_askew_array_comes_round_to_the_stage_of_its_short_first_tile) {
  using policy = decoupled_lookback_pipelined<32, 1>;
  constexpr std::int64_t n = 40 * 32;
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  const guarded_array<std::uint32_t, sim_stream> in(device, std::vector<std::uint32_t>(n + 1, 3));
  guarded_array<std::uint32_t, sim_stream> out(device, n);
  const std::uint32_t* const from = in.data() + 1;
  ASSERT_GT(aligned_tiles::items_in_front(from), 0);
  const guarded_array<unsigned char, sim_stream> memory(
      device, inclusive_scan_workspace_bytes<policy>(from, out.data(), n, plus{}));
  sim_options one_block;
  one_block.resident_blocks = 1;
  ASSERT_EQ(inclusive_scan<policy>(workspace{memory.data(), memory.size()}, from, out.data(), n, plus{},
                                   sim_stream{&one_block}),
            status::success)
      << sim_diagnostic();
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out.data()[i], 3 * (i + 1)) << "item " << i;
}

/// Items of which no two make a vector, to outputs at any address.
template <class T, int N, class Op>
void scans_rows(Op op) {
  using row = detail::row_of_items<T, N>;
  using policy = decoupled_lookback_pipelined<64, 12>;
  constexpr std::int64_t tile = policy::template tile_items<row>;
  static_assert(policy::template items<row> % 2 == 1);
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{31}, tile - 1, tile, 2 * tile + 33, 3 * tile - 2}) {
    std::vector<row> items(static_cast<std::size_t>(n)), expected = items;
    row sum{};
    for (std::size_t i = 0; i < items.size(); ++i) {
      expected[i] = sum;
      for (int k = 0; k < N; ++k) {
        items[i].item[k] = static_cast<T>(i * 7 + static_cast<std::size_t>(k));
        sum.item[k] = static_cast<T>(sum.item[k] + items[i].item[k]);
      }
    }
    const guarded_array<row, sim_stream> in(device, items);
    ASSERT_EQ(aligned_tiles::items_in_front(in.data()), 0);
    for (const std::size_t offset : {std::size_t{0}, sizeof(T), 3 * sizeof(T)}) {
      SCOPED_TRACE(testing::Message() << N << " of " << sizeof(T) << " bytes, n = " << n << ", offset " << offset);
      guarded_array<row, sim_stream> out(device, items.size(), offset);
      const row* const from = in.data();
      const guarded_array<unsigned char, sim_stream> memory(
          device, exclusive_scan_workspace_bytes<policy>(from, out.data(), n, op, row{}));
      ASSERT_EQ(
          exclusive_scan<policy>(workspace{memory.data(), memory.size()}, from, out.data(), n, op, row{}, sim_stream{}),
          status::success)
          << sim_diagnostic();
      const std::vector<row> result = out.items();
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), result.size() * sizeof(row)), 0);
    }
  }
}

TEST(pipelined_scan, of_items_that_make_no_vectors) {
  const auto without_identity = [](const auto& a, const auto& b) { return detail::row_op<plus>{}(a, b); };
  scans_rows<std::uint32_t, 3>(detail::row_op<plus>{});
  scans_rows<std::uint32_t, 3>(without_identity);
  scans_rows<std::uint32_t, 4>(detail::row_op<plus>{});
  scans_rows<std::uint64_t, 2>(without_identity);
  scans_rows<double, 2>(detail::row_op<plus>{});
  scans_rows<std::uint16_t, 3>(without_identity);
  scans_rows<std::uint8_t, 9>(detail::row_op<plus>{});
}

/// Three bytes.
struct rgb {
  std::uint8_t r, g, b;
  friend bool operator==(const rgb&, const rgb&) = default;
};
struct add_channels {
  rgb operator()(const rgb& x, const rgb& y) const {
    return {static_cast<std::uint8_t>(x.r + y.r), static_cast<std::uint8_t>(x.g + y.g),
            static_cast<std::uint8_t>(x.b + y.b)};
  }
};

TEST(pipelined_scan, is_not_taken_for_a_standstill_while_it_shuffles) {
  using policy = decoupled_lookback_pipelined<256, 32>;
  constexpr std::size_t n = 10752;
  std::vector<rgb> items(n), expected(n);
  rgb sum{1, 2, 3};
  for (std::size_t i = 0; i < n; ++i) {
    items[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i / 7), static_cast<std::uint8_t>(i * i)};
    expected[i] = sum;
    sum = add_channels{}(sum, items[i]);
  }
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  const guarded_array<rgb, sim_stream> in(device, items);
  guarded_array<rgb, sim_stream> out(device, n);
  const rgb* const from = in.data();
  const auto count = static_cast<std::int64_t>(n);
  const rgb init = expected[0];
  const guarded_array<unsigned char, sim_stream> memory(
      device, exclusive_scan_workspace_bytes<policy>(from, out.data(), count, add_channels{}, init));
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    sim_options options;
    options.order = sim_order::random;
    options.os_threads = 1;
    options.seed = seed;
    EXPECT_EQ(exclusive_scan<policy>(workspace{memory.data(), memory.size()}, from, out.data(), count, add_channels{},
                                     init, sim_stream{&options}),
              status::success)
        << sim_diagnostic();
    EXPECT_EQ(out.items(), expected) << seed;
  }
}

}  // namespace
}  // namespace upsweep::test
