// Tile states as the host reads them from a copy of the workspace.
#include "upsweep/scan/flow/tile_state.cuh"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "support/operators.hpp"
#include "upsweep/simt/executor.hpp"

namespace upsweep::test {
namespace {

/// Tile 0 stays silent, tile 1 publishes its partial sum, tile 2 both.
template <class T>
struct publish_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, tile_states<T> tiles, T one, T two) const {
    if (block.thread_rank() != 0) return;
    for (const int tile : {1, 2}) tiles.publish(block, tile, tile_status::partial, one);
    tiles.publish(block, 2, tile_status::inclusive, two);
  }
};

template <class T>
void expect_readable(T one, T two) {
  workspace_layout layout;
  layout.add<char>(1000);
  const auto slots = tile_states<T>::add_to(layout, 3);
  std::vector<std::byte> memory(layout.bytes());
  const workspace w{memory.data(), memory.size()};
  sim_executor ex;
  ASSERT_EQ(ex.launch(1, publish_kernel<T>{}, tile_states<T>(layout, w, slots), one, two), status::success)
      << sim_diagnostic();
  const auto* const aligned = reinterpret_cast<std::byte*>(layout.at(w, workspace_layout::slot<char>{0, 0}));
  std::vector<std::byte> copy(1);  // nothing in it is aligned
  copy.insert(copy.end(), aligned, static_cast<const std::byte*>(memory.data() + memory.size()));
  const auto read = [&](int tile) { return tile_states<T>::read_copy(copy.data() + 1, slots, tile); };
  EXPECT_EQ(read(0).status, tile_status::invalid);
  EXPECT_EQ(read(1).status, tile_status::partial);
  EXPECT_EQ(read(1).value, one);
  EXPECT_EQ(read(2).status, tile_status::inclusive);
  EXPECT_EQ(read(2).value, two);
}

TEST(tile_states, can_be_read_from_a_copy_whether_or_not_value_and_status_share_a_word) {
  static_assert(fits_tile_word<double> && !fits_tile_word<affine>);
  expect_readable<std::uint32_t>(5, 6);
  expect_readable<double>(0.25, -3);
  expect_readable<affine>({1, 2}, {3, 4});
}

}  // namespace
}  // namespace upsweep::test
