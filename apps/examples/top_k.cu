// The best 100 of up to a million documents by their score, best first, as one CUDA graph: how many documents there
// are, and how many of them are asked for, is known to the GPU alone. Among equal scores the earlier document is the
// better one.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "example.cuh"
#include "upsweep/sort/top_k.cuh"

constexpr int most_documents = on_the_sim ? 50'000 : 1'000'000, most_wanted = 100, replays = on_the_sim ? 3 : 20;

struct query {
  int number, documents, wanted;
};
UPSWEEP_HOST_DEVICE query next(const query& q) {
  return {q.number + 1, most_documents - q.number * (most_documents / 33), 1 + (q.number * 37) % most_wanted};
}
UPSWEEP_HOST_DEVICE float score_of(const query& q, unsigned document) {
  return static_cast<float>(((q.number * 7919 + document) * 2654435761u >> 12) % 100'000) / 100'000;
}
struct ask {
  query* q;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t) const { *q = next(*q); }
};
struct judge {
  const query* q;
  float* scores;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i < q->documents) scores[i] = score_of(*q, static_cast<unsigned>(i));
  }
};

int main() {
  if (!has_gpu()) return 0;
  query* const q = zeros<query>(1);
  float* const scores = zeros<float>(most_documents);
  int* const best = zeros<int>(most_wanted);
  const upsweep::device_count documents{&q->documents, most_documents}, wanted{&q->wanted, most_wanted};

  const auto stream = new_stream();
  const auto search = captured(stream, [&] {
    for_each(1, ask{q}, stream);
    for_each(most_documents, judge{q, scores}, stream);
    check(upsweep::top_k_indices(upsweep::stream_pool{}, scores, best, documents, wanted,
                                 upsweep::sort_order::descending, {}, stream));
  });

  query now{};
  for (int replay = 0; replay < replays; ++replay) {
    launch(search, stream);
    wait(stream);
    now = next(now);
    std::vector<int> right(now.documents);
    std::iota(right.begin(), right.end(), 0);
    std::partial_sort(right.begin(), right.begin() + now.wanted, right.end(), [&](int a, int b) {
      const float of_a = score_of(now, static_cast<unsigned>(a)), of_b = score_of(now, static_cast<unsigned>(b));
      return of_a != of_b ? of_a > of_b : a < b;
    });
    right.resize(now.wanted);
    if (on_host(best, now.wanted) != right) return std::puts("a better document was passed over"), 1;
  }
  std::printf("%d searches, up to %d of %d documents\n", replays, most_wanted, most_documents);
}
