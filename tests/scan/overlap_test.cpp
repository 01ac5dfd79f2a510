// Arrays that overlap other than item by item are refused where it can be seen.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "upsweep/scan/runtime.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {
namespace {

TEST(overlapping_arrays, are_refused_and_left_alone) {
  std::vector<std::uint32_t> items(1000), work(100'000);
  std::iota(items.begin(), items.end(), 1u);
  const std::vector<std::uint32_t> before = items;
  const workspace w{work.data(), work.size() * 4};
  std::uint32_t* const p = items.data();
  EXPECT_EQ(inclusive_sum(w, p, p + 1, 999, sim_stream{}), status::invalid_value);
  EXPECT_EQ(inclusive_sum(w, p + 1, p, 999, sim_stream{}), status::invalid_value);
  EXPECT_EQ(exclusive_scan(w, reinterpret_cast<std::uint8_t*>(p), p, 1000, plus{}, 0u, sim_stream{}),
            status::invalid_value);
  EXPECT_EQ(items, before);
  EXPECT_EQ(inclusive_sum(w, p, p + 500, 500, sim_stream{}), status::success);
}

TEST(misaligned_arrays, are_refused_at_run_time) {
  std::vector<std::uint32_t> items(100), out(100), work(10'000);
  const workspace w{work.data(), work.size() * 4};
  const auto askew = [](std::vector<std::uint32_t>& v) { return reinterpret_cast<char*>(v.data()) + 1; };
  const auto sum = [&](const void* from, void* to) {
    return runtime::inclusive_sum(w, from, to, 50, scalar_type::u32, {}, {});
  };
  EXPECT_EQ(sum(askew(items), out.data()), status::invalid_value);
  EXPECT_EQ(sum(items.data(), askew(out)), status::invalid_value);
  EXPECT_EQ(sum(items.data(), out.data()), status::success);
}

TEST(wide_accumulators, shrink_their_tile_until_it_fits) {
  struct wide {
    std::uint32_t x[16];
  };
  using policy = decoupled_lookback<warp_scans<256>, 16>;
  EXPECT_EQ(policy::items<std::uint32_t>, 16);
  EXPECT_EQ(policy::items<std::uint64_t>, 16);
  EXPECT_EQ(policy::items<wide>, 2);
}

}  // namespace
}  // namespace upsweep::test
