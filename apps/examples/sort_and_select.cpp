// Sorts keys and selects some of them on the sim: plain C++, plain memory, no GPU and no nvcc.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/sort/radix_sort.cuh"

struct is_even {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t key) const { return key % 2 == 0; }
};

int main() {
  const std::vector<std::uint32_t> keys = {9, 4, 7, 2, 8, 1, 6};
  const auto n = static_cast<std::int64_t>(keys.size());
  std::vector<std::uint32_t> sorted(keys.size()), even(keys.size());
  int count = 0;
  const upsweep::sim_stream stream;  // its calls are done when they return
  const upsweep::stream_pool pool;   // where workspaces come from

  upsweep::status s =
      upsweep::sort_keys(pool, keys.data(), sorted.data(), n, upsweep::sort_order::ascending, {}, stream);
  if (s == upsweep::status::success) {
    s = upsweep::select_if(pool, sorted.data(), even.data(), &count, n, is_even{}, stream);
  }
  if (s != upsweep::status::success) return std::puts(upsweep::status_text(s)), 1;
  for (int i = 0; i < count; ++i) std::printf("%u\n", even[i]);  // 2, 4, 6, 8
}
