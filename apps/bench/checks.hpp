// Whether a result is right, found on the host in linear time by code that shares nothing with the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::apps {

/// Each check returns "" when the result is right, else one sentence that names the first wrong element, what it should
/// be and what it is. Arrays are in host memory. Types: those of the runtime calls; any other is "not checked: ...".

/// out[i] = in[0] + ... + in[i - 1] (exclusive), or with in[i] too; bit for bit, also for floats, whose items must
/// therefore have exact sums (make_scan_items).
std::string check_sum(scalar_type type, bool exclusive, const void* in, const void* out, std::int64_t n);

/// out[i] = the sum of the items before i that follow each other up to it with its key.
template <class T>  // u32 or u64
std::string check_segment_sums(const T* in, const T* keys, const T* out, std::int64_t n);

/// The `count` kept elements of `in` (low <= x < high; both point to one element), in order, at the front of `out`.
std::string check_select(scalar_type type, const void* in, std::int64_t n, const void* low, const void* high,
                         const void* out, std::int64_t count);

/// The elements of `in` that check_select rejects, in order from `rejected` on; backwards: each before the last.
std::string check_rejected(scalar_type type, const void* in, std::int64_t n, const void* low, const void* high,
                           const void* rejected, bool backwards);

/// The elements of `in`, ordered by their highest `bits` bits, those of the same bits in order.
std::string check_split(const std::uint32_t* in, const std::uint32_t* out, std::int64_t n, int bits);

/// The `count` elements of `in` whose flag is not 0 are at the front of `out`: in their places, and the others, in
/// order, in the places between.
std::string check_filled(const void* in, std::size_t element_bytes, const std::uint8_t* flags, std::int64_t n,
                         const void* out, std::int64_t count);

/// The `count` elements of `in` whose flag is not 0, in order, at the front of `out`.
std::string check_flagged(const void* in, std::size_t element_bytes, const std::uint8_t* flags, std::int64_t n,
                          const void* out, std::int64_t count);

/// `out` is ordered (floats: -0.0 equals +0.0, NaNs by their bits beyond the infinities) and a permutation of `in`, by
/// two 64-bit fingerprints of the multiset. Zeros of either sign must be in the order of `in`; of other equal keys it
/// cannot be seen which came first. O(n); once something is wrong, the time and memory of a std::stable_sort, to name
/// it.
std::string check_sorted_keys(scalar_type type, const void* in, const void* out, std::int64_t n,
                              sort_order order = sort_order::ascending);

/// The values that went in were 0, 1, 2, ...: so `values` proves the permutation and the stability. n <= 2^32. Cost as
/// above.
std::string check_sorted_pairs(scalar_type type, const void* keys_in, const void* keys_out, const std::uint32_t* values,
                               std::int64_t n, sort_order order = sort_order::ascending);

}  // namespace upsweep::apps
