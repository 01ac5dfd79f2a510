#include <algorithm>

#include "sort/sort_policies.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace upsweep::test {
namespace {

const bool added = add_sort_contracts_of_onesweep<sim_stream>() && [] {
  // Passes odd in number: more of the same for a GPU.
  add_onesweep_digits_contract<onesweep_with<128, 3, 7>, sim_stream>("onesweep/128x3_7_bits");
  return true;
}();

#if defined(__x86_64__)
/// While it lives, this thread's floating-point instructions take denormals for zeros, as kernels compiled by
/// --use_fast_math do.
class denormals_are_zeros {
 public:
  denormals_are_zeros() { _mm_setcsr(before_ | 0x8040); }  // DAZ and FTZ
  denormals_are_zeros(const denormals_are_zeros&) = delete;
  denormals_are_zeros& operator=(const denormals_are_zeros&) = delete;
  ~denormals_are_zeros() { _mm_setcsr(before_); }

 private:
  unsigned before_ = _mm_getcsr();
};

const bool added_denormals = [] {
  add_test<sim_stream>("onesweep/f32", "sorts_denormals_where_arithmetic_takes_them_for_zeros",
                       [](test_device<sim_stream>& d) {
                         constexpr std::size_t n = 5000;
                         random_source random(n);
                         std::vector<float> keys(n);
                         for (float& k : keys) {
                           const auto r = static_cast<std::uint32_t>(random());
                           k = std::bit_cast<float>((r & 0x80000000u) | (r % 4 == 0 ? 0u : r >> 3 & 0x7fffffu));
                         }
                         const auto places = sorted_places(keys, sort_order::ascending, key_less<float>);
                         const denormals_are_zeros now;
                         volatile float smallest = std::numeric_limits<float>::denorm_min();
                         ASSERT_TRUE(smallest == 0.0f);
                         expect_sorted<onesweep<>>(d, keys, places, sort_order::ascending);
                       });
  return true;
}();
#endif

TEST(onesweep, remembers_disorder_of_one_tile_over_the_next) {
  auto way = test_device<sim_stream>::ways().front();
  way.options.resident_blocks = 1;  // four blocks count
  const test_device<sim_stream> device(way);
  using method = onesweep_with<256, 9>;
  constexpr std::int64_t n = 6 * 8192;  // the digits of two tiles are counted by a block
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i);
  std::swap(keys[9000], keys[9001]);
  guarded_array<std::uint32_t, sim_stream> in(device, keys), out(device, n);
  const std::size_t bytes = sort_keys_workspace_bytes<method>(in.data(), out.data(), n);
  guarded_array<unsigned char, sim_stream> work(device, bytes);
  ASSERT_EQ(sort_keys<method>(workspace{work.data(), bytes}, static_cast<const std::uint32_t*>(in.data()), out.data(),
                              n, sort_order::ascending, {}, device.stream()),
            status::success)
      << device.message();
  std::ranges::sort(keys);
  EXPECT_TRUE(same_items(out.items(), keys));
}

}  // namespace
}  // namespace upsweep::test
