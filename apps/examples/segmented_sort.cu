// The rows of a sparse matrix, each sorted by column, as one CUDA graph: how long the rows are, and so where they
// begin, is known to the GPU alone. Most rows are short, and one is long.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "example.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/segmented_sort.cuh"

constexpr int rows = on_the_sim ? 2'000 : 100'000, longest = 2 * rows, most_entries = 20 * rows, replays = 3;

UPSWEEP_HOST_DEVICE unsigned random_of(unsigned step, unsigned i) {
  return ((step << 22 | i) * 2654435761u ^ i) * 2246822519u >> 8;
}
UPSWEEP_HOST_DEVICE int length_of(unsigned step, int row) {
  return row == rows / 2 ? longest : static_cast<int>(random_of(step, row) % 32);
}
struct choose_lengths {
  const unsigned* step;
  int* lengths;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t row) const {
    lengths[row] = row < rows ? length_of(*step, static_cast<int>(row)) : 0;
  }
};
struct fill_entries {
  const unsigned* step;
  unsigned* columns;
  float* values;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    columns[i] = random_of(*step, static_cast<unsigned>(i)) % 5000;
    values[i] = static_cast<float>(i);
  }
};
struct count_up {
  unsigned* step;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t) const { ++*step; }
};

int main() {
  if (!has_gpu()) return 0;
  unsigned *const step = zeros<unsigned>(1), *const columns = zeros<unsigned>(most_entries),
                  *const sorted = zeros<unsigned>(most_entries);
  float *const values = zeros<float>(most_entries), *const of_sorted = zeros<float>(most_entries);
  int *const lengths = zeros<int>(rows + 1), *const offsets = zeros<int>(rows + 1);
  const upsweep::device_count entries{offsets + rows, most_entries};  // where the last row ends
  const upsweep::stream_pool pool;                                    // workspaces come from the graph's own memory

  const auto stream = new_stream();
  const auto sorting = captured(stream, [&] {
    for_each(rows + 1, choose_lengths{step, lengths}, stream);
    check(upsweep::exclusive_sum(pool, lengths, offsets, rows + 1, stream));
    for_each(most_entries, fill_entries{step, columns, values}, stream);
    check(upsweep::segmented_sort_pairs(pool, columns, sorted, values, of_sorted, offsets, offsets + 1, entries, rows,
                                        upsweep::sort_order::ascending, {}, stream));
    for_each(1, count_up{step}, stream);
  });
  for (unsigned replay = 0; replay < replays; ++replay) {
    launch(sorting, stream);
    wait(stream);
    const auto column = on_host(sorted, most_entries);
    const auto value = on_host(of_sorted, most_entries);
    int at = 0;
    for (int row = 0; row < rows; ++row) {
      std::vector<std::pair<unsigned, float>> right(length_of(replay, row));
      for (int i = 0; auto& [c, v] : right) c = random_of(replay, at + i) % 5000, v = static_cast<float>(at + i++);
      std::sort(right.begin(), right.end());  // values rise, so this is the order of a stable sort
      for (const auto& [c, v] : right) {
        if (column[at] != c || value[at++] != v) return std::puts("a row is not sorted"), 1;
      }
    }
    std::printf("%d entries in %d rows, one of which has %d\n", at, rows, longest);
  }
}
