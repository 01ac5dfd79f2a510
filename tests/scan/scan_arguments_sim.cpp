#include "contracts/scan_argument_contract.hpp"
#include "support/iterators.hpp"

namespace upsweep::test {
namespace {

const bool added = add_scan_argument_contracts<sim_stream>();

/// Sums of 1, 2, 5, 10, ... as u32 from an init of bytes, and the total through `total`.
template <class Total>
void scan_squares(const test_device<sim_stream>& device, const std::uint8_t* init, Total total) {
  const squares in;
  const device_value first{init};
  constexpr int n = 100;
  guarded_array<std::uint32_t, sim_stream> out(device, n);
  guarded_array<unsigned char, sim_stream> work(device,
                                                exclusive_scan_workspace_bytes(in, out.data(), n, wide_plus{}, first));
  ASSERT_EQ(exclusive_scan_with_total({work.data(), work.size()}, in, out.data(), total, n, wide_plus{}, first,
                                      device.stream()),
            status::success)
      << device.message();
  EXPECT_EQ(out.items().back(), 200u + 98 * 99 * 197 / 6 + 99);
}

TEST(scan_arguments, may_be_of_other_types_than_the_accumulator) {
  const test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  constexpr std::uint32_t sum = 200 + 99 * 100 * 199 / 6 + 100;
  const guarded_array<std::uint8_t, sim_stream> init(device, std::vector<std::uint8_t>{200});
  guarded_array<std::uint64_t, sim_stream> wide(device, 1);
  scan_squares(device, init.data(), wide.data());
  EXPECT_EQ(wide.items()[0], sum);
  guarded_array<std::uint8_t, sim_stream> low(device, 1);
  scan_squares(device, init.data(), low_bytes{low.data()});
  EXPECT_EQ(low.items()[0], static_cast<std::uint8_t>(sum));
}

TEST(scan_arguments, need_the_workspace_of_the_bound) {
  const std::uint32_t* const in = nullptr;
  std::uint32_t* const out = nullptr;
  for (const std::int64_t n : {-1, 0, 1, 5000, 1'000'000}) {
    const device_count counted{in, n};
    EXPECT_EQ(exclusive_scan_workspace_bytes(in, out, counted, plus{}, device_value{in}),
              exclusive_scan_workspace_bytes(in, out, n, plus{}, 0u));
    EXPECT_EQ(inclusive_sum_workspace_bytes(in, out, counted), inclusive_sum_workspace_bytes(in, out, n));
  }
}

}  // namespace
}  // namespace upsweep::test
