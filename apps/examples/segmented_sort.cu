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

constexpr int rows = 100'000, longest = 200'000, most_entries = 2'000'000, replays = 3;

__host__ __device__ unsigned random_of(unsigned step, unsigned i) {
  return ((step << 22 | i) * 2654435761u ^ i) * 2246822519u >> 8;
}
__host__ __device__ int length_of(unsigned step, int row) {
  return row == rows / 2 ? longest : static_cast<int>(random_of(step, row) % 32);
}
__global__ void choose_lengths(const unsigned* step, int* lengths) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row <= rows) lengths[row] = row < rows ? length_of(*step, row) : 0;
}
__global__ void fill_entries(unsigned* step, const int* entries, unsigned* columns, float* values) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < *entries; i += gridDim.x * blockDim.x) {
    columns[i] = random_of(*step, i) % 5000;
    values[i] = static_cast<float>(i);
  }
}
__global__ void count_up(unsigned* step) {
  ++*step;
}

int main() {
  if (!has_gpu()) return 0;
  unsigned *const step = zeros<unsigned>(1), *const columns = zeros<unsigned>(most_entries),
                  *const sorted = zeros<unsigned>(most_entries);
  float *const values = zeros<float>(most_entries), *const of_sorted = zeros<float>(most_entries);
  int *const lengths = zeros<int>(rows + 1), *const offsets = zeros<int>(rows + 1);
  const upsweep::device_count entries{offsets + rows, most_entries};  // where the last row ends
  const upsweep::stream_pool pool;                                    // workspaces come from the graph's own memory

  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  const cudaGraphExec_t sorting = captured(stream, [&] {
    choose_lengths<<<rows / 256 + 1, 256, 0, stream>>>(step, lengths);
    check(upsweep::exclusive_sum(pool, lengths, offsets, rows + 1, stream));
    fill_entries<<<256, 256, 0, stream>>>(step, offsets + rows, columns, values);
    check(upsweep::segmented_sort_pairs(pool, columns, sorted, values, of_sorted, offsets, offsets + 1, entries, rows,
                                        upsweep::sort_order::ascending, {}, stream));
    count_up<<<1, 1, 0, stream>>>(step);
  });
  for (unsigned replay = 0; replay < replays; ++replay) {
    check(cudaGraphLaunch(sorting, stream));
    check(cudaStreamSynchronize(stream));
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
