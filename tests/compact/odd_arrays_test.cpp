// Arrays and iterators that are not plain give what plain ones give.
#include "compile/odd_arrays.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace upsweep::test {
namespace {

TEST(odd_arrays, of_volatile_items_are_scanned) {
  constexpr int n = 5000;
  std::vector<int> in(n, 2), out(n), expected(n);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  const volatile int* const changing = in.data();
  std::vector<unsigned char> memory(inclusive_sum_workspace_bytes(changing, out.data(), n));
  const workspace w{memory.data(), memory.size()};
  ASSERT_EQ(inclusive_sum(w, changing, out.data(), n, sim_stream{}), status::success);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(inclusive_sum(w, changing, in.data() + 1, n - 1, sim_stream{}), status::invalid_value) << "an overlap";
}

TEST(select_flagged, takes_flags_behind_any_iterator) {
  constexpr int n = 3000;
  std::vector<int> in(n), out(n);
  std::iota(in.begin(), in.end(), 0);
  std::vector<unsigned char> bits(n / 8 + 1, 0x24), memory(1 << 20);
  const workspace w{memory.data(), memory.size()};
  std::int64_t count = 0;
  const auto expect_kept = [&](auto keeps) {
    std::size_t k = 0;
    bool same = true;
    for (const int i : in) {
      if (keeps(i)) same = same && out[k++] == i;
    }
    EXPECT_EQ(count, static_cast<std::int64_t>(k));
    EXPECT_TRUE(same);
  };
  ASSERT_EQ(select_flagged(w, in.data(), calls::bit_flags{bits.data()}, out.data(), &count, n, sim_stream{}),
            status::success);
  expect_kept([](int i) { return i % 8 == 2 || i % 8 == 5; });
  ASSERT_EQ(select_flagged(w, in.data(), calls::every_third{}, out.data(), &count, n, sim_stream{}), status::success);
  expect_kept([](int i) { return i % 3 == 0; });
  std::vector<bool> flags(n);
  for (int i = 0; i < n; ++i) flags[static_cast<std::size_t>(i)] = i % 7 == 1;
  ASSERT_EQ(select_flagged(w, in.data(), flags.begin(), out.data(), &count, n, sim_stream{}), status::success);
  expect_kept([](int i) { return i % 7 == 1; });
}

struct is_second {
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i == 1; }
};

TEST(select, takes_items_wider_than_a_tile) {
  struct wide {
    unsigned char byte[40 * 1024];
  };
  std::vector<wide> in(3), out(3);
  in[1].byte[40'000] = 7;
  std::int64_t count = 0;
  std::vector<unsigned char> memory(select_workspace_bytes(in.data(), out.data(), &count, 3, by_index{is_second{}}));
  const workspace w{memory.data(), memory.size()};
  ASSERT_EQ(select(w, in.data(), out.data(), &count, 3, by_index{is_second{}}, sim_stream{}), status::success);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(out[0].byte[40'000], 7);
}

}  // namespace
}  // namespace upsweep::test
