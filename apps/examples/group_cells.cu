// Particles by the cell of a grid: how many each cell has, the particles in the order of their cells, and where each
// cell begins. Those outside of the grid belong to no cell.
#include <algorithm>

#include "example.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/histogram.cuh"
#include "upsweep/compact/split.cuh"

constexpr int n = 20'000, cells = 64, sides = 2;

struct cell_of {
  UPSWEEP_HOST_DEVICE int operator()(float x) const { return x < 0 ? -1 : static_cast<int>(x); }
};
struct side_of {
  UPSWEEP_HOST_DEVICE int operator()(float x) const { return x < cells / 2 ? 0 : 1; }
};

int main() {
  if (!has_gpu()) return 0;
  std::vector<float> position(n);
  std::vector<std::vector<unsigned>> members(cells);
  for (int i = 0; i < n; ++i) {
    position[i] = static_cast<float>(i * 7919 % (cells * 100 + 50)) / 100 - .5f;
    const int cell = cell_of{}(position[i]);
    if (cell >= 0) members[cell].push_back(i);
  }
  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  float *const x = on_device(position), *const by_side = zeros<float>(n);
  unsigned *const order = zeros<unsigned>(n), *const counts = zeros<unsigned>(cells);
  std::int64_t *const offsets = zeros<std::int64_t>(cells + 1), *const sides_begin = zeros<std::int64_t>(sides + 1);

  check(upsweep::histogram(x, counts, n, cells, cell_of{}, stream));
  check(upsweep::group_by(pool, x, order, offsets, n, cells, cell_of{}, stream));
  check(upsweep::split(pool, x, by_side, sides_begin, n, sides, side_of{}, stream));
  wait(stream);

  const auto found = on_host(order, n), many = on_host(counts, cells);
  const auto begins = on_host(offsets, cells + 1), halves = on_host(sides_begin, sides + 1);
  for (int c = 0; c < cells; ++c) {
    expect(many[c] == members[c].size() && begins[c + 1] - begins[c] == static_cast<std::int64_t>(many[c]),
           "how many are in a cell");
    expect(std::equal(members[c].begin(), members[c].end(), found.begin() + begins[c]), "the order of a cell");
  }
  const auto moved = on_host(by_side, n);
  for (int i = 0; i < n; ++i) expect((i < halves[1]) == (side_of{}(moved[i]) == 0), "the sides");
  std::printf("%lld of %d particles lie in %d cells\n", static_cast<long long>(begins[cells]), n, cells);
}
