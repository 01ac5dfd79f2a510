// Sums of floats that have the same bits in every run, on every GPU and on the sim; sums of floats in double; and the
// index of the largest item so far.
#include <cstring>

#include "example.cuh"
#include "upsweep/scan/scan.cuh"

using numbered = upsweep::indexed<float, std::int64_t>;  // an item and its index

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 30'000;
  std::vector<float> items(n);
  for (int i = 0; i < n; ++i) items[i] = 1.f / static_cast<float>(1 + i * 7919 % n);

  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  float *const in = on_device(items), *const sums = zeros<float>(n), *const again = zeros<float>(n);
  check(upsweep::inclusive_sum<upsweep::reproducible>(pool, in, sums, n, stream));
  check(upsweep::inclusive_sum<upsweep::reproducible>(pool, in, again, n, stream));
  wait(stream);
  expect(std::memcmp(on_host(sums, n).data(), on_host(again, n).data(), n * sizeof(float)) == 0, "the same bits");

  check(upsweep::inclusive_scan(pool, in, again, n, upsweep::accumulate_in<double>(upsweep::plus{}), stream));
  wait(stream);
  double right = 0;
  const auto exact = on_host(again, n);
  for (int i = 0; i < n; ++i) {
    right += items[i];
    const double off = exact[i] - right;
    expect(off < 1e-6 && off > -1e-6, "sums in double, rounded once");
  }

  // Operators need not commute. Of equal items the first one is the largest.
  std::vector<numbered> pairs(n);
  for (int i = 0; i < n; ++i) pairs[i] = {items[i], i};
  numbered* const largest = on_device(pairs);
  check(upsweep::inclusive_scan(pool, largest, largest, n, upsweep::arg_max{}, stream));
  wait(stream);
  const numbered found = on_host(largest, n).back();
  expect(found.value == 1.f && found.index == 0, "the largest item");
  std::printf("the sum is %.6f, the largest item is number %lld\n", right, static_cast<long long>(found.index));
}
