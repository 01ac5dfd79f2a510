// Tokens of a mixture of experts, as one CUDA graph: each token goes to two of 64 experts, those of an expert lie side
// by side in blocks of 16 for a matrix product, and come back where they were. How many tokens there are is known to
// the GPU alone.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "example.cuh"
#include "upsweep/compact/group_by.cuh"

constexpr int most_tokens = on_the_sim ? 1 << 13 : 1 << 16, experts = 64, choices = 2, block_of_tokens = 16,
              replays = on_the_sim ? 3 : 20;

// Choice i % choices of token i / choices; -1 where the router drops it.
UPSWEEP_HOST_DEVICE int expert_of(unsigned step, unsigned i) {
  const unsigned random = (step * 2654435761u + i) * 2246822519u;
  return random >> 24 == 0 ? -1 : static_cast<int>((random >> 8) % experts);
}
UPSWEEP_HOST_DEVICE std::int64_t routed(unsigned step) {
  return choices * std::int64_t{most_tokens - static_cast<int>(step * 1000 % most_tokens)};
}
struct route {
  const unsigned* step;
  std::int64_t* count;
  int* expert;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t i) const {
    if (i == 0) *count = routed(*step);
    expert[i] = expert_of(*step, static_cast<unsigned>(i));
  }
};
struct count_up {
  unsigned* step;
  UPSWEEP_HOST_DEVICE void operator()(std::int64_t) const { ++*step; }
};

struct itself {
  UPSWEEP_HOST_DEVICE int operator()(int expert) const { return expert; }
};

int main() {
  if (!has_gpu()) return 0;
  constexpr std::int64_t most = std::int64_t{most_tokens} * choices;
  upsweep::group_places to;
  to.multiple = block_of_tokens;
  const std::int64_t room = to.room(most, experts);
  unsigned* const step = zeros<unsigned>(1);
  std::int64_t *const count = zeros<std::int64_t>(1), *const offsets = zeros<std::int64_t>(experts + 1);
  int *const expert = zeros<int>(most), *const slots = zeros<int>(room), *const slot_of = zeros<int>(most);
  to.permutation = slots;
  to.inverse = slot_of;

  const auto stream = new_stream();
  const auto routing = captured(stream, [&] {
    for_each(most, route{step, count, expert}, stream);
    check(upsweep::group_by(upsweep::stream_pool{}, expert, to, offsets, upsweep::device_count{count, most}, experts,
                            itself{}, stream));
    for_each(1, count_up{step}, stream);
  });

  for (unsigned replay = 0; replay < replays; ++replay) {
    launch(routing, stream);
    wait(stream);
    const auto begins = on_host(offsets, experts + 1);
    const auto slot = on_host(slots, room), back = on_host(slot_of, most);
    std::vector<std::vector<int>> right(experts);
    for (int i = 0; i < routed(replay); ++i) {
      const int e = expert_of(replay, static_cast<unsigned>(i));
      if (e >= 0) right[e].push_back(i);
      if (e < 0 && back[i] != -1) return std::puts("a token that was dropped has a slot"), 1;
    }
    std::int64_t at = 0;
    for (int e = 0; e < experts; ++e) {
      if (begins[e] != at || at % block_of_tokens != 0) return std::puts("an expert begins elsewhere"), 1;
      for (const int i : right[e]) {
        if (slot[at] != i || back[i] != at) return std::puts("a token has another slot"), 1;
        ++at;
      }
      for (; at % block_of_tokens != 0; ++at) {
        if (slot[at] != -1) return std::puts("a slot that is left over has a token"), 1;
      }
    }
    if (begins[experts] != at) return std::puts("the last expert ends elsewhere"), 1;
  }
  std::printf("%u steps, up to %lld choices of tokens for %d experts\n", replays, static_cast<long long>(most),
              experts);
}
