#include <string>
#include <type_traits>

#include "scan/gpu_fixture.cuh"

namespace upsweep::test {
namespace {

class scan_of_many_items : public gpu_test {
 protected:
  template <class Policy>
  void check(std::int64_t n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const auto count = static_cast<std::size_t>(n);
    const std::size_t work_bytes = inclusive_sum_workspace_bytes<Policy>(static_cast<std::uint8_t*>(nullptr),
                                                                         static_cast<std::uint8_t*>(nullptr), n);
    const device_array<std::uint8_t> in(count), out(count), work(work_bytes);
    const device_array<unsigned long long> wrong(1);
    if (!in.ok() || !out.ok() || !work.ok() || !wrong.ok()) GTEST_SKIP() << "this GPU has too little memory";

    ASSERT_EQ(scramble<std::uint8_t>(nullptr, in.data(), n, 1), status::success);
    ASSERT_EQ(cudaMemset(out.data(), 0, count), cudaSuccess);
    if (work_bytes > 0) {
      ASSERT_EQ(cudaMemset(work.data(), 0xff, work_bytes), cudaSuccess);
    }
    ASSERT_EQ(cudaMemset(wrong.data(), 0, sizeof(unsigned long long)), cudaSuccess);
    ASSERT_EQ(inclusive_sum<Policy>({work.data(), work_bytes}, in.data(), out.data(), n), cudaSuccess);
    ASSERT_EQ(check_sums(nullptr, in.data(), out.data(), n, wrong.data()), status::success);
    expect_none(wrong);
  }

  /// An exclusive scan of `n` items, which a count in device memory tells, with init and total, from an odd address and
  /// to another. There is room for a few more items.
  template <class Policy>
  void check_arguments(std::int64_t n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const std::int64_t bound = n + 1000;
    const device_array<std::uint8_t> in(static_cast<std::size_t>(bound) + 1), out(static_cast<std::size_t>(bound) + 3);
    const device_array<std::uint8_t> init(1), total(1);
    const device_array<std::int64_t> count(1);
    const device_array<unsigned long long> wrong(1);
    std::uint8_t* const from = in.data() + 1;
    std::uint8_t* const to = out.data() + 3;
    const device_count items{count.data(), bound};
    const device_value first{init.data()};
    const device_array<unsigned char> work(exclusive_scan_workspace_bytes<Policy>(from, to, items, plus{}, first));
    if (!in.ok() || !out.ok() || !work.ok()) GTEST_SKIP() << "this GPU has too little memory";

    ASSERT_EQ(scramble<std::uint8_t>(nullptr, from, bound, 1), status::success);
    ASSERT_EQ(cudaMemset(out.data(), 0xff, out.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(work.data(), 0xff, work.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(init.data(), 0x55, init.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(count.data(), &n, sizeof n, cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(
        exclusive_scan_with_total<Policy>({work.data(), work.bytes()}, from, to, total.data(), items, plus{}, first),
        cudaSuccess);
    ASSERT_EQ(check_exclusive(nullptr, from, to, bound, count.data(), init.data(), total.data(), wrong.data()),
              status::success);
    expect_none(wrong);
  }

 private:
  static void expect_none(const device_array<unsigned long long>& wrong) {
    unsigned long long count_wrong = 1;
    ASSERT_EQ(cudaMemcpy(&count_wrong, wrong.data(), sizeof count_wrong, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(count_wrong, 0u);
  }
};

constexpr std::int64_t two_31 = std::int64_t{1} << 31;
constexpr std::int64_t two_32 = std::int64_t{1} << 32;

TEST_F(scan_of_many_items, is_right_around_2_to_the_31_by_decoupled_lookback) {
  using policy = decoupled_lookback<warp_scans<256>, 16>;
  for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1}) check<policy>(n);
}

TEST_F(scan_of_many_items, is_right_around_2_to_the_31_by_the_default_scan) {
  for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1}) check<default_scan>(n);
}

TEST_F(scan_of_many_items, is_right_around_2_to_the_31_by_the_reproducible_scan) {
  for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1}) check<reproducible>(n);
}

TEST_F(scan_of_many_items, is_right_around_2_to_the_31_by_chained_scan) {
  using policy = chained_scan<warp_scans<256>, 16>;
  for (const std::int64_t n : {two_31 - 1, two_31, two_31 + 1}) check<policy>(n);
}

TEST_F(scan_of_many_items, is_right_around_2_to_the_31_in_several_passes) {
  for (const std::int64_t n : {two_31 - 1, two_31 + 1}) {
    check<scan_then_propagate<warp_scans<256>, 16>>(n);
    check<reduce_then_scan<warp_scans<256>, 16>>(n);
    check<hillis_steele<>>(n);
    check<blelloch_sweeps<>>(n);
  }
}

/// 2^32 items, a tile and one more. The default's tile is that of the policy which it picks for so many bytes.
template <class Policy>
std::int64_t beyond_2_to_the_32() {
  if constexpr (std::is_same_v<Policy, default_scan>) {
    return default_scan::pick<std::uint8_t>(two_32, true,
                                            []<class Picked>(Picked) { return beyond_2_to_the_32<Picked>(); });
  } else {
    return two_32 + Policy::template tile_items<std::uint8_t> + 1;
  }
}

// Not by direct_lookback: t of its tiles read t^2 / 2 sums, and the default takes it for 32 MiB at most.
TEST_F(scan_of_many_items, is_right_beyond_2_to_the_32) {
  const auto check_by = [this]<class Policy>(Policy) { check<Policy>(beyond_2_to_the_32<Policy>()); };
  check_by(default_scan{});
  check_by(decoupled_lookback_pipelined<256, 32>{});
  check_by(reproducible{});
  check_by(decoupled_lookback<warp_scans<256>, 16>{});
  check_by(chained_scan<warp_scans<256>, 16>{});
  check_by(scan_then_propagate<warp_scans<256>, 16>{});
  check_by(reduce_then_scan<warp_scans<256>, 16>{});
}

TEST_F(scan_of_many_items, is_right_beyond_2_to_the_32_by_a_count_in_memory_with_a_total_at_any_address) {
  check_arguments<default_scan>(beyond_2_to_the_32<default_scan>());
  using policy = decoupled_lookback<warp_scans<256>, 16>;
  check_arguments<policy>(beyond_2_to_the_32<policy>());
}

TEST_F(scan_of_many_items, is_right_beyond_2_to_the_32_by_strategies_for_few_items) {
  const auto check_by = [this]<class Policy>(Policy) { check<Policy>(beyond_2_to_the_32<Policy>()); };
  check_by(single_block<warp_scans<1024>, 16>{});
  if (cuda_executor::has_clusters()) check_by(cluster<warp_scans<1024>, 16>{});
}

TEST_F(scan_of_many_items, is_right_at_the_limit_of_the_quadratic_scan) {
  check<naive_quadratic<>>(naive_quadratic<>::max_items);
}

}  // namespace
}  // namespace upsweep::test
