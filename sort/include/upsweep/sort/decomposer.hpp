// Digits of keys that are not numbers: a decomposer names the fields of a structure by which it is sorted, an extractor
// returns bits of the key itself.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// A field that is compared in the other direction than the rest of its key.
template <class T>
struct reversed_field {
  const T& value;  ///< the field
};
/// Marks a field, in the tuple that a decomposer returns, that is compared in the other direction than the rest.
template <class T>
UPSWEEP_HOST_DEVICE reversed_field<T> reversed(const T& field) {
  return {field};
}
template <class T>
void reversed(const T&&) = delete;  // the tuple would refer to what is gone

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An element of the tuple that a decomposer returns.
template <class Field>
struct key_field {
  using type = Field;
  static constexpr bool is_reversed = false;
  static UPSWEEP_HOST_DEVICE const type& value(const Field& field) { return field; }
};
template <class T>
struct key_field<reversed_field<T>> {
  using type = T;
  static constexpr bool is_reversed = true;
  static UPSWEEP_HOST_DEVICE const T& value(const reversed_field<T>& field) { return field.value; }
};

/// The fields of a Key by a Decomposer.
template <class Key, class Decomposer>
struct key_fields {
  using tuple = std::remove_cvref_t<std::invoke_result_t<Decomposer&, Key&>>;
  static constexpr std::size_t count = std::tuple_size<tuple>::value;
  template <std::size_t At>
  using field = key_field<std::remove_cvref_t<std::tuple_element_t<At, tuple>>>;
  template <std::size_t At>
  using codec = key_codec<std::remove_cv_t<typename field<At>::type>>;
  static constexpr int bits = []<std::size_t... At>(std::index_sequence<At...>) { return (0 + ... + codec<At>::bits); }
  (std::make_index_sequence<count>{});
};

/// One digit of a structure: `width` bits from `shift` on of the codes of its fields, whose last one is the lowest.
template <class Key, class Decomposer, nan_order Nans>
struct decomposed_digit {
  using fields = key_fields<Key, Decomposer>;
  Decomposer decompose;
  bool descending;
  int shift;
  int width;

  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const Key& key) const {
    Key own = key;  // a decomposer may ask for a key that is not const
    return of_fields(callable<Key&>(decompose)(own), std::make_index_sequence<fields::count>{}) & ((1u << width) - 1);
  }

 private:
  template <std::size_t... At>
  UPSWEEP_HOST_DEVICE std::uint32_t of_fields(const typename fields::tuple& tuple, std::index_sequence<At...>) const {
    int at = shift;  // where the digit begins, counted from the field's lowest bit
    std::uint32_t digit = 0;
    (add<fields::count - 1 - At>(tuple, at, digit), ...);
    return digit;
  }
  template <std::size_t At>
  UPSWEEP_HOST_DEVICE void add(const typename fields::tuple& tuple, int& at, std::uint32_t& digit) const {
    using field = typename fields::template field<At>;
    using codec = typename fields::template codec<At>;
    if (at < codec::bits && at + width > 0) {
      using std::get;
      const sort_order order = descending != field::is_reversed ? sort_order::descending : sort_order::ascending;
      const auto of_field = digit_of<std::remove_cv_t<typename field::type>, Nans>::at(order, at > 0 ? at : 0, 31);
      const std::uint32_t bits = of_field(field::value(get<At>(tuple)));
      digit |= at > 0 ? bits : bits << -at;
    }
    at -= codec::bits;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keys that are compared by the fields that `decompose(key)` returns as a tuple of references (std::tuple, or
/// cuda::std::tuple in kernels of the GPU); the first one counts most. A field in reversed(field) is compared in the
/// other direction. Bits of a range are counted from the lowest of the last field. Together they have at most as many
/// bits as the key, see extracted_digits.
template <class Key, class Decomposer, nan_order Nans = nan_order::by_bits>
struct decomposed_digits {
  static constexpr int bits = detail::key_fields<Key, Decomposer>::bits;  ///< of all fields together
  Decomposer decompose{};                                                 ///< gives the fields of a key
  sort_order order = sort_order::ascending;                               ///< of the first field that differs

  /// What returns the digit of `width` bits from bit `shift` on, of a key: for kernels.
  UPSWEEP_HOST_DEVICE detail::decomposed_digit<Key, Decomposer, Nans> at(int shift, int width) const {
    return {decompose, order == sort_order::descending, shift, width};
  }
};
/// An order of keys by the fields that decompose(key) returns; a sort takes it instead of a sort_order.
template <class Key, nan_order Nans = nan_order::by_bits, class Decomposer>
decomposed_digits<Key, Decomposer, Nans> decomposed_by(Decomposer decompose, sort_order order = sort_order::ascending) {
  return {decompose, order};
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// One digit by an extractor.
template <class Extractor>
struct extracted_digit {
  Extractor extract;
  bool descending;
  int shift;
  int width;

  template <class Key>
  UPSWEEP_HOST_DEVICE std::uint32_t operator()(const Key& key) const {
    const auto digit = static_cast<std::uint32_t>(callable<const Key&, int, int>(extract)(key, shift, width));
    return (descending ? ~digit : digit) & ((1u << width) - 1);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keys of `Bits` bits that are compared by `extract(key, shift, width)`: of their bits the `width` ones from `shift`
/// on, as an unsigned number; more bits than those are cut off. More bits than the key has compile with
/// upsweep_downsweep only, not with onesweep and the default sort.
template <int Bits, class Extractor>
struct extracted_digits {
  static constexpr int bits = Bits;          ///< of a key
  Extractor extract{};                       ///< gives bits of a key
  sort_order order = sort_order::ascending;  ///< of the bits

  /// What returns the digit of `width` bits from bit `shift` on, of a key: for kernels.
  UPSWEEP_HOST_DEVICE detail::extracted_digit<Extractor> at(int shift, int width) const {
    return {extract, order == sort_order::descending, shift, width};
  }
};
/// An order of keys by the bits that extract(key, shift, width) returns; a sort takes it instead of a sort_order.
template <int Bits, class Extractor>
extracted_digits<Bits, Extractor> extracted_by(Extractor extract, sort_order order = sort_order::ascending) {
  return {extract, order};
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The digits that an order means: a direction, or digits themselves.
template <class Key>
UPSWEEP_HOST_DEVICE key_digits<Key> digits_of(sort_order order) {
  return {order};
}
template <class Key, class Digits>
UPSWEEP_HOST_DEVICE Digits digits_of(const Digits& digits) {
  return digits;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
