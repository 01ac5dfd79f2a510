// Every public call of the sort once, as a program would write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "functors.hpp"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"
#include "upsweep/sort/sort_runs.cuh"

namespace calls {

template <class Stream>
bool sorts(upsweep::workspace w, const int* in, int* out, const float* values_in, float* values_out,
           const particle* particles_in, particle* particles_out, Stream stream) {
  using error = upsweep::error_of<Stream>;
  constexpr error good{};
  constexpr std::int64_t n = 100;
  constexpr auto order = upsweep::sort_order::descending;
  upsweep::double_buffer<int> keys{out, out + n};
  upsweep::double_buffer<float> values{values_out, values_out + n};
  const upsweep::run_arrays<int> runs{out + n, out + 2 * n, 16};
  const upsweep::value_array array{values_in, values_out};
  const std::size_t bytes = upsweep::sort_keys_workspace_bytes(in, out, n, order) +
                            upsweep::sort_pairs_workspace_bytes(in, out, values_in, values_out, n) +
                            upsweep::sort_keys_workspace_bytes(keys, n) +
                            upsweep::sort_pairs_workspace_bytes(keys, values, n, order, {0, 4}) +
                            upsweep::sort_keys_in_place_workspace_bytes(out, out + n, n) +
                            upsweep::sort_pairs_in_place_workspace_bytes(out, out + n, values_out, values_out + n, n) +
                            upsweep::argsort_workspace_bytes(in, out, n) +
                            upsweep::sort_with_values_workspace_bytes(in, out, std::tuple{array, array}, n) +
                            upsweep::sort_keys_workspace_bytes(in, out, runs, n, order, {0, 4});
  return bytes > 0 && upsweep::sort_keys(w, in, out, n, order, {}, stream) == good &&
         upsweep::sort_pairs(w, in, out, values_in, values_out, n, order, {}, stream) == good &&
         upsweep::sort_keys(w, keys, n, order, {}, stream) == good &&
         upsweep::sort_pairs(w, keys, values, n, order, {}, stream) == good &&
         upsweep::sort_keys_in_place(w, out, out + n, n, order, {}, stream) == good &&
         upsweep::sort_pairs_in_place(w, out, out + n, values_out, values_out + n, n, order, {}, stream) == good &&
         upsweep::argsort(w, in, out, n, order, {}, stream) == good &&
         upsweep::sort_with_values(w, in, out, std::tuple{array, array}, n, order, {}, stream) == good &&
         upsweep::run_starts(in, runs, n, upsweep::key_digits<int>{}, {0, 4}, stream) == good &&
         upsweep::sort_keys(w, in, out, runs, n, order, {0, 4}, stream) == good &&
         upsweep::sort_pairs(w, in, out, values_in, values_out, runs, n, order, {0, 4}, stream) == good &&
         upsweep::sort_keys(w, particles_in, particles_out, n, upsweep::decomposed_by<particle>(fields{}), {},
                            stream) == good;
}

template <class Stream>
bool merges(upsweep::workspace w, const int* in, int* out, const float* values_in, float* values_out,
            std::int64_t* places, Stream stream) {
  constexpr upsweep::error_of<Stream> good{};
  constexpr std::int64_t n = 100;
  const upsweep::device_count counted{places, n};
  const std::size_t bytes =
      upsweep::merge_keys_workspace_bytes(in, in + n, out, n, counted) +
      upsweep::merge_pairs_workspace_bytes(in, in + n, out, values_in, values_in, values_out, n, n, not_less{});
  return bytes == 0 && upsweep::merge_keys(w, in, in + n, out, n, counted, upsweep::less{}, stream) == good &&
         upsweep::merge_keys(w, in, in + n, out, n, 7, upsweep::sort_order::descending, stream) == good &&
         upsweep::merge_pairs(w, in, in + n, out, values_in, values_in, values_out, n, n, not_less{}, stream) == good &&
         upsweep::lower_bound(in, in + n, places, n, counted, upsweep::less{}, stream) == good &&
         upsweep::upper_bound(in, in + n, places, n, n, not_less{}, stream) == good;
}

}  // namespace calls
