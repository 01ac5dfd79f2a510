// Which particles are drawn: those that a predicate keeps, those that a mask keeps, both sides of a partition, and at
// most as many as there is room for. Each count stays in device memory, for the next call.
#include "example.cuh"
#include "upsweep/compact/partition.cuh"
#include "upsweep/compact/select.cuh"

struct particle {
  float depth;
  int life;
};
struct is_visible {  // a predicate of items
  UPSWEEP_HOST_DEVICE bool operator()(const particle& p) const { return p.life > 0 && p.depth < 50; }
};
struct is_even {  // a vote by index
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return i % 2 == 0; }
};

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 10'000, room = 1000;
  std::vector<particle> all(n), visible, even, hidden;
  for (int i = 0; i < n; ++i) {
    all[i] = {static_cast<float>(i * 7919 % 101), i * 31 % 7 - 2};
    (is_visible{}(all[i]) ? visible : hidden).push_back(all[i]);
    if (i % 2 == 0) even.push_back(all[i]);
  }
  const auto same = [](const std::vector<particle>& a, const particle* b) {
    for (const particle& p : a) {
      if (p.depth != b->depth || p.life != b->life) return false;
      ++b;
    }
    return true;
  };

  const auto stream = new_stream();
  const upsweep::stream_pool pool;  // where workspaces come from
  particle *const in = on_device(all), *const out = zeros<particle>(n), *const rest = zeros<particle>(n);
  int *const count = zeros<int>(1), *const wanted = zeros<int>(1), *const indices = zeros<int>(room);

  // By a predicate of items.
  check(upsweep::select_if(pool, in, out, count, n, is_visible{}, stream));
  wait(stream);
  expect(on_host(count, 1)[0] == static_cast<int>(visible.size()), "the number of visible particles");
  expect(same(visible, on_host(out, n).data()), "the visible particles");

  // By index: the functor may look at any array.
  check(upsweep::select(pool, in, out, count, n, upsweep::by_index{is_even{}}, stream));
  wait(stream);
  expect(same(even, on_host(out, n).data()), "every other particle");

  // Both sides, in input order, in two arrays.
  check(upsweep::partition_if(pool, in, out, rest, count, n, is_visible{}, upsweep::rejected_order::apart, stream));
  wait(stream);
  expect(same(visible, on_host(out, n).data()) && same(hidden, on_host(rest, n).data()), "both sides");

  // At most `room` of them: the count that the next kernel reads is safe, `wanted` tells how many there would have
  // been.
  upsweep::select_results results(count);
  results.capacity = room;
  results.wanted = wanted;
  results.indices = indices;
  check(upsweep::select_if(pool, in, out, results, n, is_visible{}, stream));
  wait(stream);
  expect(on_host(count, 1)[0] == room && on_host(wanted, 1)[0] == static_cast<int>(visible.size()), "the capacity");
  expect(is_visible{}(all[on_host(indices, room)[room - 1]]), "the indices");
  std::printf("%zu of %d particles are visible, %d of them have room\n", visible.size(), n, room);
}
