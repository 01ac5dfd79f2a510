// Sums within runs of equal keys and within segments, with their ends; none runs over into the next.
#include "example.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

int main() {
  if (!has_gpu()) return 0;
  std::vector<int> cell, mass, so_far, lengths{3, 0, 1, 4000, 0, 7, 989};
  for (int c = 0; c < static_cast<int>(lengths.size()); ++c) {
    for (int i = 0, sum = 0; i < lengths[c]; ++i) {
      cell.push_back(c);
      mass.push_back(1 + static_cast<int>(mass.size()) % 9);
      so_far.push_back(sum += mass.back());
    }
  }
  const int n = static_cast<int>(mass.size()), segments = static_cast<int>(lengths.size());
  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  int *const cells = on_device(cell), *const masses = on_device(mass), *const sums = zeros<int>(n);
  int *const sizes = on_device(lengths), *const highest = zeros<int>(n);
  std::int64_t* const offsets = zeros<std::int64_t>(segments + 1);

  // Where each segment begins, and then the end of the last one.
  check(upsweep::exclusive_scan_with_total(pool, sizes, offsets, offsets + segments, segments, upsweep::plus{},
                                           std::int64_t{0}, stream));
  check(upsweep::inclusive_sum_segmented(pool, masses, offsets, sums, n, segments, stream));
  wait(stream);
  expect(on_host(offsets, segments + 1).back() == n, "the offsets");
  expect(on_host(sums, n) == so_far, "the sums of the segments");

  // The same by key, and with another operator.
  check(upsweep::inclusive_sum_by_key(pool, cells, masses, sums, n, upsweep::equal_to{}, stream));
  check(
      upsweep::inclusive_scan_by_key(pool, cells, masses, highest, n, upsweep::maximum{}, upsweep::equal_to{}, stream));
  wait(stream);
  expect(on_host(sums, n) == so_far, "the sums by key");
  const auto most = on_host(highest, n);
  for (int i = 1; i < n; ++i) {
    const bool begins = cell[i] != cell[i - 1];
    expect(most[i] == (begins || most[i - 1] < mass[i] ? mass[i] : most[i - 1]), "the highest so far");
  }
  std::printf("%d items in %d segments\n", n, segments);
}
