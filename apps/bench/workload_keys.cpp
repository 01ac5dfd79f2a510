#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "counter_random.hpp"
#include "element_types.hpp"
#include "parallel.hpp"
#include "workload.hpp"

namespace upsweep::apps {
namespace {

constexpr std::array<std::string_view, 16> sort_names = {
    "uniform", "entropy_1", "entropy_2", "entropy_3", "entropy_4", "entropy_5", "entropy_6",      "entropy_7",
    "zipf",    "morton",    "constant",  "sorted",    "reversed",  "bits_16",   "float_specials", payload_4x16};

/// The floats: zeros, infinities, quiet and signalling NaNs with small and full payloads, smallest and largest
/// denormals, smallest and largest normal numbers, ones.
constexpr std::array<std::uint32_t, 20> special_bits = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                                        0xffc00000, 0x7fffffff, 0xffffffff, 0x7f800001, 0xff800001,
                                                        0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
                                                        0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000};

/// Draws r of 1 .. 2^20 with a probability in proportion to 1 / r, by the inverse of the distribution. Divisions and
/// additions only, so that every machine draws alike.
class zipf_ranks {
 public:
  zipf_ranks() : below_(keys), guide_(buckets + 1) {
    double sum = 0;
    for (std::size_t r = 0; r < keys; ++r) below_[r] = sum += 1.0 / static_cast<double>(r + 1);
    for (double& b : below_) b /= sum;
    below_.back() = 1;
    for (std::size_t b = 0; b <= buckets; ++b) guide_[b] = first_above(0, keys - 1, static_cast<double>(b) / buckets);
  }

  std::uint64_t operator()(std::uint64_t word) const {
    const std::size_t bucket = word >> (64 - bucket_bits);
    return first_above(guide_[bucket], guide_[bucket + 1], static_cast<double>(word >> 11) * 0x1p-53) + 1;
  }

 private:
  static constexpr std::size_t keys = std::size_t{1} << 20;
  static constexpr int bucket_bits = 16;
  static constexpr std::size_t buckets = std::size_t{1} << bucket_bits;

  /// The first r in [low, high) that `share` is below; else `high`.
  std::size_t first_above(std::size_t low, std::size_t high, double share) const {
    const auto begin = below_.begin();
    const auto at =
        std::upper_bound(begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high), share);
    return static_cast<std::size_t>(at - begin);
  }

  std::vector<double> below_;       ///< the probability of r or less
  std::vector<std::size_t> guide_;  ///< where to look for shares from b / buckets on
};

const zipf_ranks& zipf() {
  static const zipf_ranks ranks;
  return ranks;
}

/// The bits of the key that is at place `rank` in the order of T.
template <class T>
std::uint64_t bits_of_rank(bits_of<T> rank) {
  constexpr auto sign = bits_of<T>{1} << (sizeof(T) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) return (rank & sign) != 0 ? rank ^ sign : ~rank;
  if constexpr (std::is_signed_v<T>) return rank ^ sign;
  return rank;
}

/// Place i of n, spread over all ranks of T; when there are fewer ranks than places, some occur more than once.
template <class T>
bits_of<T> spread_rank(std::int64_t i, std::int64_t n) {
  constexpr std::uint64_t last = std::numeric_limits<bits_of<T>>::max();
  const auto place = static_cast<std::uint64_t>(i);
  const auto places = static_cast<std::uint64_t>(n);
  return static_cast<bits_of<T>>(places <= last ? place * (last / places) : place / (places / last + 1));
}

/// Bit b of the 21 low ones of x at place 3b.
constexpr std::uint64_t every_third(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

/// The Morton code of a point in one of 256 clusters, each a 64th as wide as space; of `bits` bits an axis, 10 to 21.
std::uint64_t clustered_point(std::uint64_t word, std::uint64_t seed, int bits) {
  const random_words centers(seed, 1), offsets(word);
  std::uint64_t code = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint64_t center = centers[static_cast<std::int64_t>(word & 0xff) * 3 + axis] >> 43;
    std::uint64_t offset = 0;  // a sum of four: dense in the middle
    for (int k = 0; k < 4; ++k) offset += offsets[axis] >> 16 * k & 0x1fff;
    code |= every_third(((center + offset) & 0x1fffff) >> (21 - bits)) << axis;
  }
  return code;
}

template <class T, class F>
void fill_bits(void* out, std::int64_t n, const F& bits) {
  chunks(n).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) static_cast<T*>(out)[i] = from_bits<T>(bits(i));
  });
}

template <class T>
void fill_keys(std::string_view distribution, std::uint64_t seed, T* out, std::int64_t n) {
  const random_words words(seed);
  if (distribution == "constant") {
    fill_bits<T>(out, n, [&](std::int64_t) { return words[0]; });
  } else if (distribution == "sorted") {
    fill_bits<T>(out, n, [&](std::int64_t i) { return bits_of_rank<T>(spread_rank<T>(i, n)); });
  } else if (distribution == "reversed") {
    fill_bits<T>(out, n, [&](std::int64_t i) { return bits_of_rank<T>(spread_rank<T>(n - 1 - i, n)); });
  } else if (distribution == "bits_16") {
    fill_bits<T>(out, n, [&](std::int64_t i) { return words[i] & 0xffff; });
  } else if (distribution == "float_specials") {
    fill_bits<T>(out, n, [&](std::int64_t i) {
      const auto bits = static_cast<std::int32_t>(special_bits[words[i] % special_bits.size()]);
      return static_cast<std::uint64_t>(std::int64_t{bits});
    });
  } else if (distribution == "morton") {
    constexpr int bits = sizeof(T) == 8 ? 21 : 10;
    fill_bits<T>(out, n, [&](std::int64_t i) { return clustered_point(words[i], seed, bits); });
  } else if (distribution == "zipf") {
    // An odd factor keeps different ranks different, also in their low 32 bits.
    const zipf_ranks& ranks = zipf();
    fill_bits<T>(out, n, [&](std::int64_t i) { return ranks(words[i]) * (mixed(seed) | 1); });
  } else {
    const bool all = distribution == "uniform" || distribution == payload_4x16;
    const int more = all ? 0 : distribution.back() - '0';
    std::vector<random_words> others;
    for (int k = 1; k <= more; ++k) others.emplace_back(seed, k);
    fill_bits<T>(out, n, [&](std::int64_t i) {
      std::uint64_t bits = words[i];
      for (const random_words& w : others) bits &= w[i];
      return bits;
    });
  }
}

}  // namespace

std::span<const std::string_view> sort_distributions() {
  return sort_names;
}

void make_keys(std::string_view distribution, scalar_type type, std::uint64_t seed, void* out, std::int64_t n) {
  key_types::visit(type, [&](auto zero) { fill_keys(distribution, seed, static_cast<decltype(zero)*>(out), n); });
}

}  // namespace upsweep::apps
