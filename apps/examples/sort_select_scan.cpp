// Sorts keys, selects some of them and sums those on the sim: plain C++, plain memory, no GPU and no nvcc.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

struct is_even {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t key) const { return key % 2 == 0; }
};

void check(upsweep::status s) {
  if (s != upsweep::status::success) std::puts(upsweep::status_text(s)), std::exit(1);
}

int main() {
  const std::vector<std::uint32_t> keys = {9, 4, 7, 2, 8, 1, 6};
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<std::uint32_t> sorted(keys.size()), even(keys.size()), sums(keys.size());
  int count = 0;
  const upsweep::sim_stream stream;  // its calls are done when they return
  const upsweep::stream_pool pool;   // where workspaces come from

  check(upsweep::sort_keys(pool, keys.data(), sorted.data(), n, upsweep::sort_order::ascending, {}, stream));
  check(upsweep::select_if(pool, sorted.data(), even.data(), &count, n, is_even{}, stream));
  check(upsweep::inclusive_sum(pool, even.data(), sums.data(), count, stream));
  for (int i = 0; i < count; ++i) std::printf("%u %u\n", even[i], sums[i]);  // 2 2, 4 6, 6 12, 8 20
}
