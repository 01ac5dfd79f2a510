// Runs of equal neighbours: their lengths and back again, sums of each run, and each distinct item once with the
// number of its run.
#include "example.cuh"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/compact/run_length.cuh"
#include "upsweep/compact/unique.cuh"

int main() {
  if (!has_gpu()) return 0;
  std::vector<int> cell, mass, run_of, sums, lengths_wanted;
  for (int i = 0; i < 5000; ++i) {
    const bool begins = i == 0 || i * 7919 % 11 == 0;
    if (begins) sums.push_back(0), lengths_wanted.push_back(0);
    cell.push_back(static_cast<int>(sums.size()) * 10);
    mass.push_back(1 + i % 5);
    run_of.push_back(static_cast<int>(sums.size()) - 1);
    sums.back() += mass.back(), ++lengths_wanted.back();
  }
  const int n = static_cast<int>(cell.size()), runs = static_cast<int>(sums.size());
  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  int *const cells = on_device(cell), *const masses = on_device(mass);
  int *const distinct = zeros<int>(n), *const lengths = zeros<int>(n), *const totals = zeros<int>(n);
  int *const again = zeros<int>(n), *const inverse = zeros<int>(n), *const count = zeros<int>(1);
  std::int64_t* const written = zeros<std::int64_t>(1);

  check(upsweep::run_length_encode(pool, cells, distinct, lengths, count, n, upsweep::equal_to{}, stream));
  // How many runs there are is known to the device: the next call takes it from there.
  check(upsweep::run_length_decode(pool, distinct, lengths, again, written, upsweep::device_count{count, n}, stream));
  wait(stream);
  expect(on_host(count, 1)[0] == runs && on_host(lengths, runs) == lengths_wanted, "the lengths of the runs");
  expect(on_host(written, 1)[0] == n && on_host(again, n) == cell, "the items, from the lengths");

  check(upsweep::reduce_by_key(pool, cells, distinct, masses, totals, count, n, upsweep::plus{}, upsweep::equal_to{},
                               stream));
  wait(stream);
  expect(on_host(totals, runs) == sums, "the sums of the runs");

  upsweep::unique_results results(count);
  results.inverse = inverse;
  check(upsweep::unique(pool, cells, distinct, results, n, upsweep::equal_to{}, stream));
  wait(stream);
  expect(on_host(inverse, n) == run_of, "the number of each item's run");
  std::printf("%d items in %d runs\n", n, runs);
}
