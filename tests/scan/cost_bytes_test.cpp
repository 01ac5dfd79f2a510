// The bytes that policies say they move, against those that the race checker sees kernels read and write. States and
// sums of tiles, which lie in the workspace, are left out of both.
#include <gtest/gtest.h>

#include <cstdint>

#include "scan/cost_policies.hpp"
#include "sim/race/race_checker.hpp"
#include "support/guarded_array.hpp"

namespace upsweep::test {
namespace {

template <class Policy, class Items>
void expect_bytes(test_device<sim_stream>& device, std::int64_t n) {
  using T = typename Items::item;
  const auto count = static_cast<std::size_t>(n);
  const guarded_array<T, sim_stream> in(device, Items::items(count)), out(device, count);
  const guarded_array<unsigned char, sim_stream> work(device, Policy::template workspace_bytes<T, const T*, T*>(n));
  auto ex = device.executor();
  ASSERT_EQ((Policy::template run<scan_kind::exclusive, T>(ex, {work.data(), work.size()},
                                                           static_cast<const T*>(in.data()), out.data(), n,
                                                           typename Items::op_type{}, carry<T>{Items::init(), true})),
            status::success)
      << device.message();
  auto moved = race::the_checker().traffic_of(in.data()) + race::the_checker().traffic_of(out.data());
  if (!has_tiles(Policy::variant.strategy)) moved += race::the_checker().traffic_of(work.data());  // copies of items
  EXPECT_EQ(Policy::template cost<T>(n).bytes, static_cast<double>(moved)) << "n = " << n;
}

TEST(scan_cost, counts_every_byte_of_items_that_kernels_read_and_write) {
  test_device<sim_stream> device(test_device<sim_stream>::ways().front());
  for_each_launching_policy([&](auto policy) {
    using policy_type = decltype(policy);
    SCOPED_TRACE(upsweep::name_of(policy_type::variant.strategy));
    for (const std::int64_t n : sizes_around_tiles<policy_type, std::uint32_t>()) {
      if (n < 20000) expect_bytes<policy_type, sum_of<std::uint32_t>>(device, n);
      if (n < 5000) expect_bytes<policy_type, affine_maps>(device, n);
    }
  });
}

}  // namespace
}  // namespace upsweep::test
