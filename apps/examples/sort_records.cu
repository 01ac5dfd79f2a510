// Sorts of draw calls: keys with values, structures by two fields, the permutation alone, and where each layer begins.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "example.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/sort_runs.cuh"
#if defined(__CUDACC__)
#include <cuda/std/tuple>
namespace tuples = cuda::std;
#else
namespace tuples = std;
#endif

struct draw {
  std::uint32_t layer;
  float depth;
  std::uint32_t mesh;
};
// By layer, and in a layer from back to front: the fields of a key, the first one first.
struct layer_and_depth {
  UPSWEEP_HOST_DEVICE auto operator()(const draw& d) const {
    return tuples::make_tuple(d.layer, upsweep::reversed(d.depth));
  }
};
// The same by 24 bits, those of the depth are the lower ones: fewer passes than by two fields of 32.
struct bits_of_draw {
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const draw& d, int shift, int width) const {
    const auto nearest_last = ~static_cast<std::uint32_t>(d.depth * 16) & 0xffff;
    return (d.layer << 16 | nearest_last) >> shift & ((1u << width) - 1);
  }
};

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 6000, layers = 5;
  std::vector<draw> draws(n);
  std::vector<std::uint32_t> layer(n), right(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    draws[i] = {layer[i] = i * 7919 % layers, static_cast<float>(i * 31 % 1009), i};
  }
  std::iota(right.begin(), right.end(), 0u);
  std::stable_sort(right.begin(), right.end(), [&](auto a, auto b) {
    return layer[a] != layer[b] ? layer[a] < layer[b] : draws[a].depth > draws[b].depth;
  });
  const auto stream = new_stream();
  const upsweep::stream_pool pool;
  draw *const in = on_device(draws), *const sorted = zeros<draw>(n);
  std::uint32_t *const keys = on_device(layer), *const keys_sorted = zeros<std::uint32_t>(n);
  std::uint32_t *const ids = zeros<std::uint32_t>(n), *const order = zeros<std::uint32_t>(n);
  const upsweep::run_arrays<int> runs{zeros<int>(layers), zeros<int>(layers), layers};

  // Structures by two fields.
  check(upsweep::sort_keys(pool, in, sorted, n, upsweep::decomposed_by<draw>(layer_and_depth{}), {}, stream));
  wait(stream);
  const auto by_fields = on_host(sorted, n);
  for (int i = 0; i < n; ++i) expect(by_fields[i].mesh == right[i], "the order of the draws by fields");

  // Structures by 24 of their bits: 8 of the layer, 16 of the depth.
  check(upsweep::sort_keys(pool, in, sorted, n, upsweep::extracted_by<24>(bits_of_draw{}), {}, stream));
  // Keys of 3 bits, the permutation that sorts them, then the keys with it, and where each layer begins and ends.
  constexpr upsweep::bit_range layer_bits{0, 3};
  check(upsweep::argsort(pool, keys, order, n, upsweep::sort_order::ascending, layer_bits, stream));
  check(upsweep::sort_pairs(pool, keys, keys_sorted, order, ids, runs, n, upsweep::sort_order::ascending, layer_bits,
                            stream));
  wait(stream);

  const auto found = on_host(sorted, n);
  for (int i = 0; i < n; ++i) expect(found[i].mesh == right[i], "the order of the draws by bits");
  const auto begins = on_host(runs.begins, layers), ends = on_host(runs.ends, layers);
  const auto places = on_host(order, n);
  for (int l = 0, at = 0; l < layers; ++l) {
    expect(begins[l] == at, "where a layer begins");
    for (; at < ends[l]; ++at) expect(layer[places[at]] == static_cast<std::uint32_t>(l), "the layers in order");
  }
  std::printf("%d draws in %d layers\n", n, layers);
}
