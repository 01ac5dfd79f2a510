// What is scanned, compacted and sorted: made of a seed, the same on every machine and by any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "upsweep/simt/scalar_type.hpp"

namespace upsweep::apps {

/// The names that --distribution takes.
std::span<const std::string_view> scan_distributions();     ///< random, ones (monotonic prefix sums)
std::span<const std::string_view> compact_distributions();  ///< random, clustered
std::span<const std::string_view> flagged_distributions();  ///< bytes_4 .. bytes_64, arrays_8: see element_layout
std::span<const std::string_view> split_distributions();    ///< buckets_16, buckets_2, buckets_256
std::span<const std::string_view> segment_distributions();  ///< lengths_1 .. lengths_1000000, one, power_law
std::span<const std::string_view> axis_distributions();     ///< columns_2 .. columns_4096, rows_10 .. rows_1000000
std::span<const std::string_view>
sort_distributions();  ///< uniform, entropy_1 .. entropy_7, zipf, morton, constant, sorted, reversed, bits_16, ...

/// The number at the end of a distribution's name, as of k_1000; 0 where there is none.
std::int64_t number_of(std::string_view distribution);

/// The distribution of a sort whose keys bring rows along, in four arrays of 16 bytes each.
inline constexpr std::string_view payload_4x16 = "payload_4x16";

/// Fill n elements of host memory at `out`. An unknown distribution is a mistake of the caller.

/// Items whose sums are exact in every association: integers wrap; floats are -1, 0 or 1, so that the sums of random
/// ones stay far below 2^24, and of f16 and bf16 steps from one of 8 random levels to the next, so that every sum of
/// neighbours is one. ones: all 1; of f32 one in 1024 after the first 2^23, so that sums stay below 2^24 up to n =
/// 2^33, of f16 and bf16 the first 128 alone, and the others 0.
void make_scan_items(std::string_view distribution, scalar_type type, std::uint64_t seed, void* out, std::int64_t n);

/// The offsets of segments that cover n items: of random lengths with the mean that the distribution names, of
/// lengths of which one in x is longer than x, up to a million, or one.
/// Each item's key becomes the number of its segment.
template <class Key>  // u32 or u64
std::vector<std::int64_t> make_segments(std::string_view distribution, std::uint64_t seed, Key* keys, std::int64_t n);

/// Elements of which the share `kept` (0 to 1) lies in [*low, *high), which are written, one element each. random: each
/// by itself with that probability; clustered: one run in every 8192, so that the share is exact but for rounding.
void make_select_items(std::string_view distribution, scalar_type type, double kept, std::uint64_t seed, void* out,
                       std::int64_t n, void* low, void* high);

/// Elements of `element_bytes` bytes in each of so many arrays.
struct element_layout {
  std::size_t arrays, element_bytes;
};
/// bytes_N: one array of elements of N bytes; arrays_8: eight arrays, of 4 bytes.
element_layout element_layout_named(std::string_view distribution);

/// buckets_N: how many of the highest bits of a u32 tell its bucket, 4 of 16.
int bucket_bits_named(std::string_view distribution);

/// Fills `bytes` (a multiple of 4) bytes of elements with words of which each tells its place, and n flags, 0 or not,
/// of which the share `kept` is not, each by itself with that probability. Returns how many are not.
std::int64_t make_flagged_elements(double kept, std::uint64_t seed, void* elements, std::size_t bytes,
                                   std::uint8_t* flags, std::int64_t n);

/// Keys. uniform: any bits; entropy_k: k + 1 random words AND-ed, as CUB's benchmarks reduce entropy; zipf: exponent 1
/// over 2^20 different keys; morton: Morton codes of points in 256 clusters; sorted and reversed: n keys spread over
/// all, in the order of the sort; bits_16: 16 low bits, the others zero; float_specials: zeros of both signs,
/// infinities, NaNs of both signs, denormals, ... and the integers of the same bits, sign extended, among them 0, 1,
/// the largest and the smallest; payload_4x16: as uniform.
void make_keys(std::string_view distribution, scalar_type type, std::uint64_t seed, void* out, std::int64_t n);

}  // namespace upsweep::apps
