// One sort as a method sees it, and what every sort checks first.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/copy_items.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The values of a sort of keys alone.
struct no_value {};

/// What can be moved by a sort.
template <class T>
inline constexpr bool is_sortable =
    is_bitwise_copyable<T>&& std::is_default_constructible_v<T>&& std::is_copy_assignable_v<T>;

/// The passes of a sort by digits of at most `radix_bits`, among which its bits are shared out evenly: 20 bits go as
/// 7 + 7 + 6.
struct digit_passes {
  int bits, count;

  constexpr digit_passes(bit_range range, int radix_bits)
      : bits(range.end - range.begin), count(static_cast<int>(ceil_div(bits, radix_bits))) {}
  constexpr int width(int pass) const { return bits / count + (pass < bits % count ? 1 : 0); }
};

/// The same by whole bytes, of which the last one may have fewer bits: 20 go as 8 + 8 + 4.
struct byte_passes : digit_passes {
  constexpr explicit byte_passes(bit_range range) : digit_passes(range, 8) {}
  constexpr int width(int pass) const { return pass + 1 < count ? 8 : bits - 8 * pass; }
};

/// A method sorts by the digits `digits.at(shift, width)`, functors of a key, from the lowest bits of the range to the
/// highest. It leaves `in` as it was, unless that is the spare or `out`. `KeyIn` is an iterator only for methods of
/// which reads_iterators is true.
template <class Key, class Value, class Digits, class Count = std::int64_t, class KeyIn = const Key*>
struct sort_request {
  using key_type = Key;
  using value_type = Value;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;

  Digits digits;
  bit_range bits;  ///< not empty, `end` resolved
  Count n;         ///< bound_of(n) > 0
  KeyIn keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
  /// Passes alternate between out and spare, the last to out. Null: the spare is in the workspace. With a spare,
  /// `in` may be `out`, or the spare when the passes are odd in number.
  Key* keys_spare = nullptr;
  Value* values_spare = nullptr;
  /// The values are the places of the keys in the input, 0 to n - 1; values_in is null.
  bool places = false;
};

/// A request by all bits of codes of whole bytes, of which it is known how many keys have each digit of 8 bits: in
/// device memory, those of the lowest digit first. A method may use that.
template <class Request>
struct counted_request : Request {
  const std::uint64_t* digit_counts;
};

/// to[i] = from[i], or i where `from` is null, for the items that there are.
template <class Executor, class From, class T, class Count>
status copy_or_number(Executor& ex, From from, T* to, const Count& n) {
  if constexpr (std::is_pointer_v<From>) {
    if (from == to) return status::success;
    if constexpr (std::is_integral_v<Count>) {
      if (from != nullptr) return ex.copy(to, from, static_cast<std::size_t>(n) * sizeof(T));
    }
  }
  const copy_items_kernel<256> kernel;
  return ex.launch(ceil_div(bound_of(n), kernel.block_threads), kernel, from, to, count_argument(n));
}

/// Keys and values go to the output as they came.
template <class Executor, class Request>
status copy_unsorted(Executor& ex, const Request& r) {
  const status s = copy_or_number(ex, r.keys_in, r.keys_out, r.n);
  if constexpr (Request::has_values) {
    if (s == status::success) return copy_or_number(ex, r.values_in, r.values_out, r.n);
  }
  return s;
}

/// Whether a Method's kernels read keys from any iterator.
template <class Method>
inline constexpr bool reads_iterators = false;

/// Whether a Method takes requests for places.
template <class Method>
inline constexpr bool makes_places = false;

/// Bits of a Method's digits: it sorts by b bits in ceil(b / radix_bits_of<Method>) passes.
template <class Method>
inline constexpr int radix_bits_of = 8;
template <class Method>
requires requires {
  Method::radix_bits;
}
inline constexpr int radix_bits_of<Method> = Method::radix_bits;

/// What `method` needs for n keys; with a spare from the caller perhaps less.
template <class Key, class Value, class Method>
std::size_t sort_workspace_of(const Method& method, std::int64_t n, bool has_spare) {
  if constexpr (requires { method.template workspace_bytes<Key, Value>(n, has_spare); }) {
    return method.template workspace_bytes<Key, Value>(n, has_spare);
  } else {
    return method.template workspace_bytes<Key, Value>(n);
  }
}

/// Sorts by `method`, whose workspace_bytes<Key, Value>(n) and run(executor, workspace, request) do what is left.
/// n < 0, a null pointer with n > 0, an output or spare that overlaps anything else, unless it is the input and there
/// is a spare, a range outside the digits, or a workspace too small: invalid_value, nothing touched. An empty range
/// copies.
template <class Method, class Executor, class Key, class Value, class Digits, class Count, class KeyIn>
status sort_by(const Method& method, Executor& ex, workspace w, sort_request<Key, Value, Digits, Count, KeyIn> r) {
  static_assert(std::is_pointer_v<KeyIn> || reads_iterators<Method>);
  constexpr bool pairs = r.has_values;
  const std::int64_t n = bound_of(r.n);
  const bool has_spare = r.keys_spare != nullptr;
  if (r.bits.end == bit_range::full_width) r.bits.end = r.digits.bits;
  if (n < 0 || r.bits.begin < 0 || r.bits.begin > r.bits.end || r.bits.end > r.digits.bits) {
    return status::invalid_value;
  }
  if (n == 0) return status::success;
  const auto is_missing = [=](const auto* out, const auto* spare) {
    return out == nullptr || (has_spare && spare == nullptr);
  };
  if (is_null(place_of(r.n)) || is_null(r.keys_in) || is_missing(r.keys_out, r.keys_spare) ||
      (pairs && ((r.values_in == nullptr && !r.places) || is_missing(r.values_out, r.values_spare)))) {
    return status::invalid_value;
  }
  const auto input = [=](const auto& in, const auto* out, const auto* spare) {
    if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(in)>>) {
      if (has_spare && (in == out || in == spare)) return use_of(nullptr, 0, false);
    }
    return use_of(in, n, false);
  };
  if (!written_apart(std::array{input(r.keys_in, r.keys_out, r.keys_spare), use_of(r.keys_out, n, true),
                                use_of(r.keys_spare, n, true), input(r.values_in, r.values_out, r.values_spare),
                                use_of(r.values_out, n, true), use_of(r.values_spare, n, true),
                                use_of(place_of(r.n), 1, false)})) {
    return status::invalid_value;
  }
  const std::size_t bytes = sort_workspace_of<Key, Value>(method, n, has_spare);
  if (bytes > 0 && (w.data == nullptr || w.bytes < bytes)) return status::invalid_value;
  if (r.bits.begin < r.bits.end) return method.run(ex, w, r);
  return copy_unsorted(ex, r);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
