#include "sort/sort_policies.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace upsweep::test {
namespace {

const bool added = add_sort_contracts_of_onesweep<sim_stream>();

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

}  // namespace
}  // namespace upsweep::test
