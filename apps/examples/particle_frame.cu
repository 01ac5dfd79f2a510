// One frame of a particle system as one CUDA graph: emit, age, compact, sort by depth, sum. How many particles live is
// known to the GPU alone: each call reads the count that the one before has written, and nothing waits for the host.
#include <cstdint>
#include <cstdio>

#include "example.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

constexpr int capacity = on_the_sim ? 1 << 14 : 1 << 20, emitted = capacity / 35, longest_life = 40;
constexpr int frames = on_the_sim ? 10 : 100;

struct counts {
  int frame, live, born;
};

// Functors that for_each calls for each i, as a kernel calls it by a thread for each.
struct emit {  // after those that live, as far as there is room
  const counts* now;
  float* depth;
  int* life;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    const unsigned random = (now->frame * emitted + static_cast<unsigned>(i)) * 2654435761u;
    if (now->live + i >= capacity) return;
    depth[now->live + i] = static_cast<float>(random >> 8);
    life[now->live + i] = 1 + random % longest_life;
  }
};
struct count_born {
  counts* now;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t) const {
    const int room = capacity - now->live;
    now->born = now->live + (emitted < room ? emitted : room);
    ++now->frame;
  }
};
struct age {
  const counts* now;
  int* life;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < now->born) --life[i];
  }
};

struct is_alive {
  const int* life;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return life[i] > 0; }
};

int main() {
  if (!has_gpu()) return 0;
  counts* const now = zeros<counts>(1);
  float *const depth = zeros<float>(capacity), *const far_to_near = zeros<float>(capacity);
  int *const life = zeros<int>(capacity), *const life_sorted = zeros<int>(capacity), *const sums = zeros<int>(capacity);
  const auto stream = new_stream();

  const upsweep::soa_array arrays[] = {{depth, depth, sizeof *depth}, {life, life, sizeof *life}};
  const upsweep::device_count born{&now->born, capacity}, live{&now->live, capacity};
  const upsweep::stream_pool pool;  // workspaces come from the graph's own memory

  const auto frame = captured(stream, [&] {
    for_each(emitted, emit{now, depth, life}, stream);
    for_each(1, count_born{now}, stream);
    for_each(capacity, age{now, life}, stream);
    check(upsweep::select_arrays(pool, arrays, &now->live, born, upsweep::by_index{is_alive{life}}, stream));
    check(upsweep::sort_pairs(pool, depth, far_to_near, life, life_sorted, live, upsweep::sort_order::descending, {},
                              stream));
    check(upsweep::inclusive_sum(pool, life_sorted, sums, live, stream));
  });
  for (int i = 0; i < frames; ++i) launch(frame, stream);
  wait(stream);

  // What the last frame left: depths that fall, lives that add up.
  const counts last = on_host(now, 1)[0];
  const auto depths = on_host(far_to_near, last.live);
  const auto lives = on_host(life_sorted, last.live), sums_now = on_host(sums, last.live);
  bool right = last.frame == frames && last.live > emitted;
  int sum = 0;
  for (int i = 0; i < last.live; ++i) {
    sum += lives[i];
    right = right && lives[i] > 0 && sums_now[i] == sum && (i == 0 || depths[i - 1] >= depths[i]);
  }
  std::printf("%d particles live after %d frames, for %d frames more in all: %s\n", last.live, last.frame, sum,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
