#include "workload.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "counter_random.hpp"
#include "element_types.hpp"
#include "parallel.hpp"

namespace upsweep::apps {
namespace {

constexpr std::array<std::string_view, 2> scan_names = {"random", "ones"};
constexpr std::array<std::string_view, 2> compact_names = {"random", "clustered"};

constexpr std::array<std::string_view, 8> flagged_names = {"bytes_4",  "bytes_8",  "bytes_12", "bytes_16",
                                                           "bytes_20", "bytes_32", "bytes_64", "arrays_8"};
constexpr std::array<std::string_view, 3> split_names = {"buckets_16", "buckets_2", "buckets_256"};
constexpr std::array<std::string_view, 9> segment_names = {"lengths_1000",    "lengths_1",     "lengths_8",
                                                           "lengths_1000000", "one",           "lengths_10",
                                                           "lengths_100",     "lengths_10000", "power_law"};
constexpr std::array<std::string_view, 22> axis_names = {
    "columns_2",   "columns_3",    "columns_4",    "columns_8",    "columns_32",   "columns_33",
    "columns_65",  "columns_100",  "columns_128",  "columns_129",  "columns_191",  "columns_256",
    "columns_257", "columns_1000", "columns_1001", "columns_1024", "columns_4095", "columns_4096",
    "rows_10",     "rows_100",     "rows_1000",    "rows_1000000"};

/// out[i] = element(i) for all i.
template <class T, class F>
void fill(void* out, std::int64_t n, const F& element) {
  chunks(n).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) static_cast<T*>(out)[i] = element(i);
  });
}

/// Few, so that a half also holds the sum of every other one of some 36 neighbours: CUB adds up pairs, one half of them
/// beside the other.
constexpr int half_levels = 8;
constexpr int half_ones = 128;

template <class T>
T random_item(const random_words& words, std::int64_t i) {
  if constexpr (is_half<T>) {
    return T::of(static_cast<double>(words[i + 1] % half_levels) - static_cast<double>(words[i] % half_levels));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(words[i] % 3) - 1;
  } else {
    return from_bits<T>(words[i]);
  }
}

template <class T>
T one_item(std::int64_t i) {
  if constexpr (is_half<T>) {
    return T::of(i < half_ones ? 1 : 0);
  } else {
    const bool rare = std::is_same_v<T, float> && i >= std::int64_t{1} << 23;
    return static_cast<T>(!rare || i % 1024 == 0);
  }
}

/// The T for a number below 2^24, ascending, with most of its bits in use.
template <class T>
T select_item(std::uint64_t number) {
  const std::int64_t centred = static_cast<std::int64_t>(number) - (std::int64_t{1} << 23);
  if constexpr (std::is_same_v<T, std::uint64_t>) return number * 0x100000001u;
  if constexpr (std::is_same_v<T, std::uint32_t>) return static_cast<T>(number * 255);
  if constexpr (std::is_same_v<T, std::int32_t>) return static_cast<T>(centred * 255);
  if constexpr (std::is_same_v<T, float>) return static_cast<T>(centred);
  if constexpr (std::is_same_v<T, double>) return static_cast<T>(centred * 0x10000001) / 0x10000000;
}

/// Which elements are kept.
class keeper {
 public:
  keeper(bool clustered, double kept, std::uint64_t seed)
      : words_(seed, 1), clustered_(clustered), kept_(kept), run_(std::llround(kept * period)) {}

  bool operator()(std::int64_t i) const {
    if (!clustered_) return static_cast<double>(words_[i] >> 11) < kept_ * 0x1p53;
    const auto start = static_cast<std::int64_t>(words_[i / period] % period);
    return (i - start + period) % period < run_;
  }

 private:
  static constexpr std::int64_t period = 8192;
  random_words words_;
  bool clustered_;
  double kept_;
  std::int64_t run_;
};

}  // namespace

std::span<const std::string_view> scan_distributions() {
  return scan_names;
}

std::span<const std::string_view> compact_distributions() {
  return compact_names;
}

std::span<const std::string_view> flagged_distributions() {
  return flagged_names;
}

