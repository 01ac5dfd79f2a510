// Every public call of compaction once, as a program would write it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "functors.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"

namespace calls {

template <class Stream>
bool compactions(upsweep::workspace w, const int* in, int* out, const unsigned char* flags, std::int64_t* count,
                 Stream stream) {
  using error = upsweep::error_of<Stream>;
  constexpr error good{};
  constexpr std::int64_t n = 100;
  const upsweep::soa_array arrays[] = {{in, out, sizeof *in}};
  const std::size_t bytes =
      upsweep::select_arrays_workspace_bytes(arrays, n) + upsweep::partition_arrays_workspace_bytes(arrays, n) +
      upsweep::select_workspace_bytes(in, out, n) + upsweep::partition_workspace_bytes(in, out, out + n, n) +
      upsweep::select_items_workspace_bytes(n) + upsweep::unique_workspace_bytes(in, out, n) +
      upsweep::unique_by_key_workspace_bytes(in, in, out, out, n) + upsweep::split_workspace_bytes(n, 4);
  return bytes > 0 && upsweep::select_arrays(w, arrays, n, at_odd{}, count, stream) == good &&
         upsweep::select_arrays(w, arrays, n, upsweep::keep_rules{}, count, stream) == good &&
         upsweep::partition_arrays(w, arrays, n, at_odd{}, count, stream) == good &&
         upsweep::select(w, in, out, count, n, at_odd{}, stream) == good &&
         upsweep::select_if(w, in, out, count, n, is_odd{}, stream) == good &&
         upsweep::select_flagged(w, in, flags, out, count, n, stream) == good &&
         upsweep::partition(w, in, out, out + n, count, n, at_odd{}, stream) == good &&
         upsweep::select_items(w, in, out, count, n, at_odd{}, stream) == good &&
         upsweep::unique(w, in, out, count, n, same{}, stream) == good &&
         upsweep::unique_by_key(w, in, in + n, out, out + n, count, n, same{}, stream) == good &&
         upsweep::split_arrays(w, arrays, n, 4, at_quarter{}, count, stream) == good &&
         upsweep::split(w, in, out, n, 4, halved{}, count, stream) == good;
}

}  // namespace calls
