// Two sorted arrays become one, stably, and many values are looked up in it.
#include <algorithm>

#include "example.cuh"
#include "upsweep/sort/merge.cuh"

int main() {
  if (!has_gpu()) return 0;
  std::vector<int> old_times, new_times, needles;
  for (int i = 0; i < 3000; ++i) old_times.push_back(i * 3);
  for (int i = 0; i < 2000; ++i) new_times.push_back(i * 5);
  for (int i = 0; i < 500; ++i) needles.push_back(i * 7919 % 12'000);
  const int n_old = static_cast<int>(old_times.size()), n_new = static_cast<int>(new_times.size());
  const int n = n_old + n_new, m = static_cast<int>(needles.size());
  std::vector<int> right(n);
  std::merge(old_times.begin(), old_times.end(), new_times.begin(), new_times.end(), right.begin());

  const auto stream = new_stream();
  int *const a = on_device(old_times), *const b = on_device(new_times), *const all = zeros<int>(n);
  int *const looked_up = on_device(needles), *const first = zeros<int>(m), *const behind = zeros<int>(m);
  check(upsweep::merge_keys(upsweep::stream_pool{}, a, b, all, n_old, n_new, upsweep::less{}, stream));
  check(upsweep::lower_bound(all, looked_up, first, n, m, upsweep::less{}, stream));
  check(upsweep::upper_bound(all, looked_up, behind, n, m, upsweep::less{}, stream));
  wait(stream);

  expect(on_host(all, n) == right, "the merged times");
  const auto begin = on_host(first, m), end = on_host(behind, m);
  int found = 0;
  for (int i = 0; i < m; ++i) {
    const auto equal = std::equal_range(right.begin(), right.end(), needles[i]);
    expect(begin[i] == equal.first - right.begin() && end[i] == equal.second - right.begin(), "where a needle is");
    found += end[i] - begin[i];
  }
  std::printf("%d needles are found %d times among %d\n", m, found, n);
}
