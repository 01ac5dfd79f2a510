// Arrays and iterators that are not plain: volatile items, flags that iterators return.
#pragma once

#include <cstdint>
#include <iterator>

#include "functors.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"

namespace calls {

/// Flags of one bit each, as std::vector<bool> has them: [i] gives something that says so when it is asked.
struct bit_flags {
  struct flag {
    bool is_set;
    CALLS_HOST_DEVICE explicit operator bool() const { return is_set; }
  };
  using iterator_category = std::random_access_iterator_tag;
  using value_type = flag;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = flag;
  const unsigned char* bytes;
  CALLS_HOST_DEVICE flag operator[](std::int64_t i) const { return {(bytes[i / 8] >> (i % 8) & 1) != 0}; }
};

/// No memory at all.
struct every_third {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = std::int64_t;
  CALLS_HOST_DEVICE std::int64_t operator[](std::int64_t i) const { return i % 3 == 0 ? 2 : 0; }
};

template <class Stream>
bool odd_arrays(upsweep::workspace w, const int* in, int* out, const volatile int* changing, const unsigned char* flags,
                std::int64_t* count, Stream stream) {
  using error = upsweep::error_of<Stream>;
  constexpr error good{};
  constexpr std::int64_t n = 100;
  return upsweep::inclusive_sum(w, changing, out, n, stream) == good &&
         upsweep::inclusive_sum_by_key(w, changing, changing, out, n, same{}, stream) == good &&
         upsweep::select_flagged(w, in, changing, out, count, n, stream) == good &&
         upsweep::select_flagged(w, in, bit_flags{flags}, out, count, n, stream) == good &&
         upsweep::select_flagged(w, in, every_third{}, out, count, n, stream) == good;
}

}  // namespace calls
