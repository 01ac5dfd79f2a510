#include "checks.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "difference.hpp"
#include "parallel.hpp"

namespace upsweep::apps {
namespace {

/// What sums of T are added up in: integers wrap, sums of floats are exact.
template <class T>
using sum_of = std::conditional_t<std::is_floating_point_v<T> || is_half<T>, double, bits_of<T>>;

/// Element i of `in` as a summand.
template <class T>
sum_of<T> summand(const T* in, std::int64_t i) {
  if constexpr (is_half<T>) {
    return in[i].value();
  } else {
    return static_cast<sum_of<T>>(in[i]);
  }
}

/// A sum as an element.
template <class T>
T as_element(sum_of<T> sum) {
  if constexpr (is_half<T>) {
    return T::of(sum);
  } else {
    return static_cast<T>(sum);
  }
}

/// Turns what each piece adds into what all pieces before it add.
template <class Sum>
void sums_in_front(std::vector<Sum>& sums) {
  std::exclusive_scan(sums.begin(), sums.end(), sums.begin(), Sum{});
}

template <class T>
std::string sum_difference(bool exclusive, const T* in, const T* out, std::int64_t n) {
  const chunks pieces(n);
  std::vector<sum_of<T>> carries(pieces.count());
  pieces.in_parallel([&](std::size_t c, std::int64_t begin, std::int64_t end) {
    sum_of<T> sum{};
    for (std::int64_t i = begin; i < end; ++i) sum = static_cast<sum_of<T>>(sum + summand(in, i));
    carries[c] = sum;
  });
  sums_in_front(carries);

  return pieces.first_text([&](std::size_t c, std::int64_t begin, std::int64_t end) -> std::string {
    sum_of<T> sum = carries[c];
    for (std::int64_t i = begin; i < end; ++i) {
      const sum_of<T> before = sum;
      sum = static_cast<sum_of<T>>(sum + summand(in, i));
      const T expected = as_element<T>(exclusive ? before : sum);
      if (!same_bits(out[i], expected)) return element_difference(i, out[i], expected);
    }
    return {};
  });
}

template <class T>
std::string select_difference(const T* in, std::int64_t n, T low, T high, const T* out, std::int64_t count) {
  const auto kept = [&](std::int64_t i) { return low <= in[i] && in[i] < high; };
  const chunks pieces(n);
  std::vector<std::int64_t> places(pieces.count());
  pieces.in_parallel([&](std::size_t c, std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += kept(i);
    places[c] = sum;
  });
  const std::int64_t expected = std::reduce(places.begin(), places.end());
  sums_in_front(places);

  const std::int64_t compared = std::min(expected, count);
  const std::string different =
      pieces.first_text([&](std::size_t c, std::int64_t begin, std::int64_t end) -> std::string {
        std::int64_t place = places[c];
        for (std::int64_t i = begin; i < end && place < compared; ++i) {
          if (!kept(i)) continue;
          if (!same_bits(out[place], in[i])) return element_difference(place, out[place], in[i]);
          ++place;
        }
        return {};
      });
  if (!different.empty() || count == expected) return different;
  return fmt::format("{} elements were kept; expected {}", count, expected);
}

template <class T>
std::string rejected_difference(const T* in, std::int64_t n, T low, T high, const T* out, bool backwards) {
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (low <= in[i] && in[i] < high) continue;
    const T got = out[backwards ? -place : place];
    if (!same_bits(got, in[i])) return "rejected " + element_difference(place, got, in[i]);
    ++place;
  }
  return {};
}

}  // namespace

std::string check_sum(scalar_type type, bool exclusive, const void* in, const void* out, std::int64_t n) {
  std::string different;
  const bool known = visit_scanned(type, [&](auto zero) {
    using T = decltype(zero);
    different = sum_difference(exclusive, static_cast<const T*>(in), static_cast<const T*>(out), n);
  });
  return known ? different : type_not_checked(type);
}

template <class T>
std::string check_segment_sums(const T* in, const T* keys, const T* out, std::int64_t n) {
  T sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i > 0 && keys[i] != keys[i - 1]) sum = 0;
    if (out[i] != sum) return element_difference(i, out[i], sum);
    sum += in[i];
  }
  return {};
}
template std::string check_segment_sums(const std::uint32_t*, const std::uint32_t*, const std::uint32_t*, std::int64_t);
template std::string check_segment_sums(const std::uint64_t*, const std::uint64_t*, const std::uint64_t*, std::int64_t);

std::string check_select(scalar_type type, const void* in, std::int64_t n, const void* low, const void* high,
                         const void* out, std::int64_t count) {
  std::string different;
  const bool known = element_types::visit(type, [&](auto zero) {
    using T = decltype(zero);
    different = select_difference(static_cast<const T*>(in), n, *static_cast<const T*>(low),
                                  *static_cast<const T*>(high), static_cast<const T*>(out), count);
  });
  return known ? different : type_not_checked(type);
}

std::string check_rejected(scalar_type type, const void* in, std::int64_t n, const void* low, const void* high,
                           const void* rejected, bool backwards) {
  std::string different;
  const bool known = element_types::visit(type, [&](auto zero) {
    using T = decltype(zero);
    different = rejected_difference(static_cast<const T*>(in), n, *static_cast<const T*>(low),
                                    *static_cast<const T*>(high), static_cast<const T*>(rejected), backwards);
  });
  return known ? different : type_not_checked(type);
}

std::string check_split(const std::uint32_t* in, const std::uint32_t* out, std::int64_t n, int bits) {
  std::vector<std::int64_t> places(std::size_t{1} << bits);
  for (std::int64_t i = 0; i < n; ++i) ++places[in[i] >> (32 - bits)];
  sums_in_front(places);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t place = places[in[i] >> (32 - bits)]++;
    if (out[place] != in[i]) return element_difference(place, out[place], in[i]);
  }
  return {};
}

std::string check_filled(const void* in, std::size_t element_bytes, const std::uint8_t* flags, std::int64_t n,
                         const void* out, std::int64_t count) {
  const std::int64_t expected = n - std::count(flags, flags + n, std::uint8_t{0});
  if (count != expected) return fmt::format("{} elements were kept; expected {}", count, expected);
  const auto at = [element_bytes](const void* array, std::int64_t i) {
    return static_cast<const std::byte*>(array) + static_cast<std::size_t>(i) * element_bytes;
  };
  for (std::int64_t i = 0, next = expected; i < expected; ++i) {
    std::int64_t from = i;
    if (flags[i] == 0) {
      while (flags[next] == 0) ++next;
      from = next++;
    }
    if (std::memcmp(at(out, i), at(in, from), element_bytes) != 0) {
      return fmt::format("element {} is not that of input element {}", i, from);
    }
  }
  return {};
}

std::string check_flagged(const void* in, std::size_t element_bytes, const std::uint8_t* flags, std::int64_t n,
                          const void* out, std::int64_t count) {
  const auto* from = static_cast<const std::byte*>(in);
  const auto* to = static_cast<const std::byte*>(out);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < n; ++i, from += element_bytes) {
    if (flags[i] == 0) continue;
    if (place < count && std::memcmp(to, from, element_bytes) != 0) {
      return fmt::format("element {} is not that of input element {}", place, i);
    }
    ++place;
    to += element_bytes;
  }
  return count == place ? "" : fmt::format("{} elements were kept; expected {}", count, place);
}

}  // namespace upsweep::apps
