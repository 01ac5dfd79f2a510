// The calls that README.md begins with: a scan, a selection, a sort, and a frame of particles as one CUDA graph.
#include <algorithm>

#include "example.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

struct is_near {  // a predicate of items
  UPSWEEP_HOST_DEVICE bool operator()(float depth) const { return depth < 50; }
};
struct is_alive {  // a predicate of indices: it may look at any array
  const int* life;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return life[i] > 0; }
};

struct age {
  const int* num_alive;
  int *num_aged, *life;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i == 0) *num_aged = *num_alive;
    if (i < *num_alive) --life[i];
  }
};

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 10'000, frames = 3;
  constexpr auto far_to_near = upsweep::sort_order::descending;
  std::vector<float> depths(n);
  std::vector<int> lives(n), ids(n);
  for (int i = 0; i < n; ++i) depths[i] = static_cast<float>(i * 7919 % 101), lives[i] = i * 31 % 7, ids[i] = i;
  float *const depth = on_device(depths), *const near = zeros<float>(n), *const sorted_depth = zeros<float>(n);
  int *const life = on_device(lives), *const id = on_device(ids), *const sorted_id = zeros<int>(n);
  int *const offset = zeros<int>(n), *const num_near = zeros<int>(1);
  int *const num_alive = on_device(std::vector{n}), *const num_aged = zeros<int>(1);
  const auto stream = new_stream();

  const upsweep::stream_pool pool;  // workspaces come from the stream's memory pool; or pass {memory, bytes}
  check(upsweep::exclusive_sum(pool, life, offset, n, stream));
  check(upsweep::select_if(pool, depth, near, num_near, n, is_near{}, stream));  // num_near: device memory
  check(upsweep::sort_pairs(pool, depth, sorted_depth, id, sorted_id, n, far_to_near, {}, stream));

  // A frame: one vote compacts all arrays of a particle system, in place, and the living are sorted by depth. Their
  // number stays in device memory: nothing waits for the host, and the frame is one CUDA graph.
  const upsweep::soa_array arrays[] = {{depth, depth, 4}, {life, life, 4}, {id, id, 4}};  // in, out, bytes of an item
  const upsweep::device_count aged{num_aged, n}, alive{num_alive, n};                     // in device memory; at most n
  const auto frame = captured(stream, [&] {
    for_each(n, age{num_alive, num_aged, life}, stream);
    check(upsweep::select_arrays(pool, arrays, num_alive, aged, upsweep::by_index{is_alive{life}}, stream));
    check(upsweep::sort_pairs(pool, depth, sorted_depth, id, sorted_id, alive, far_to_near, {}, stream));
  });

  // The results of the first three calls.
  wait(stream);
  std::stable_sort(ids.begin(), ids.end(), [&](int a, int b) { return depths[a] > depths[b]; });
  expect(on_host(sorted_id, n) == ids, "the order by depth");
  const auto sums = on_host(offset, n);
  for (int i = 1; i < n; ++i) expect(sums[i] == sums[i - 1] + lives[i - 1], "the sums");
  expect(on_host(num_near, 1)[0] == std::count_if(depths.begin(), depths.end(), is_near{}), "how many are near");

  // After each frame those that live longer than it are left, in the order of their depths.
  for (int f = 1; f <= frames; ++f) {
    launch(frame, stream);
    wait(stream);
    std::erase_if(ids, [&](int i) { return lives[i] <= f; });
    expect(on_host(num_alive, 1)[0] == static_cast<int>(ids.size()), "how many live");
    expect(on_host(sorted_id, static_cast<std::int64_t>(ids.size())) == ids, "the living by depth");
    std::printf("frame %d: %zu of %d particles live\n", f, ids.size(), n);
  }
}
