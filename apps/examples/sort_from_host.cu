// Sorts pairs in host memory through device memory that has no room for them: chunks go to the device and come back as
// sorted runs, then buckets of all runs do the same. The sort is stable, and the input stays as it was.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "example.cuh"
#include "upsweep/sort/sort_from_host.cuh"

// Called by the thread that called the sort, whenever a chunk has arrived on the device.
void show(void*, std::uint64_t done, std::uint64_t total) {
  std::printf("%3d %%\n", static_cast<int>(100 * done / total));
}

int main() {
  if (!has_gpu()) return 0;
  constexpr std::int64_t n = 30'000;
  std::vector<std::uint32_t> keys(n), ids(n), sorted(n), sorted_ids(n), right(n);
  for (std::uint32_t i = 0; i < n; ++i) keys[i] = i * 2654435761u >> 20;  // some of them are equal
  std::iota(ids.begin(), ids.end(), 0u);
  std::iota(right.begin(), right.end(), 0u);
  std::stable_sort(right.begin(), right.end(), [&](auto a, auto b) { return keys[a] > keys[b]; });

  // `all` bytes need one trip and no scratch; `least` is the minimum. An eighth of `all` makes two trips.
  constexpr auto order = upsweep::sort_order::descending;
  const auto least =
      upsweep::sort_pairs_from_host_least_bytes(keys.data(), sorted.data(), ids.data(), sorted_ids.data(), n, order);
  const auto all = upsweep::sort_pairs_from_host_workspace_bytes(keys.data(), sorted.data(), ids.data(),
                                                                 sorted_ids.data(), n, order);
  const std::size_t bytes = std::max(all / 8, least);
  std::byte* const device_memory = zeros<std::byte>(static_cast<std::int64_t>(bytes));
  std::vector<std::byte> scratch(
      upsweep::sort_pairs_from_host_scratch_bytes(keys.data(), sorted.data(), ids.data(), sorted_ids.data(), n));
  upsweep::from_host_options options;
  options.progress = show;

  // The result is in host memory when the call returns.
  check(upsweep::sort_pairs_from_host({device_memory, bytes}, {scratch.data(), scratch.size()}, keys.data(),
                                      sorted.data(), ids.data(), sorted_ids.data(), n, order, {}, options,
                                      new_stream()));

  expect(sorted_ids == right, "the order of the pairs");
  for (std::int64_t i = 0; i < n; ++i) expect(sorted[i] == keys[right[i]], "a sorted key");

  // The shortest call, for keys that need not stay as they were: they are the scratch.
  check(upsweep::sort_keys_from_host({device_memory, bytes}, upsweep::input_as_scratch, keys.data(), sorted.data(), n));
  expect(std::is_sorted(sorted.begin(), sorted.end()), "the order of the keys");
  std::printf("%lld pairs, sorted in %zu bytes of device memory instead of %zu\n", static_cast<long long>(n), bytes,
              all);
}
