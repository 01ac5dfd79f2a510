#include "upsweep/simt/workspace.hpp"
#include "support/internals.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "upsweep/scan/runtime.hpp"

namespace upsweep::test {
namespace {

struct wide {
  alignas(16) unsigned char bytes[48];
};

TEST(workspace_layout, lays_aligned_arrays_one_after_the_other_in_no_more_than_its_bytes) {
  workspace_layout layout;
  const auto a = layout.add<char>(3);
  const auto b = layout.add<wide>(11);
  const auto none = layout.add<double>(0);
  const auto c = layout.add<std::uint32_t>(100);
  std::vector<unsigned char> memory(layout.bytes() + 600);
  for (std::size_t offset = 0; offset < 513; offset += offset < 260 ? 1 : 63) {
    const workspace w{memory.data() + offset, layout.bytes()};
    ASSERT_TRUE(layout.fits(w));
    auto* const pa = reinterpret_cast<unsigned char*>(layout.at(w, a));
    auto* const pb = reinterpret_cast<unsigned char*>(layout.at(w, b));
    auto* const pc = reinterpret_cast<unsigned char*>(layout.at(w, c));
    for (const auto* p : {pa, pb, pc}) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % workspace_layout::alignment, 0u);
    }
    EXPECT_GE(pa, static_cast<unsigned char*>(w.data));
    EXPECT_GE(pb, pa + a.bytes());
    EXPECT_GE(pc, pb + b.bytes());
    EXPECT_LE(pc + c.bytes(), static_cast<unsigned char*>(w.data) + w.bytes);
    EXPECT_EQ(none.bytes(), 0u);
  }
}

TEST(workspace_layout, needs_nothing_for_no_arrays) {
  const workspace_layout layout;
  EXPECT_EQ(layout.bytes(), 0u);
  EXPECT_TRUE(layout.fits({}));
}

TEST(workspace_layout, does_not_fit_null_or_one_byte_less) {
  workspace_layout layout;
  layout.add<std::uint64_t>(5);
  std::vector<unsigned char> memory(layout.bytes());
  EXPECT_TRUE(layout.fits({memory.data(), layout.bytes()}));
  EXPECT_FALSE(layout.fits({memory.data(), layout.bytes() - 1}));
  EXPECT_FALSE(layout.fits({nullptr, layout.bytes()}));
}

TEST(workspace_layout, leaves_a_rest_that_holds_the_next_layout_wherever_the_first_starts) {
  workspace_layout first, second;
  const auto a = first.add<std::uint32_t>(77);
  const auto b = second.add<wide>(9);
  const std::size_t bytes = first.bytes() + second.bytes();
  std::vector<unsigned char> memory(bytes + 300);
  for (std::size_t offset = 0; offset < 300; ++offset) {
    const workspace w{memory.data() + offset, bytes};
    const workspace rest = first.rest(w);
    ASSERT_TRUE(second.fits(rest)) << offset;
    EXPECT_GE(reinterpret_cast<unsigned char*>(second.at(rest, b)),
              reinterpret_cast<unsigned char*>(first.at(w, a)) + a.bytes());
    EXPECT_LE(reinterpret_cast<unsigned char*>(second.at(rest, b)) + b.bytes(), memory.data() + offset + bytes);
  }
}

TEST(workspace_layout, has_no_rest_where_the_workspace_ends) {
  workspace_layout layout;
  layout.add<char>(256);
  std::vector<unsigned char> memory(layout.bytes() + 1);
  EXPECT_EQ(layout.rest({memory.data() + 1, 200}).bytes, 0u);
}

TEST(scan_workspace_bytes, never_shrinks_as_n_grows) {
  for (const scan_variant& v : runtime::scan_variants()) {
    for (const scalar_type type : runtime::scan_types()) {
      std::size_t last = 0;
      const auto grows = [&](std::int64_t n) {
        const std::size_t bytes = runtime::scan_workspace_bytes(n, type, v);
        EXPECT_GE(bytes, last) << n;
        last = bytes;
      };
      for (std::int64_t n = -2; n < 9000; ++n) grows(n);
      for (std::int64_t n = 9000; n < std::int64_t{1} << 40; n += n / 7) grows(n);
    }
  }
}

TEST(scan_workspace_bytes, is_0_for_no_items_and_small_beside_the_items) {
  for (const scan_variant& v : runtime::scan_variants()) {
    EXPECT_EQ(runtime::scan_workspace_bytes(0, scalar_type::u32, v), 0u);
    EXPECT_EQ(runtime::scan_workspace_bytes(-5, scalar_type::u32, v), 0u);
    // Without tiles, copies of all items are kept.
    if (!has_tiles(v.strategy)) continue;
    EXPECT_LT(runtime::scan_workspace_bytes(1 << 26, scalar_type::u32, v), std::size_t{1} << 23);
  }
}

}  // namespace
}  // namespace upsweep::test