std::span<const std::string_view> split_distributions() {
  return split_names;
}

std::span<const std::string_view> segment_distributions() {
  return segment_names;
}

std::span<const std::string_view> axis_distributions() {
  return axis_names;
}

std::int64_t number_of(std::string_view distribution) {
  std::int64_t number = 0;
  const std::string_view end = distribution.substr(distribution.rfind('_') + 1);
  std::from_chars(end.data(), end.data() + end.size(), number);
  return number;
}

void make_scan_items(std::string_view distribution, scalar_type type, std::uint64_t seed, void* out, std::int64_t n) {
  const random_words words(seed);
  visit_scanned(type, [&](auto zero) {
    using T = decltype(zero);
    if (distribution == "ones") {
      fill<T>(out, n, one_item<T>);
    } else {
      fill<T>(out, n, [&](std::int64_t i) { return random_item<T>(words, i); });
    }
  });
}

template <class Key>
std::vector<std::int64_t> make_segments(std::string_view distribution, std::uint64_t seed, Key* keys, std::int64_t n) {
  const random_words words(seed, 1);
  const auto mean = static_cast<std::uint64_t>(number_of(distribution));
  const auto length = [&](std::uint64_t random) {
    if (distribution == "one") return n;
    if (mean > 0) return 1 + static_cast<std::int64_t>(random % (2 * mean - 1));
    return std::min<std::int64_t>(1'000'000, (std::int64_t{1} << 53) / static_cast<std::int64_t>((random >> 11) + 1));
  };
  std::vector<std::int64_t> offsets = {0};
  while (offsets.back() < n) {
    const auto segment = static_cast<std::int64_t>(offsets.size()) - 1;
    const std::int64_t begin = offsets.back(), end = std::min(n, begin + length(words[segment]));
    std::fill(keys + begin, keys + end, static_cast<Key>(segment));
    offsets.push_back(end);
  }
  return offsets;
}
template std::vector<std::int64_t> make_segments(std::string_view, std::uint64_t, std::uint32_t*, std::int64_t);
template std::vector<std::int64_t> make_segments(std::string_view, std::uint64_t, std::uint64_t*, std::int64_t);

void make_select_items(std::string_view distribution, scalar_type type, double kept, std::uint64_t seed, void* out,
                       std::int64_t n, void* low, void* high) {
  constexpr std::uint64_t quarter = 1u << 22;
  const random_words words(seed);
  const keeper keeps(distribution == "clustered", kept, seed);
  element_types::visit(type, [&](auto zero) {
    using T = decltype(zero);
    *static_cast<T*>(low) = select_item<T>(quarter);
    *static_cast<T*>(high) = select_item<T>(3 * quarter);
    fill<T>(out, n, [&](std::int64_t i) {
      const std::uint64_t number = words[i] % (2 * quarter);
      if (keeps(i)) return select_item<T>(quarter + number);
      return select_item<T>(number < quarter ? number : 2 * quarter + number);
    });
  });
}

element_layout element_layout_named(std::string_view distribution) {
  if (distribution == "arrays_8") return {8, 4};
  return {1, static_cast<std::size_t>(number_of(distribution))};
}

int bucket_bits_named(std::string_view distribution) {
  if (distribution == "buckets_256") return 8;
  return distribution == "buckets_16" ? 4 : 1;
}

std::int64_t make_flagged_elements(double kept, std::uint64_t seed, void* elements, std::size_t bytes,
                                   std::uint8_t* flags, std::int64_t n) {
  fill<std::uint32_t>(elements, static_cast<std::int64_t>(bytes / sizeof(std::uint32_t)),
                      [](std::int64_t i) { return static_cast<std::uint32_t>(mixed(static_cast<std::uint64_t>(i))); });
  const keeper keeps(false, kept, seed);
  const random_words words(seed);
  fill<std::uint8_t>(flags, n,
                     [&](std::int64_t i) { return static_cast<std::uint8_t>(keeps(i) ? 1 + words[i] % 255 : 0); });
  return n - std::count(flags, flags + n, std::uint8_t{0});
}

}  // namespace upsweep::apps
