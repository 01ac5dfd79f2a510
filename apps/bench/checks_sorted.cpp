#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <vector>

#include "checks.hpp"
#include "counter_random.hpp"
#include "difference.hpp"
#include "key_rank.hpp"
#include "parallel.hpp"

namespace upsweep::apps {
namespace {

/// A number that is not smaller for a key that comes later.
template <class Key>
bits_of<Key> place_of(Key key, sort_order order) {
  const bits_of<Key> rank = rank_of(key);
  return order == sort_order::ascending ? rank : ~rank;
}

/// True when all(begin, end) is true for every piece of [0, n).
template <class Test>
bool all_pieces(std::int64_t n, const Test& all) {
  std::atomic<bool> right = true;
  chunks(n).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
    if (!all(begin, end)) right = false;
  });
  return right;
}

/// Two sums over the bits of all keys that no order changes: of different keys they differ, but for a chance of 2^-128.
template <class Key>
std::array<std::uint64_t, 2> fingerprints(const Key* keys, std::int64_t n) {
  std::array<std::atomic<std::uint64_t>, 2> sums = {};
  chunks(n).in_parallel([&](std::size_t, std::int64_t begin, std::int64_t end) {
    std::uint64_t first = 0, second = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t word = mixed(std::bit_cast<bits_of<Key>>(keys[i]) + 0x9e3779b97f4a7c15u);
      first += word;
      second += mixed(~word);
    }
    sums[0] += first;
    sums[1] += second;
  });
  return {sums[0], sums[1]};
}

/// The zeros of `in`, which are equal, are in `out` in the same order. `out` is ordered and has as many.
bool zeros_are_stable(const float* in, const float* out, std::int64_t n, sort_order order) {
  const chunks pieces(n);
  std::vector<std::int64_t> places(pieces.count());
  pieces.in_parallel(
      [&](std::size_t c, std::int64_t begin, std::int64_t end) { places[c] = std::count(in + begin, in + end, 0.0f); });
  const auto in_front = [&](float key) { return place_of(key, order) < place_of(0.0f, order); };
  const std::int64_t first = std::partition_point(out, out + n, in_front) - out;
  std::exclusive_scan(places.begin(), places.end(), places.begin(), first);
  std::atomic<bool> right = true;
  pieces.in_parallel([&](std::size_t c, std::int64_t begin, std::int64_t end) {
    std::int64_t place = places[c];
    for (std::int64_t i = begin; i < end; ++i) {
      if (in[i] == 0 && !same_bits(in[i], out[place++])) right = false;
    }
  });
  return right;
}

template <class Key>
bool keys_are_right(const Key* in, const Key* out, std::int64_t n, sort_order order) {
  const bool ordered = all_pieces(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = std::max<std::int64_t>(begin, 1); i < end; ++i) {
      if (place_of(out[i], order) < place_of(out[i - 1], order)) return false;
    }
    return true;
  });
  if (!ordered || fingerprints(in, n) != fingerprints(out, n)) return false;
  if constexpr (std::is_floating_point_v<Key>) return zeros_are_stable(in, out, n, order);
  return true;
}

/// Every output pair is one of the input, and (key, value) ascends strictly: so no pair occurs twice, and all are
/// there.
template <class Key>
bool pairs_are_right(const Key* in, const Key* out, const std::uint32_t* values, std::int64_t n, sort_order order) {
  return all_pieces(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (values[i] >= n || !same_bits(in[values[i]], out[i])) return false;
      if (i == 0) continue;
      const auto place = place_of(out[i], order), before = place_of(out[i - 1], order);
      if (place < before || (place == before && values[i] <= values[i - 1])) return false;
    }
    return true;
  });
}

/// The first difference from a std::stable_sort.
template <class Key>
std::string key_difference(const Key* in, const Key* out, std::int64_t n, sort_order order) {
  std::vector<Key> expected(in, in + n);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](Key a, Key b) { return place_of(a, order) < place_of(b, order); });
  for (std::int64_t i = 0; i < n; ++i) {
    const Key key = expected[static_cast<std::size_t>(i)];
    if (!same_bits(out[i], key)) return element_difference(i, out[i], key);
  }
  return {};
}

template <class Key>
std::string pair_difference(const Key* in, const Key* out, const std::uint32_t* values, std::int64_t n,
                            sort_order order) {
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(n));
  std::iota(expected.begin(), expected.end(), 0u);
  std::stable_sort(expected.begin(), expected.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return place_of(in[a], order) < place_of(in[b], order); });
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t value = expected[static_cast<std::size_t>(i)];
    if (same_bits(out[i], in[value]) && values[i] == value) continue;
    return fmt::format("element {} is {} with the value {}; expected {} with {}", i, value_text(out[i]), values[i],
                       value_text(in[value]), value);
  }
  return {};
}

}  // namespace

std::string check_sorted_keys(scalar_type type, const void* in, const void* out, std::int64_t n, sort_order order) {
  std::string different;
  const bool known = key_types::visit(type, [&](auto zero) {
    const auto* from = static_cast<const decltype(zero)*>(in);
    const auto* to = static_cast<const decltype(zero)*>(out);
    if (!keys_are_right(from, to, n, order)) different = key_difference(from, to, n, order);
  });
  return known ? different : type_not_checked(type);
}

std::string check_sorted_pairs(scalar_type type, const void* keys_in, const void* keys_out, const std::uint32_t* values,
                               std::int64_t n, sort_order order) {
  std::string different;
  const bool known = key_types::visit(type, [&](auto zero) {
    const auto* from = static_cast<const decltype(zero)*>(keys_in);
    const auto* to = static_cast<const decltype(zero)*>(keys_out);
    if (!pairs_are_right(from, to, values, n, order)) different = pair_difference(from, to, values, n, order);
  });
  return known ? different : type_not_checked(type);
}

}  // namespace upsweep::apps
